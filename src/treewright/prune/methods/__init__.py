"""The pruning methods, one file each, on the pass from the leaves up."""
