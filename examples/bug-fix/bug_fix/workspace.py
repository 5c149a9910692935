"""The files a rollout works on: pure edits on a dictionary, so no path can leave it."""

MOST_CHARS = 20_000


def read(files: dict[str, str], path: str) -> str:
    """A file's text, or a sentence that starts with `error:`."""
    if path not in files:
        return f"error: there is no file {path[:200]!r}; files: {', '.join(sorted(files))}"
    return files[path]


def edit(files: dict[str, str], path: str, old_text: str, new_text: str) -> str:
    """Replace the only occurrence of `old_text` in a file; returns the result in words."""
    if path not in files:
        return read(files, path)
    if path.startswith("tests/"):
        return "error: tests are read-only; repair the code they test"
    times = files[path].count(old_text) if old_text else 0
    if times != 1:
        return (
            f"error: old_text occurs {times} times in {path}; it must occur there exactly once, "
            "so copy it with its indentation and enough lines around it"
        )
    changed = files[path].replace(old_text, new_text)
    if len(changed) > MOST_CHARS:
        return f"error: {path} would have more than {MOST_CHARS} characters"
    files[path] = changed
    return f"edited {path}"
