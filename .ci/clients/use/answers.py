"""Reads answers of tomorrow with the client that OpenAPI Generator makes; writes what it refuses."""

import json
import sys

import openapi_client as bank

with open(sys.argv[1], encoding="utf-8") as file:
    task = json.load(file)

for answer in task["answers"]:
    place = answer.get("place")
    name = answer["model"] + (" with new fields" if place is None else f": {place}")
    try:
        read = getattr(bank, answer["model"]).from_json(json.dumps(answer["body"]))
    except Exception as refused:
        print(name, "is refused:", " ".join(str(refused).split())[:200])
        continue
    if place is not None and task["newWord"] not in read.to_json():
        print(name, "is lost")
