"""A browser can load every script, and a test notices one that fails."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from service.pages.static_files import is_module, load_static_files
from tests.pages.reader import Reader
from tests.service.web_server import WebServer

READ = """(scripts) => Object.entries(scripts).flatMap(([name, text]) => {
  try {
    new Function(`"use strict";${text}`);
    return [];
  } catch (error) {
    return [`${name}: ${error}`];
  }
})"""
FAILING = {
    "cannot be read": "const once = () => { await 1; };",
    "throws": "throw new Error('nobody listens');",
    "throws later": "Promise.reject(new Error('nobody listens'));",
    "is not there": None,
}


def find_scripts() -> dict[str, str]:
    """The files that pages load as scripts; the bundles contain all modules."""
    files = load_static_files()
    names = [name for name in files if name.endswith(".js") and not is_module(name)]
    return {name: files[name].data.decode() for name in names}


def test_a_browser_reads_every_script(browser: Browser) -> None:
    scripts = find_scripts()
    assert {"bundle.en.js", "bundle.de.js", "early.js"} <= set(scripts)
    page = browser.new_page()
    assert page.evaluate(READ, scripts) == []
    broken = {"broken.js": FAILING["cannot be read"]}
    assert "broken.js: SyntaxError" in page.evaluate(READ, broken)[0]
    page.close()


@pytest.mark.parametrize("text", FAILING.values(), ids=FAILING.keys())
def test_a_script_that_fails_is_a_fault(
    browser: Browser, server: WebServer, text: str | None
) -> None:
    """Also in another tab that the test opens, since the same reader watches it."""
    reader = Reader(browser, server.url, None)
    other = reader.page.context.new_page()
    for page in (reader.page, other):
        page.route(
            "**/bundle.en.js",
            lambda route: route.fulfill(
                status=404 if text is None else 200, content_type="text/javascript", body=text or ""
            ),
        )
        page.goto("/rules")
        expect(page.locator("h1")).to_be_visible()
    assert len(reader.faults) == 2
    reader.close()
