"""Where the command begins, and how it ends: 0 done, 1 something is wrong, 2 bad input, 130 and 141 after signals."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

_HELP = {"-h", "--help", "--version"}
DONE, TROUBLE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command of the process, and leave it."""
    from treewright.cli.startup import defer_imports, repeat_interrupts

    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and not _HELP & set(given):  # help imports none of what waits, and to make it wait takes time as well
        defer_imports()
    with repeat_interrupts():
        code = run(given)
    _leave(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. What goes wrong is told in one line on the error stream."""
    try:
        from treewright.cli.typed_command import remember

        remember(arguments)
        app = _app()
        code = app(list(arguments) or ["--help"], prog_name="treewright", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except SystemExit as leaving:  # typer leaves in its own way when the reader has gone
        gone = isinstance(leaving.__context__, BrokenPipeError)
        return BROKEN_PIPE if gone else leaving.code if isinstance(leaving.code, int) else TROUBLE
    except Exception as error:
        return _told(error)
    if code == INTERRUPTED:
        return _tell("Interrupted; nothing was changed.", INTERRUPTED)
    return code if isinstance(code, int) else DONE


def _app() -> Callable[..., Any]:
    try:
        from treewright.cli.app import app
    except ModuleNotFoundError as error:
        from treewright.errors import TreewrightError

        hint = "pip install 'treewright[cli]'"
        raise TreewrightError(f"the command line needs the package {error.name}", hint) from error
    return app


def _told(error: Exception) -> int:
    """An error in one line. Only what is our own fault has more to show, to those who ask for it."""
    from treewright.errors import TreewrightError

    if isinstance(error, TreewrightError):
        from treewright.cli.messages import cli_message

        return _tell(f"Error: {cli_message(str(error))}", BAD_INPUT)
    if hasattr(error, "format_message"):  # a call that typer does not understand
        return _usage(error)
    if type(error).__name__ in ("Exit", "Abort"):
        return int(getattr(error, "exit_code", INTERRUPTED))
    if isinstance(error, OSError):
        return _system(error)
    if isinstance(error, MemoryError):
        return _tell("Error: there is not enough memory. Hint: use fewer rows or --engine histogram.", BAD_INPUT)
    return _our_fault(error)


def _usage(error: Any) -> int:
    from treewright.cli.messages import usage_message

    return _tell(f"Error: {usage_message(error)}", BAD_INPUT)


def _system(error: OSError) -> int:
    where = f" {error.filename!r}" if error.filename else ""
    reasons = {errno.ENOSPC: "no space is left", errno.EPIPE: "the reader has gone"}
    reason = reasons.get(error.errno or 0, (error.strerror or str(error)).lower())
    return _tell(f"Error: cannot write{where}: {reason}. Hint: free some space or choose another place.", BAD_INPUT)


def _our_fault(error: Exception) -> int:
    if "--verbose" in sys.argv or "-v" in sys.argv:
        import traceback

        traceback.print_exception(error)
    text = f"{type(error).__name__}: {error}"
    return _tell(f"Error: treewright stumbled over {text}. Hint: --verbose shows where; please report it.", TROUBLE)


def _tell(text: str, code: int) -> int:
    from contextlib import suppress

    with suppress(OSError, ValueError):
        sys.stderr.write(" ".join(text.split()) + "\n")
        sys.stderr.flush()
    return code


def _leave(code: int) -> NoReturn:
    """Nobody waits for what cannot be written any more, nor for threads whose work is no longer wanted."""
    if code != DONE:
        os._exit(code)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(BROKEN_PIPE)
    except OSError as error:
        os._exit(_system(error))
    sys.exit(code)
