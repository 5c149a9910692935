"""Django management of the domain; only its commands."""
