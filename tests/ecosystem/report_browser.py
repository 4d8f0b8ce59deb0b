"""Reports in headless Chromium: prints what a reader sees as one line of JSON.

Runs in Playwright's environment: report_browser.py FOLDER. FOLDER has the pages, and gets screenshots, PDFs
and downloads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, expect, sync_playwright  # type: ignore[import-not-found]

TIMEOUT_MS: Final = 30_000
WIDTHS: Final = (1280, 500)
PHONE: Final = 400
HEIGHT: Final = 800
LIKELY: Final = "likely"  # a page with an offset that has likely expired
VISIBLE: Final = "(rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.cells[{}].innerText)"


def list_of(page: Page, section: str) -> Any:
    return page.locator(f"#{section} .list").first


def visible(found: Any, column: int) -> list[str]:
    """Return the texts of a column of the visible rows."""
    texts: list[str] = found.locator("tbody tr").evaluate_all(VISIBLE.format(column))
    return [text.split("\n")[0] for text in texts]


def screens(page: Page, name: str, folder: Path) -> dict[str, Any]:
    """Return the place of the verdict, and the needed and the given width, at each width of the window."""
    seen: dict[str, Any] = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            box = page.locator("#verdict").bounding_box()
            widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            seen[f"{scheme} {width}"] = {"verdict": box, "widths": widths, "colour": colour}
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
            page.screenshot(path=folder / f"{name}-{width}-{scheme}-full.png", full_page=True)
    page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
    return seen


def searched(page: Page) -> dict[str, Any]:
    """Search for the name in the last row, and for a name that no row has."""
    found = list_of(page, "what-expires-next")
    rows = found.locator("tbody tr")
    name = rows.last.locator("td").first.inner_text() or rows.last.locator("td b").first.text_content()
    seen: dict[str, Any] = {
        "name": name,
        "total": rows.count(),
        "before": found.locator("output").inner_text(),
    }
    found.get_by_role("searchbox").fill(name.upper())
    seen["found"] = visible(found, 0)
    found.get_by_role("searchbox").fill("no such group")
    seen["nothing"] = [visible(found, 0), found.locator("output").inner_text()]
    found.get_by_role("searchbox").fill("")
    seen["again"] = len(visible(found, 0))
    more = found.locator(".bar button")
    if more.is_visible():
        more.click()
    seen["all"] = len(visible(found, 0))
    return seen


def sorted_by(page: Page, section: str, column: int) -> list[list[str]]:
    """Return the column after one click on its head, and after two."""
    found = list_of(page, section)
    head = found.locator("th").nth(column)
    seen = []
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", order)
        seen.append(visible(found, column))
    return seen


def opened(page: Page) -> list[Any]:
    """Return if the partitions of the first lost group are visible before and after a click."""
    first = list_of(page, "what-was-lost").locator("details").first
    content = first.locator("li").first
    before = content.is_visible()
    first.locator("summary").click()
    return [before, content.is_visible(), content.inner_text()]


def downloads(page: Page, folder: Path) -> dict[str, str]:
    """Download the file of all groups, and of the first group that has one."""
    links = page.locator("#what-was-lost a[download]")
    seen = {}
    for link in (links.first, links.nth(1)):
        with page.expect_download() as started:
            link.click()
        name = started.value.suggested_filename
        started.value.save_as(folder / f"downloaded-{name}")
        seen[name] = (folder / f"downloaded-{name}").read_bytes().decode()
    return seen


def report(browser: Any, path: Path, folder: Path) -> dict[str, Any]:
    page = browser.new_context(accept_downloads=True).new_page()
    page.set_default_timeout(TIMEOUT_MS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text))
    page.on("dialog", lambda dialog: problems.append(f"dialog {dialog.message}"))
    page.on(
        "request", lambda request: problems.append(request.url[:99]) if request.url != path.as_uri() else None
    )
    page.goto(path.as_uri())
    seen = {
        "title": page.title(),
        "verdict": page.locator("#verdict").inner_text(),
        "screens": screens(page, path.stem, folder),
        "opened": opened(page),
        "searched": searched(page),
        "numbers": sorted_by(page, "what-was-lost", 1),
        "times": sorted_by(page, "what-was-lost", 2),
        "problems": problems,
    }
    page.pdf(path=folder / f"{path.stem}.pdf", format="A4")
    seen["problems"] = list(problems)  # without the downloads, which are requests of data: within the page
    seen["downloads"] = downloads(page, folder)
    seen["without a script"] = without_script(browser, path)
    return seen


def without_script(browser: Any, path: Path) -> bool:
    """Return if all rows are visible in a browser without scripts."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    seen: bool = page.locator("#what-expires-next tbody tr").last.is_visible()
    return seen


def narrow(browser: Any, path: Path) -> dict[str, Any]:
    """Return the place of the reason why an offset has likely expired, with all details open, on a phone."""
    page = browser.new_page(viewport={"width": PHONE, "height": HEIGHT})
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    reason = page.get_by_text("Likely expired: ").first
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return {"text": reason.inner_text(), "box": reason.bounding_box(), "widths": widths}


def main(folder: Path) -> None:
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        # Tests run as root in containers, where Chromium's own sandbox does not work.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        found = {
            path.stem: (narrow(browser, path) if path.stem == LIKELY else report(browser, path, folder))
            for path in sorted(folder.glob("*.html"))
        }
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
