"""Database migrations of all slices. May import what creates database objects that Django does not
manage.
"""
