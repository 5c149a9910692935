"""{{ description }}"""

from {{ module }}.taskset import {{ class_name }}Taskset

__all__ = ["{{ class_name }}Taskset"]
