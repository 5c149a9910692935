"""Word problems: each story draws its numbers and returns (text, worked steps, answer)."""

import random
from collections.abc import Callable

Problem = tuple[str, list[str], int]

NAMES = (
    "Amara", "Boris", "Clara", "Deniz", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jamal",
    "Keiko", "Lars", "Mina", "Nils", "Olga", "Paulo", "Rosa", "Samir", "Tove", "Yusuf",
)  # fmt: skip
THINGS = ("pencils", "stickers", "marbles", "postcards", "buttons", "seeds", "beads", "shells")


def shop(rng: random.Random) -> Problem:
    name, item = rng.choice(NAMES), rng.choice(THINGS)
    packs, size, price, coupon = (
        rng.randint(3, 12), rng.randint(4, 15), rng.randint(2, 7), rng.randint(1, 5),
    )  # fmt: skip
    total = packs * price - coupon
    earned = 2 * packs * size
    text = (
        f"{name} buys {packs} packs of {item}. Each pack holds {size} {item} and costs "
        f"${price}. A coupon takes ${coupon} off the bill. {name} sells all the {item} for $2 "
        "each. How many dollars of profit does that make?"
    )
    steps = [
        f"Paid: {packs} * {price} - {coupon} = {total}",
        f"Earned: 2 * {packs} * {size} = {earned}",
        f"Profit: {earned} - {total} = {earned - total}",
    ]
    return text, steps, earned - total


