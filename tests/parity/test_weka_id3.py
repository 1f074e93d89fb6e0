"""The trees that Weka's Id3 printed, as stored: line by line the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import stored
import treewright as tw

# Weka makes a leaf where no column gains anything; we split on unless told otherwise (XOR).
NO_ZERO_GAINS = 1e-9


@pytest.mark.parametrize("path", stored.cases("weka_Id3"))
def test_same_tree(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    X = stored.table_of(data)
    model = tw.ID3Classifier(min_gain=NO_ZERO_GAINS).fit(X, stored.target_of(data))
    assert model.classes_.tolist() == golden["classes"]
    assert list(printed(model.tree_.root, model.schema_)) == golden["tree_text"].split("\n")[3:]
    assert model.tree_.n_leaves == golden["leaves"]
    assert sum(leaf.n == 0 for leaf in model.tree_.leaves()) == golden["null_leaves"]
    stored.check_values(golden, model.predict_proba(X))


def printed(node, schema, indent: str = "") -> Iterator[str]:
    """A tree as Weka prints it: a branch per level in the declared order, ``null`` where no row arrived."""
    column = schema.columns[node.split.column]
    for code, level in enumerate(column.levels, start=1):
        child = node.children[node.split.branch_of[code]]
        test = f"{indent}{column.name} = {level}"
        if child.is_leaf:
            yield f"{test}: {schema.target.classes[child.value.argmax()] if child.n else 'null'}"
        else:
            yield test
            yield from printed(child, schema, f"{indent}|  ")
