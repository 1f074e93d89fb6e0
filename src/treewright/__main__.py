"""``python -m treewright`` is the command ``treewright``."""

from treewright.cli.main import main

if __name__ == "__main__":
    main()
