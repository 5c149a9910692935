"""Generated word problems in several steps with one numeric answer."""

from grade_school_math.taskset import GradeSchoolMathTaskset

__all__ = ["GradeSchoolMathTaskset"]
