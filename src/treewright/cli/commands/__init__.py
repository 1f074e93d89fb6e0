"""The commands, one file each: what is typed after `treewright`."""
