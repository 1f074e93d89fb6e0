"""The page of commands: what ``treewright COMMAND --help`` prints, written when the site is built."""

from __future__ import annotations

from typing import Any

PAGE, PLACE = "reference/commands.md", "<!-- commands -->"
WIDTH = 76


def on_page_markdown(markdown: str, page: Any, **given: Any) -> str:
    """Called by mkdocs for every page."""
    return markdown.replace(PLACE, all_commands()) if page.file.src_uri == PAGE else markdown


def all_commands() -> str:
    """A section for each command."""
    from typer.main import get_command

    from treewright.cli.app import app

    group: Any = get_command(app)
    return "\n\n".join(f"## {name}\n\n```text\n{_help(name, command)}\n```" for name, command in group.commands.items())


def _help(name: str, command: Any) -> str:
    context = command.make_context(f"treewright {name}", [], resilient_parsing=True, terminal_width=WIDTH)
    return str(command.get_help(context)).rstrip()
