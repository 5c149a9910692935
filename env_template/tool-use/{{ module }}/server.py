"""The tools, as one server for the whole evaluation: it keeps no state between calls."""

import verifiers.v1 as vf

from {{ module }} import shop


class {{ class_name }}Toolset(vf.Toolset[vf.SharedToolsetConfig]):
    """Each @vf.tool method is a tool; its docstring is what the policy reads about it."""

    TOOL_PREFIX = None

    @vf.tool
    def price(self, item: str) -> str:
        """Return the price of one piece of an item."""
        return shop.price(item)


if __name__ == "__main__":
    {{ class_name }}Toolset.run()
