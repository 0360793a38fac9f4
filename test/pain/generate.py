"""Writes files/sepaxml-*.xml, and copies files/pain001-*.xml: payment lists by programs of other
authors.

    pip install sepaxml==2.7.0 pain001==0.0.74 && python test/pain/generate.py
"""

import datetime
import random
import shutil
from pathlib import Path
from unittest import mock

import pain001
import sepaxml.shared
from sepaxml import SepaTransfer

FILES = Path(__file__).parent / "files"
DEBTOR = {
    "name": "Müller & Söhne GmbH",
    "IBAN": "DE89370400440532013000",
    "BIC": "COBADEFFXXX",
    "currency": "EUR",
}
DAY = datetime.date(2026, 10, 30)


def payments():
    yield {
        "name": "Jürgen Groß",
        "IBAN": "GB33BUKB20201555555555",
        "BIC": "BUKBGB22XXX",
        "amount": 123456,
        "description": "Gehalt für Oktober",
        "endtoend_id": "GEHALT-2026-10/JUERGEN-GROSS/000017",
    }
    yield {
        "name": "Seán O'Brien",
        "IBAN": "IE29AIBK93115212345678",
        "amount": 1,
        "description": "Invoice 4711 & 4712",
    }
    yield {
        "name": "Zoë <Bau> AG",
        "IBAN": "DE89370400440532013001",
        "amount": 99999,
        "description": "Prüfziffer falsch",
        "endtoend_id": "TWICE",
    }
    yield {
        "name": "Ada Okafor",
        "IBAN": "GB33BUKB20201555555555",
        "amount": 250,
        "description": "Twice",
        "endtoend_id": "TWICE",
    }


def write(name, schema, message_id, *, batch, clean, pretty, bic=True):
    random.seed(name)
    config = {**DEBTOR, "batch": batch}
    if not bic:
        del config["BIC"]
    with mock.patch.object(sepaxml.shared, "make_msg_id", lambda: message_id):
        transfer = SepaTransfer(config, schema=schema, clean=clean)
    for payment in payments():
        transfer.add_payment({**payment, "execution_date": DAY})
    content = transfer.export(validate=True, pretty_print=pretty)
    (FILES / f"sepaxml-{name}.xml").write_bytes(content)


def copy_market():
    """Messages that the wheel ships as those of a market."""
    market = Path(pain001.__file__).parent / "corpus/data/market"
    for path in MARKET:
        source = market / path
        shutil.copy(source, FILES / f"pain001-{source.name.replace('.pain.001.001', '')}")


MARKET = [
    "de/sepa-credit-transfer/de.sepa.sct-salary.pain.001.001.03.xml",
    "de/sepa-credit-transfer/de.sepa.sct-salary.pain.001.001.09.xml",
    "fr/sepa-credit-transfer/fr.sepa.sct-supplier.pain.001.001.09.xml",
    "ch/domestic-credit-transfer/ch.sps.qr-bill.pain.001.001.09.xml",
    "de/sepa-instant/de.sepa.sct-inst.pain.001.001.09.xml",
    "de/urgent-euro/de.ccu.urgent.pain.001.001.03.xml",
]

write("batch-03", "pain.001.001.03", "SEPAXML-BATCH-03", batch=True, clean=False, pretty=True)
write("clean-03", "pain.001.001.03", "SEPAXML-CLEAN-03", batch=True, clean=True, pretty=False)
write("single-09", "pain.001.001.09", "M" * 35, batch=False, clean=False, pretty=False, bic=False)
copy_market()
