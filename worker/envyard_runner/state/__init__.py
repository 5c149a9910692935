"""State files that the runner processes of one machine share. May import nothing else of the
runner."""
