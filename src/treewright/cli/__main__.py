"""``python -m treewright.cli``."""

from treewright.cli.main import main

if __name__ == "__main__":
    main()
