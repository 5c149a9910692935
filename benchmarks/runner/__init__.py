"""The runner measured against what it is made of."""
