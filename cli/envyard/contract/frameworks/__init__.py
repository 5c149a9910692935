"""The frameworks: adapters, the table of releases, and the choice of a wheel's release.

May import `contract` modules about wheels and findings.
"""
