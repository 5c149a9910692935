"""All entries, in the order of the printed table."""

from __future__ import annotations

from tests.zoo import (
    allowed_forms,
    comparisons,
    conduct,
    courses,
    evasions,
    forms,
    free_choices,
    giveaways,
    given_numbers,
    incomplete,
    judges,
    labels,
    last_turns,
    listings,
    near_misses,
    open_forms,
    optional_parts,
    orders_and_decimals,
    payments,
    places_in_prompts,
    rewards,
    rules_of_labels,
    shortcuts,
    sound,
    sound_turns,
    state,
    steps,
    submissions,
    task_texts,
    tasks,
    tools_and_zones,
    units_and_words,
    vacuous,
    values,
)
from tests.zoo.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    *payments.FLAWED,
    *rewards.FLAWED,
    *tasks.FLAWED,
    *listings.FLAWED,
    *judges.FLAWED,
    *conduct.FLAWED,
    *evasions.FLAWED,
    *forms.FLAWED,
    *state.FLAWED,
    *vacuous.FLAWED,
    *labels.FLAWED,
    *incomplete.FLAWED,
    *orders_and_decimals.FLAWED,
    *given_numbers.FLAWED,
    *comparisons.FLAWED,
    *giveaways.FLAWED,
    *open_forms.FLAWED,
    *shortcuts.FLAWED,
    *courses.FLAWED,
    *values.FLAWED,
    *allowed_forms.FLAWED,
    *task_texts.FLAWED,
    *steps.FLAWED,
    *last_turns.FLAWED,
    *free_choices.FLAWED,
    *submissions.FLAWED,
    *units_and_words.FLAWED,
    *places_in_prompts.FLAWED,
    *tools_and_zones.FLAWED,
    *optional_parts.FLAWED,
    *near_misses.FLAWED,
    *rules_of_labels.FLAWED,
    *sound.SOUND,
    *sound_turns.SOUND,
    *submissions.SOUND,
    *forms.SOUND,
    *listings.SOUND,
    *state.SOUND,
    *vacuous.SOUND,
    *labels.SOUND,
    *incomplete.SOUND,
    *orders_and_decimals.SOUND,
    *given_numbers.SOUND,
    *comparisons.SOUND,
    *giveaways.SOUND,
    *open_forms.SOUND,
    *shortcuts.SOUND,
    *courses.SOUND,
    *values.SOUND,
    *allowed_forms.SOUND,
    *task_texts.SOUND,
    *steps.SOUND,
    *last_turns.SOUND,
    *free_choices.SOUND,
    *units_and_words.SOUND,
    *places_in_prompts.SOUND,
    *tools_and_zones.SOUND,
    *optional_parts.SOUND,
    *near_misses.SOUND,
    *rules_of_labels.SOUND,
)
BY_KEY = {entry.key: entry for entry in ENTRIES}


def chosen(names: list[str]) -> list[Entry]:
    """The entries of these names, with or without their API; all where none is given.

    Raises KeyError for a name that no entry has.
    """
    known = {entry.name for entry in ENTRIES} | BY_KEY.keys()
    for name in names:
        if name not in known:
            raise KeyError(name)
    return [e for e in ENTRIES if not names or e.name in names or e.key in names]
