"""A real browser for the tests of pages. Without Chromium and its driver these tests are skipped, and say so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WIDE, PHONE = (1400, 900), (390, 800)
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
)  # fmt: skip
_PATIENCE = 60  # seconds, after which a page does not load or a script does not end


def why_not() -> str:
    """What is missing for a browser; nothing if one can be started."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed"
    if not any(map(shutil.which, _PROGRAMS)):
        return f"no browser: none of {', '.join(_PROGRAMS)} is installed"
    return "" if shutil.which("chromedriver") else "no browser: chromedriver is not installed"


needs_browser = pytest.mark.skipif(bool(why_not()), reason=why_not() or "a browser is there")


class Page:
    """A page in a browser: looked at, clicked and typed into."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, size: tuple[int, int] = WIDE) -> Page:
        width, height = size
        self.run_command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        for log in ("browser", "performance"):
            self.driver.get_log(log)  # of the page before
        self.driver.get(path.as_uri())
        return self

    def run_command(self, command: str, **options: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, options)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def part(self, name: str) -> Any:
        return self.find(f'[data-part="{name}"]')

    def keys(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def console(self) -> list[str]:
        """What the page wrote to the console, errors too."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """What the page asked for, besides itself and what it holds."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        sent = (m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent")
        return [url for url in sent if not url.startswith(("file:", "data:", "blob:", "about:"))]

    def boxes(self, selector: str) -> list[dict[str, float]]:
        """Where elements are, in pixels of the window."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => { const b = e.getBoundingClientRect();"
            " const node = Number(e.closest('[data-node]')?.dataset.node);"
            " return {x: b.x, y: b.y, w: b.width, h: b.height, node}; })",
            selector,
        )

    def set_value(self, element: Any, value: Any, event: str = "input") -> None:
        self.run(
            "arguments[0].value = arguments[1];"
            " arguments[0].dispatchEvent(new Event(arguments[2], {bubbles: true}));",
            element, value, event,
        )  # fmt: skip


@contextmanager
def browser() -> Iterator[Page]:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = next(found for found in map(shutil.which, _PROGRAMS) if found)
    for flag in _FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(_PATIENCE)
    driver.set_script_timeout(_PATIENCE)
    try:
        yield Page(driver)
    finally:
        driver.quit()
