"""What the pages and the API show of environments, versions, runs and rollouts, as dataclasses.

They lie beside the slices, not in them, because most cross several: an environment's summary has
the score of its latest version's card. May import every slice; pages, API and tasks import them.
"""