def harvest(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    trees, each, crate, price = (
        rng.randint(8, 30), rng.randint(20, 60), rng.choice((10, 12, 15, 20)), rng.randint(6, 18),
    )  # fmt: skip
    apples, crates = trees * each, trees * each // crate
    text = (
        f"{name} has {trees} apple trees that give {each} apples each. Apples are packed in "
        f"crates of {crate}, and only full crates are sold, at ${price} a crate. How many "
        f"dollars does {name} earn?"
    )
    steps = [
        f"Apples: {trees} * {each} = {apples}",
        f"Full crates: {apples} // {crate} = {crates}",
        f"Money: {crates} * {price} = {crates * price}",
    ]
    return text, steps, crates * price


def savings(rng: random.Random) -> Problem:
    first, second = rng.sample(NAMES, 2)
    start, weekly, weeks, times = (
        rng.randint(20, 90), rng.randint(5, 25), rng.randint(4, 20), rng.randint(2, 4),
    )  # fmt: skip
    saved = start + weekly * weeks
    text = (
        f"{first} has ${start} and saves ${weekly} every week for {weeks} weeks. {second} ends "
        f"up with {times} times as much as {first}. How many dollars do they have together?"
    )
    steps = [
        f"{first}: {start} + {weekly} * {weeks} = {saved}",
        f"{second}: {times} * {saved} = {times * saved}",
        f"Together: {saved} + {times * saved} = {saved * (times + 1)}",
    ]
    return text, steps, saved * (times + 1)


def trip(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    slow, fast, hours, more = (
        rng.randint(30, 60), rng.randint(61, 110), rng.randint(2, 6), rng.randint(2, 5),
    )  # fmt: skip
    there = slow * hours + fast * more
    text = (
        f"{name} drives {hours} hours at {slow} km per hour and then {more} hours at {fast} km "
        "per hour. The way back follows the same road. How many kilometres is the whole round "
        "trip?"
    )
    steps = [
        f"First part: {slow} * {hours} = {slow * hours}",
        f"One way: {slow * hours} + {fast} * {more} = {there}",
        f"Round trip: 2 * {there} = {2 * there}",
    ]
    return text, steps, 2 * there


def library(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    pages, slow, days, fast = (
        rng.randint(12, 40), rng.randint(10, 30), rng.randint(5, 12), rng.randint(31, 60),
    )  # fmt: skip
    read = slow * days
    total = read + fast * pages
    text = (
        f"{name} reads {slow} pages a day for {days} days and then {fast} pages a day for "
        f"{pages} days, which finishes the series. How many pages does the series have?"
    )
    steps = [
        f"Slow days: {slow} * {days} = {read}",
        f"Fast days: {fast} * {pages} = {fast * pages}",
        f"All: {read} + {fast * pages} = {total}",
    ]
    return text, steps, total


def bakery(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    trays, per, burnt, box, price = (
        rng.randint(6, 20), rng.randint(12, 36), rng.randint(3, 11), rng.choice((4, 6, 8)),
        rng.randint(3, 9),
    )  # fmt: skip
    good = trays * per - burnt
    text = (
        f"{name} bakes {trays} trays of {per} rolls. {burnt} rolls burn. The good ones are "
        f"packed in boxes of {box}, and every full box is sold for ${price}. How many dollars "
        "does that bring?"
    )
    steps = [
        f"Good rolls: {trays} * {per} - {burnt} = {good}",
        f"Full boxes: {good} // {box} = {good // box}",
        f"Money: {good // box} * {price} = {good // box * price}",
    ]
    return text, steps, good // box * price


def classroom(rng: random.Random) -> Problem:
    rows, seats, empty, groups = (
        rng.randint(6, 15), rng.randint(6, 14), rng.randint(2, 9), rng.randint(3, 7),
    )  # fmt: skip
    pupils = rows * seats - empty
    sheets = pupils * groups
    text = (
        f"A hall has {rows} rows of {seats} seats and {empty} of them stay empty. Every pupil "
        f"in the hall takes {groups} tests and needs 2 sheets of paper for each test. How many "
        "sheets are used?"
    )
    steps = [
        f"Pupils: {rows} * {seats} - {empty} = {pupils}",
        f"Tests: {pupils} * {groups} = {sheets}",
        f"Sheets: 2 * {sheets} = {2 * sheets}",
    ]
    return text, steps, 2 * sheets


def percent(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    price, off, count = rng.randint(3, 40) * 20, rng.choice((5, 10, 15, 20, 25)), rng.randint(2, 9)
    cut = price * off // 100
    text = (
        f"A coat costs ${price}. In the sale it is {off} percent cheaper. {name} buys {count} "
        "coats in the sale. How many dollars does that cost?"
    )
    steps = [
        f"Off each: {price} * {off} / 100 = {cut}",
        f"Sale price: {price} - {cut} = {price - cut}",
        f"All: {count} * {price - cut} = {count * (price - cut)}",
    ]
    return text, steps, count * (price - cut)


def garden(rng: random.Random) -> Problem:
    name = rng.choice(NAMES)
    length, width, price, gate = (
        rng.randint(12, 48), rng.randint(5, 11), rng.randint(3, 14), rng.randint(20, 90),
    )  # fmt: skip
    around = 2 * (length + width)
    text = (
        f"{name} fences a garden {length} m long and {width} m wide. Fence costs ${price} a "
        f"metre and one gate, which takes no fence away, costs ${gate}. How many dollars does "
        "it all cost?"
    )
    steps = [
        f"Around: 2 * ({length} + {width}) = {around}",
        f"Fence: {around} * {price} = {around * price}",
        f"All: {around * price} + {gate} = {around * price + gate}",
    ]
    return text, steps, around * price + gate


def team(rng: random.Random) -> Problem:
    first, second, third = rng.sample(NAMES, 3)
    base, more, times = rng.randint(15, 80), rng.randint(5, 30), rng.randint(2, 5)
    total = base + (base + more) + times * base
    text = (
        f"{first} collects {base} cans. {second} collects {more} more than {first}, and "
        f"{third} collects {times} times as many as {first}. How many cans do the three "
        "collect together?"
    )
    steps = [
        f"{second}: {base} + {more} = {base + more}",
        f"{third}: {times} * {base} = {times * base}",
        f"Together: {base} + {base + more} + {times * base} = {total}",
    ]
    return text, steps, total


STORIES: tuple[Callable[[random.Random], Problem], ...] = (
    shop, harvest, savings, trip, library, bakery, classroom, percent, garden, team,
)  # fmt: skip
