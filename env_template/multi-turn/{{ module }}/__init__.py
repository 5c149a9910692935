"""{{ description }}"""

from {{ module }}.env import {{ class_name }}Env
from {{ module }}.taskset import {{ class_name }}Taskset

__all__ = ["{{ class_name }}Env", "{{ class_name }}Taskset"]
