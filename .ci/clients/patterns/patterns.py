"""Compiles each pattern of a file, one a line, and writes those that Python refuses."""

import re
import sys
import warnings

warnings.simplefilter("error")
with open(sys.argv[1], encoding="utf-8") as file:
    for pattern in file.read().splitlines():
        try:
            re.compile(pattern)
        except (re.error, Warning) as refused:
            print(pattern, refused)
