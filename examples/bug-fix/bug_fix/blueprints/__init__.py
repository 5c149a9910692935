"""The repositories that can be broken, one file each."""

from bug_fix.blueprints.days import CALENDAR
from bug_fix.blueprints.invoice import INVOICE
from bug_fix.blueprints.numerals import ROMAN
from bug_fix.blueprints.pages import PAGES
from bug_fix.blueprints.spans import INTERVALS
from bug_fix.blueprints.stock import LEDGER
from bug_fix.blueprints.sums import CALCULATOR
from bug_fix.blueprints.titles import SLUGS

BLUEPRINTS = (PAGES, INTERVALS, INVOICE, SLUGS, ROMAN, CALCULATOR, CALENDAR, LEDGER)

__all__ = ["BLUEPRINTS"]
