# SPDX-License-Identifier: GPL-2.0-only
"""An answer of pcsample explain that says that something is wrong says what to do."""

import json
import sys

WRONG = ("not count", "not asserted", "masked", "no sample", "may be", "causes nothing", "Neither",
         "No PE", "error", "no overflow")

for answer in json.load(open(sys.argv[1]))["answers"]:
    if any(text in answer["answer"] for text in WRONG) and "remedy" not in answer:
        sys.exit(f"no remedy: {answer}")
