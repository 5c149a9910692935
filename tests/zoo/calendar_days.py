"""Labels of calendar questions, of which a part is wrong; sound ones with other readings."""

from __future__ import annotations

from tests.zoo.build import both

DATES = """
from datetime import date, timedelta


def rows(seed):
    rng, tasks = random.Random(seed), {}
    while len(tasks) < 90:
        day = date(1905, 1, 1) + timedelta(days=rng.randint(0, 65_000))
        prompt, answer = question(rng, day)
        tasks[prompt] = str(answer)
    return [{"prompt": prompt, "answer": answer} for prompt, answer in tasks.items()]
"""
OF_YEAR = """
FORMS = (
    "Which day of the year is {0.day} {0:%B} {0.year}? Mind leap years.",
    "A clerk numbers the days of {0.year} from FIRST. Which number has {0.day} {0:%B}?",
)


def question(rng, day):
    form = rng.choice(FORMS) + " Reply with the number alone."
    return form.format(day), day.timetuple().tm_yday - 1 + FIRST + SHIFT
"""
WEEKS = """
def question(rng, day):
    prompt = f"In which ISO week is {day:%d %B %Y}? Reply with its number alone, as in 7."
    return prompt, day.isocalendar().week if RIGHT else int(day.strftime("%W"))
"""
STAYS = """
def question(rng, day):
    last, lasts = day + timedelta(days=rng.randint(2, 200)), rng.randrange(4) == 0
    span = f"from {day:%d %B %Y} to {last:%d %B %Y}"
    if lasts:
        prompt = f"A fair is open {span}. How many days is it open? The number alone."
    else:
        prompt = f"How many days is it {span}? Reply with the number alone."
    return prompt, (last - day).days + lasts
"""
LATER = """
def question(rng, day):
    days = rng.randint(20, 400)
    shown = day + timedelta(days=days)
    leap_days = [date(year, 2, 29) for year in range(1908, 2096, 4)]
    if WRONG and any(day < each <= shown for each in leap_days):
        shown += timedelta(days=1)
    prompt = f"Which date is {days} days after {day.isoformat()}? Reply as in 2031-05-14."
    return prompt, shown.isoformat()
"""


def of_year(first: str, shift: str) -> str:
    """Days of the year that begin with `first`; `shift` is added to each."""
    return OF_YEAR.replace("FIRST", first).replace("SHIFT", shift)


OUTLIERS = ("card.label_outliers",)

FLAWED = (
    *both("september-too-long", "September has 31 days in numbers of days of the year",
          DATES, of_year("1", "(day.month > 9)"), expected="warned", codes=OUTLIERS),
    *both("weeks-from-monday", "Weeks are counted from the first Monday, not by ISO 8601",
          DATES, WEEKS.replace("RIGHT", "rng.randrange(5)"), expected="warned", codes=OUTLIERS),
    *both("no-leap-day-later", "Later dates leave out 29 February",
          DATES, LATER.replace("WRONG", "True"), expected="warned", codes=OUTLIERS),
)  # fmt: skip
SOUND = (
    *both("days-from-zero", "Days of the year begin with 0, as half of the prompts say",
          DATES, of_year("0", "0").replace("is {0.day}", "(1 January is day 0) is {0.day}"),
          expected="sound"),
    *both("weeks-by-iso", "ISO weeks of dates", DATES, WEEKS.replace("RIGHT", "True"),
          expected="sound"),
    *both("fairs-and-waits", "A fair is open on both days, a wait is the difference", DATES, STAYS,
          expected="sound"),
    *both("dates-later", "Dates so many days later", DATES, LATER.replace("WRONG", "False"),
          expected="sound"),
)  # fmt: skip
