"""Django's `manage.py` commands of the domain; may import nothing."""
