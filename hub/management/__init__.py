"""Commands of `manage.py` that need the whole project; may import hub and registry."""
