"""The proxy: the only way from a sandbox to hosts outside, by CONNECT to approved names.
May import the contract."""
