"""One file of HTML that needs no other: the view as JSON, the script and the style inside it."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

# In this order every module comes after those that it imports.
MODULES = (
    "number_text", "tree", "c50_answers", "routing", "region", "dom", "palette", "layout", "histogram", "card",
    "branch_label", "edge_path", "pointer", "detail", "overview", "linear_model", "panel", "row_form", "rule_answers",
    "rule_list", "save", "members", "toolbar", "page",
)  # fmt: skip
# Nothing is fetched from anywhere, whatever the data hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
_IMPORT = re.compile(r'^import (\{.*?\}) from "\./(\w+)\.mjs";$', re.M | re.S)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.M)
_FRAME_HEIGHT = 640  # pixels
_LONG = 200_000  # characters of JSON above which it is packed
_EFFORT = 6  # of packing; 9 takes seven times as long for a hundredth of the size


@cache
def script() -> str:
    """The modules in one text. Each becomes a function that is called once; what it exports is kept under its name."""
    return "\n".join(_as_function(name, _static(f"{name}.mjs")) for name in MODULES)


def _as_function(name: str, source: str) -> str:
    """A module whose imports are read from other modules' exports.

    >>> print(_as_function("b", 'import { x } from "./a.mjs";\\nexport const y = x;\\n'))
    const module_b = (() => {
    const { x } = module_a;
    const y = x;
    return { y };
    })();
    """
    exported = ", ".join(found[1] for found in _EXPORT.findall(source))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(r"const \1 = module_\2;", source))
    return f"const module_{name} = (() => {{\n{body}return {{ {exported} }};\n}})();"


@cache
def style() -> str:
    return _static("style.css")


def _static(name: str) -> str:
    return (files("treewright.page") / "static" / name).read_text(encoding="utf-8")


def html_document(view: dict[str, Any], title: str) -> str:
    """The page of a view."""
    return page_frame(title, ['<div id="tw"></div>'], view)


def page_frame(title: str, body: Iterable[str], view: dict[str, Any], *, classes: str = "") -> str:
    """A file of HTML with this body, in which the element of id ``tw`` shows the view."""
    shown = f' class="{escape(classes)}"' if classes else ""
    return "\n".join([
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><link rel="icon" href="data:,">',
        f"<title>{escape(title[:200])}</title>",
        f"<style>{style()}</style></head>",
        f"<body{shown}>",
        *body,
        _data_element(json_text(view)),
        '<script type="module">',
        script(),
        'const [place, data] = ["tw", "tw-view"].map((id) => document.getElementById(id));',
        "module_page.show(place, await module_page.viewIn(data));",
        "</script>",
        "</body></html>\n",
    ])  # fmt: skip


def _data_element(text: str) -> str:
    """The element that holds the view: as JSON, or packed where that is long."""
    if len(text) <= _LONG:
        return f'<script type="application/json" id="tw-view">{text}</script>'
    packed = b64encode(zlib.compress(text.encode("utf-8"), _EFFORT)).decode("ascii")
    return f'<script type="text/plain" id="tw-view">{packed}</script>'


def json_text(view: dict[str, Any]) -> str:
    """JSON that may stand inside HTML: no name in the data can end the element it is in.

    >>> json_text({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    return json.dumps(view, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def framed(document: str) -> str:
    """The page in a frame of its own, as notebooks show it: it sees nothing of the notebook and of other frames."""
    attributes = f'sandbox="allow-scripts allow-downloads" style="width:100%;height:{_FRAME_HEIGHT}px;border:0"'
    return f'<iframe title="treewright" {attributes} srcdoc="{escape(document)}"></iframe>'
