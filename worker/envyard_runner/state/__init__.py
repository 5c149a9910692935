"""State files that the runner processes of one machine share. May import execution.verdict and the
contract."""
