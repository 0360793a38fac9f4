"""Writes examples.json: the first days of series as dateutil counts them, to compare the rules of
src/domain/calendar/rhythm.ts with those of another author.

    pip install python-dateutil==2.9.0.post0 && python test/rhythms/generate.py > test/rhythms/examples.json
"""

import json
from datetime import date

from dateutil.relativedelta import relativedelta

STEPS = {
    "weekly": lambda n: relativedelta(weeks=n),
    "monthly": lambda n: relativedelta(months=n),
    "yearly": lambda n: relativedelta(years=n),
}
# Ends of months, leap days, leap years by the rules of 100 and 400, days around changes of the clock.
FIRST = [
    *[f"2026-01-{d:02}" for d in range(27, 32)],
    *[f"2024-01-{d:02}" for d in range(28, 32)],
    *["2024-02-28", "2024-02-29", "2023-02-28", "2026-02-28", "2096-02-29", "1996-02-29"],
    *["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01", "2026-04-05"],
    *[f"2026-{m:02}-30" for m in range(3, 13)],
    *[f"2026-{m:02}-31" for m in (3, 5, 7, 8, 10, 12)],
    *["1999-12-31", "2000-02-29", "2099-11-30", "2399-12-31", "2400-02-29", "0096-02-29"],
    *["2026-06-15", "2027-01-01", "2027-02-01", "2028-01-31"],
    *[f"2027-{m:02}-29" for m in (1, *range(3, 13))],
    *[f"2028-02-{d:02}" for d in range(26, 30)],
    *[f"{year}-02-28" for year in (1900, 2000, 2100, 2400)],
    *["2099-12-29", "2099-12-30", "2099-12-31"],
]
COUNT = 14

rows = []
for rhythm, step in STEPS.items():
    for first in FIRST:
        start = date.fromisoformat(first)
        days = [(start + step(n)).isoformat() for n in range(COUNT)]
        rows.append([rhythm, first, days])
print("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]")
