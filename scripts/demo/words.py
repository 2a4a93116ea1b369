# SPDX-License-Identifier: GPL-2.0-only
"""Counts words, and writes and reads the counts as JSON."""
import json
import re

text = open(json.__file__).read() + open(re.__file__).read()
for _ in range(20):
    counts = {}
    for word in re.findall(r"[a-z_]+", text):
        counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    assert json.loads(json.dumps(ranked))[0][1] == ranked[0][1]
