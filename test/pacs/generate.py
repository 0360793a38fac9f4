"""Writes files/pyiso20022-*.xml: what another bank answers, by a program of another author. Its
classes are made from the schemas of ISO 20022. @1@ to @4@ stand for payments of a test.

    pip install pyiso20022==1.6.2 xsdata==26.10 && python test/pacs/generate.py
"""

import dataclasses
import decimal
import enum
import typing
from pathlib import Path

from pyiso20022.camt.camt_054_001_08 import camt_054_001_08 as camt054
from pyiso20022.pacs.pacs_002_001_10 import pacs_002_001_10 as pacs002
from pyiso20022.pacs.pacs_004_001_09 import pacs_004_001_09 as pacs004
from xsdata.formats.dataclass.serializers import XmlSerializer
from xsdata.formats.dataclass.serializers.config import SerializerConfig
from xsdata.models.datatype import XmlDate, XmlDateTime

FILES = Path(__file__).parent / "files"


def inner(hint):
    """The class within Optional and list."""
    while typing.get_args(hint):
        hint = next(arg for arg in typing.get_args(hint) if arg is not type(None))
    return hint


def build(hint, data):
    """An object of that class, by the names of its elements."""
    if isinstance(data, list):
        return [build(hint, item) for item in data]
    kind = inner(hint)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if kind in (XmlDate, XmlDateTime):
        return kind.from_string(data)
    if kind is decimal.Decimal:
        return decimal.Decimal(data)
    if not dataclasses.is_dataclass(kind):
        return data
    hints = typing.get_type_hints(kind)
    fields = {field.metadata.get("name", field.name): field.name for field in dataclasses.fields(kind)}
    values = {}
    for name, value in data.items():
        field = fields[name]
        many = typing.get_origin(hints[field]) is list
        values[field] = build(hints[field], [value] if many and not isinstance(value, list) else value)
    return kind(**values)


def write(name, module, data, prefix=None):
    document = build(module.Document, data)
    namespace = module.Document.Meta.namespace
    serializer = XmlSerializer(config=SerializerConfig(indent="  "))
    text = serializer.render(document, ns_map={prefix: namespace})
    (FILES / f"pyiso20022-{name}.xml").write_text(text)


def amount(value):
    return {"value": value, "Ccy": "EUR"}


def status(payment, code, reason=None):
    told = {"OrgnlInstrId": payment, "OrgnlEndToEndId": payment, "OrgnlTxId": payment, "TxSts": code}
    if reason:
        told["StsRsnInf"] = {"Rsn": {"Cd": reason}}
    return told


NOW = "2026-01-02T09:00:00"

write(
    "pacs.002.001.10",
    pacs002,
    {
        "FIToFIPmtStsRpt": {
            "GrpHdr": {"MsgId": "CSM-STATUS-1", "CreDtTm": NOW},
            "OrgnlGrpInfAndSts": {
                "OrgnlMsgId": "@message@",
                "OrgnlMsgNmId": "pacs.008.001.08",
                "OrgnlNbOfTxs": "4",
                "GrpSts": "PART",
            },
            "TxInfAndSts": [
                status("@1@", "ACSC"),
                status("@2@", "RJCT", "AC04"),
                status("@3@", "ACSP"),
            ],
        }
    },
    prefix="p",
)

write(
    "pacs.004.001.09",
    pacs004,
    {
        "PmtRtr": {
            "GrpHdr": {
                "MsgId": "CSM-RETURN-1",
                "CreDtTm": NOW,
                "NbOfTxs": "1",
                "CtrlSum": "1",
                "TtlRtrdIntrBkSttlmAmt": amount("1.00"),
                "SttlmInf": {"SttlmMtd": "CLRG"},
            },
            "TxInf": {
                "RtrId": "R-1",
                "OrgnlEndToEndId": "@1@",
                "OrgnlTxId": "@1@",
                "OrgnlIntrBkSttlmAmt": amount("1.00"),
                "RtrdIntrBkSttlmAmt": amount("1.00"),
                "RtrRsnInf": {"Rsn": {"Cd": "MD06"}, "AddtlInf": "By order of the customer"},
            },
        }
    },
)


def entry(number, value, direction, details, code="BOOK"):
    return {
        "NtryRef": number,
        "Amt": amount(value),
        "CdtDbtInd": direction,
        "Sts": {"Cd": code},
        "BookgDt": {"Dt": "2026-01-02"},
        "AcctSvcrRef": f"ENTRY-{number}",
        "BkTxCd": {"Prtry": {"Cd": "NTRF"}},
        "NtryDtls": {"TxDtls": details},
    }


def credit(number, value, iban, name):
    return {
        "Refs": {"AcctSvcrRef": number, "EndToEndId": f"INV-{number}"},
        "Amt": amount(value),
        "CdtDbtInd": "CRDT",
        "RltdPties": {
            "Dbtr": {"Pty": {"Nm": name}},
            "DbtrAcct": {"Id": {"IBAN": "GB33BUKB20201555555555"}},
            "CdtrAcct": {"Id": {"IBAN": iban}},
        },
        "RltdAgts": {"DbtrAgt": {"FinInstnId": {"BICFI": "BUKBGB22XXX"}}},
        "RmtInf": {"Ustrd": ["Rent for", "January & February"]},
    }


write(
    "camt.054.001.08",
    camt054,
    {
        "BkToCstmrDbtCdtNtfctn": {
            "GrpHdr": {"MsgId": "CSM-NOTE-1", "CreDtTm": NOW},
            "Ntfctn": {
                "Id": "1",
                "Acct": {"Id": {"IBAN": "DE89370400440532013000"}},
                "TxsSummry": {
                    "TtlNtries": {"NbOfNtries": "4", "Sum": "1036.5"},
                    "TtlCdtNtries": {"NbOfNtries": "3", "Sum": "1035.5"},
                    "TtlDbtNtries": {"NbOfNtries": "1", "Sum": "1"},
                },
                "Ntry": [
                    entry(
                        "1",
                        "1030.50",
                        "CRDT",
                        [
                            credit("C-1", "1000.00", "@iban@", "Grace Hopper"),
                            credit("C-2", "30.50", "@other@", "Jürgen <Groß> & Söhne"),
                        ],
                    ),
                    entry("2", "1", "DBIT", {"Refs": {"EndToEndId": "@3@", "TxId": "@3@"}}),
                    entry(
                        "3",
                        "1",
                        "CRDT",
                        {
                            "Refs": {"AcctSvcrRef": "C-3", "InstrId": "@4@"},
                            "RtrInf": {"Rsn": {"Cd": "AC06"}},
                        },
                    ),
                    entry("4", "4.00", "CRDT", credit("C-4", "4.00", "@iban@", "Waits"), "PDNG"),
                ],
            },
        }
    },
)
