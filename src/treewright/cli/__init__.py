"""The command ``treewright``: one file per command in `commands/`; each parses, calls the library and prints."""
