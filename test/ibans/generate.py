"""Writes examples.json: IBANs that schwifty makes and accepts, to compare the rules of
src/domain/bban.ts and check-digits.ts with those of another author.

    pip install schwifty==2026.10.1 && python test/ibans/generate.py > test/ibans/examples.json
"""

import json
import random
import string

from schwifty import IBAN, registry
from schwifty.checksum import algorithms
from schwifty.checksum.netherlands import DefaultAlgorithm as ElevenTest
from schwifty.domain import Component
from schwifty.exceptions import SchwiftyException

# A bank code (and branch) of each country. Letters stand where the form of the country has them.
CODES = {
    "AT": ("19043", ""),
    "BA": ("129", "007"),
    "BE": ("539", ""),
    "CH": ("00762", ""),
    "CZ": ("0800", ""),
    "DE": ("37040044", ""),
    "DK": ("0040", ""),
    "EE": ("22", "00"),
    "ES": ("2100", "0418"),
    "FI": ("123", ""),
    "FR": ("20041", "01005"),
    "GB": ("NWBK", "601613"),
    "GR": ("011", "0125"),
    "IE": ("AIBK", "931152"),
    "IT": ("05428", "11101"),
    "LT": ("10000", ""),
    "LU": ("001", ""),
    "LV": ("BANK", ""),
    "MC": ("11222", "00001"),
    "ME": ("505", ""),
    "MK": ("250", ""),
    "MR": ("00020", "00101"),
    "NL": ("ABNA", ""),
    "NO": ("8601", ""),
    "PL": ("10901014", ""),
    "PT": ("0002", "0123"),
    "RO": ("AAAA", ""),
    "RS": ("260", ""),
    "SI": ("26", "330"),
    "SK": ("1200", ""),
    "SM": ("03225", "09800"),
    "TL": ("008", ""),
    "TN": ("10", "006"),
}
PER_COUNTRY = 12

# The methods of German banks in src/domain/check-digits.ts, and where they put a digit of theirs.
METHODS = {
    "00": [9],
    "01": [9],
    "06": [9],
    "09": [],
    "10": [9],
    "13": [7],
    "17": [7],
    "24": [9],
    "28": [7],
    "32": [9],
    "33": [9],
    "34": [7],
    "63": [0, 7],
    "76": [7],
    "88": [9],
}
PER_METHOD = 10

# Check digits that are a part of the account or of the branch, by their place in the BBAN.
EMBEDDED = {"CZ": [9, 19], "SK": [9, 19], "NL": [13]}


def make(country: str, bank: str, branch: str, rng: random.Random) -> list[str] | None:
    """A country, the first part of its BBAN, the free digits and the IBAN of them."""
    positions = registry.get_iban_spec(country).positions
    parts = {"bank_code": bank, "branch_code": branch} if branch else {"bank_code": bank}
    if country not in EMBEDDED:
        width = positions[Component.ACCOUNT_CODE].length
        parts["account_code"] = "".join(rng.choice(string.digits) for _ in range(width))
    try:
        iban = IBAN(str(IBAN.random(country, random=rng, **parts)), validate_bban=True)
    except SchwiftyException:
        # No digit fits, or the bank has a rule of its own for its accounts.
        return None
    # It is not asked for any more, so schwifty does not ask for it either.
    if country == "NL" and not ElevenTest().validate([iban.account_code], ""):
        return None
    # Another check digit, see notOld in src/domain/bban.ts.
    if country == "NO" and iban.account_code.startswith("00"):
        return None
    own = positions[Component.NATIONAL_CHECKSUM_DIGITS]
    checks = EMBEDDED.get(country) or list(range(own.start, own.end))
    places = range(len(str(iban.bban)))
    start = 1 if country in ("IT", "SM") else 0
    prefix = bank + branch
    free = [at for at in places if at >= start + len(prefix) and at not in checks]
    return [country, prefix, "".join(str(iban.bban)[at] for at in free), str(iban)]


def make_german(method: str, turn: int, rng: random.Random) -> list[str] | None:
    """The same of a German bank with that method, and the method."""
    algorithm = algorithms[f"DE:{method}"]
    digits = [rng.choice(string.digits) for _ in range(10)]
    # Some methods look at the first digit, one at the third.
    digits[0] = str(turn % 10)
    digits[2] = "9" if turn % 2 else digits[2]
    account = "".join(digits)
    if method != "09":
        solved = algorithm.solve([account])
        if solved is None:
            return None
        [account] = solved
    # The Bundesbank has no number with this remainder; schwifty takes 0 for its digit.
    if method == "76" and sum(int(account[at]) * (8 - at) for at in range(1, 7)) % 11 == 10:
        return None
    banks = registry.get_banks_by_country("DE")
    bank = next(each.bank_code for each in banks if each.checksum_algo == method)
    iban = IBAN.generate("DE", bank_code=bank, account_code=account)
    iban.validate(validate_bban=True)
    free = [at for at in range(10) if at not in METHODS[method]]
    return ["DE", bank, "".join(account[at] for at in free), str(iban), method]


def main() -> None:
    rng = random.Random("strongroom")
    rows = []
    for country, (bank, branch) in CODES.items():
        count = 0
        while count < PER_COUNTRY:
            row = make(country, bank, branch, rng)
            if row is not None:
                rows.append(row)
                count += 1
    for method in METHODS:
        found = [make_german(method, turn, rng) for turn in range(PER_METHOD)]
        rows += [row for row in found if row is not None]
    print("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]")


main()
