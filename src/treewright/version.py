"""The version of treewright."""

VERSION = "0.1.0"  # and in pyproject.toml
