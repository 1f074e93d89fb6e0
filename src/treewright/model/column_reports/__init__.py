"""What a model says of columns: their importance, their rank before any tree, what competed at a node."""
