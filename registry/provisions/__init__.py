"""What people provide for the runs of an environment: variables, secrets and hosts.

Imports the catalogue; runs read what they are granted from `grants`.
"""
