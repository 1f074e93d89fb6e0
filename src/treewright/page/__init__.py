"""The interactive page: a tree or a rule set as one self-contained file of HTML.

``tree_view`` and ``rule_view`` make the data that the page shows, ``html_document`` puts it into a file with the script
and the style in ``static/``. The script's entry is ``show(container, view)`` in ``static/page.mjs``.
"""
