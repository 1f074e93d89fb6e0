"""Entries of model files that were changed by hand: an error of ours, never one of Python's."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import treewright as tw

X, Y = {"x": np.arange(12.0), "g": list("abcabcabcabc")}, list("aaaaaabbbbbb")
CHANGES = {
    "a row of neighbours": (tw.KNNClassifier, lambda learned: learned["rows"][3].__setitem__(0, 10**400)),
    "a target of neighbours": (tw.KNNClassifier, lambda learned: learned["targets"].__setitem__(3, 10**400)),
    "trees of C5.0": (tw.C50Classifier, lambda learned: learned.update(trees=-1)),
    "rule sets of C5.0": (tw.C50Classifier, lambda learned: learned.update(rule_sets=-1)),
    "winnowed columns of C5.0": (tw.C50Classifier, lambda learned: learned.update(winnowed="999")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_damaged_entry_is_told(name, tmp_path):
    kind, change = CHANGES[name]
    path = tmp_path / "model.json"
    kind().fit(X, Y).save(path)
    document = json.loads(path.read_text())
    changed = copy.deepcopy(document)
    change(changed["learned"])
    assert changed != document
    path.write_text(json.dumps(changed))
    with pytest.raises(tw.ModelFileError, match="Hint"):
        tw.load(path)
