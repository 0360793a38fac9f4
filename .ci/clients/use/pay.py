"""Pays once with the client that OpenAPI Generator makes, and writes what the bank answered."""

import json
import sys

import openapi_client as bank
from openapi_client.exceptions import BadRequestException

task = json.loads(sys.argv[1])
settings = bank.Configuration(host=task["baseUrl"], ssl_ca_cert=task["ca"])

with bank.ApiClient(settings) as client:
    login = bank.AuthApi(client).login(
        bank.LoginBody(username=task["username"], password=task["password"])
    )
    settings.access_token = login.token
    me = bank.MeApi(client).get_me()
    accounts = bank.AccountsApi(client).list_accounts(limit=10).items
    source, target = sorted(accounts, key=lambda account: account.created_at)
    order = bank.CreateTransferBody(
        from_account_id=source.id,
        to_account_id=target.id,
        amount="1.50",
        currency=source.currency,
        reference="By Python",
    )
    transfers = bank.TransfersApi(client)
    made = transfers.create_transfer(order, idempotency_key="python-1")
    again = transfers.create_transfer(order, idempotency_key="python-1")
    found = bank.TransactionsApi(client).list_account_transactions(target.id, text="Python").items
    try:
        order.amount = "0.001"
        transfers.create_transfer(order)
        code = None
    except BadRequestException as refused:
        code = refused.data.code
    print(
        json.dumps(
            {
                "roles": me.roles,
                "made": str(made.id),
                "again": str(again.id),
                "entries": [entry.amount for entry in found],
                "code": code,
            }
        )
    )
