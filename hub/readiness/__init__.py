"""Whether the hub can do its work: each part is tried, within a time limit and not too often."""
