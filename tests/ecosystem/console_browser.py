"""The console in headless Chromium: prints what a reader sees as one line of JSON.

Runs in Playwright's environment: console_browser.py URL FOLDER. FOLDER gets the screenshots.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, expect, sync_playwright  # type: ignore[import-not-found]

HOSTILE: Final = "<img src=x onerror=alert(5)>"
TIMEOUT_MS: Final = 30_000
WIDE: Final = {"width": 1280, "height": 900}
NARROW: Final = {"width": 360, "height": 800}
SHIFTS: Final = """() => {
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
  }).observe({type: "layout-shift"});
}"""
# The contrast (WCAG 2) of an element's text with what is behind it, as they are drawn now.
CONTRAST: Final = """(element) => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  const luminance = (colour) => colour
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const layers = [];
  for (let each = element; each; each = each.parentElement) {
    layers.unshift(getComputedStyle(each).backgroundColor);
  }
  const back = layers.map(parts).reduce((below, layer) => over(layer, below), [255, 255, 255]);
  const text = over(parts(getComputedStyle(element).color), back);
  const [dark, light] = [luminance(back), luminance(text)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}"""
NAME: Final = "(each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`"
TEXTS: Final = "a, button, input, select, legend, label, h1, h2, h3, p, dt, dd, th, td, .badge"
CONTROLS: Final = "a:not(.skip), button, input:not([type=checkbox]), select, tr.row td, .badge"
HOVERED_MAX: Final = 60  # per theme: tables repeat the same controls
COLOURS: Final = "getComputedStyle(document.body).backgroundColor"


def row(page: Page, name: str) -> Any:
    return page.locator("#groups-table tr.row").filter(has=page.get_by_role("link", name=name, exact=True))


def due(page: Page, name: str) -> Any:
    return row(page, name).locator("td.due")


def console(page: Page, url: str, folder: Path) -> dict[str, Any]:
    seen: dict[str, Any] = {"problems": []}
    page.on("pageerror", lambda error: seen["problems"].append(str(error)))
    page.on("console", lambda line: seen["problems"].append(line.text) if is_problem(line) else None)
    page.on("dialog", lambda dialog: seen["problems"].append(f"dialog {dialog.message}"))
    page.goto(url)
    expect(row(page, "readers")).to_be_visible()
    seen["groups"] = page.locator("#groups-table tr.row td:first-child").all_text_contents()
    seen["readers"] = row(page, "readers").locator("td").all_text_contents()
    expect(page.locator("#sections a").nth(6)).to_be_visible()
    seen["sections"] = page.locator("#sections a").all_text_contents()
    countdown(page, seen)
    group(page, seen)
    faults(page, seen, folder)
    shifts(page, seen)
    themes(page, seen, folder)
    keys(page, seen)
    return seen


def is_problem(line: Any) -> bool:
    """Chromium reports the refused fault, too."""
    return line.type == "error" and not line.location["url"].endswith("/v1/faults")


def countdown(page: Page, seen: dict[str, Any]) -> None:
    """The clock of the broker is frozen, moved by a day, and runs again."""
    page.get_by_role("button", name="Freeze").click()
    expect(page.locator("#flags")).to_contain_text("frozen")
    seen["frozen"] = due(page, "readers").text_content()
    page.get_by_role("button", name="+1 day").click()
    expect(page.locator("#outcome")).to_contain_text("Time moved by +1d 00:00:00")
    expect(due(page, "readers")).to_have_text("6d 00:00:00")
    seen["now"] = page.locator("#now").text_content()
    page.get_by_role("button", name="Resume").click()
    expect(due(page, "readers")).not_to_have_text("6d 00:00:00")
    seen["running"] = due(page, "readers").text_content()


def group(page: Page, seen: dict[str, Any]) -> None:
    page.get_by_role("link", name="readers", exact=True).first.click()
    expect(page.locator("#group-title")).to_have_text("Group readers")
    expect(page.locator("#offsets-table tr.sentence")).to_have_count(2)
    seen["why"] = page.locator("#offsets-table tr.sentence").all_text_contents()
    seen["metadata"] = page.locator("#offsets-table tr.row").nth(1).locator("td").nth(6).text_content()
    seen["images"] = page.locator("main img, main script, main svg").count()
    seen["address"] = page.evaluate("location.hash")
    expect(page.locator("#rebalances-chart canvas")).to_be_visible()
    seen["chart"] = page.locator("#rebalances-chart").get_attribute("aria-label")
    page.get_by_role("button", name="orders", exact=True).click()
    expect(page.locator("#partitions-title")).to_have_text("Partitions of orders")
    expect(page.locator("#partitions-table tr.row")).to_have_count(2)


def faults(page: Page, seen: dict[str, Any], folder: Path) -> None:
    seen["requests"] = page.locator("#requests-table tr.row").all_text_contents()
    rows = page.locator("#faults-table tr.row")
    seen["faults"] = rows.all_text_contents()
    rows.get_by_role("button", name="Release").click()
    expect(page.locator("#fault-outcome")).to_have_text("Requests that fault 1 let go: 1.")
    refused_fault(page, seen, folder)
    form = page.get_by_role("form", name="Set a fault")
    form.get_by_label("API", exact=True).fill("OffsetCommit")
    form.get_by_role("button", name="Set the fault").click()
    expect(rows).to_have_count(2)
    form.get_by_label("Action", exact=True).select_option("waits until the fault is released")
    form.get_by_label("When", exact=True).select_option("after it decided")
    form.get_by_label("Client id", exact=True).fill(HOSTILE)
    form.get_by_role("button", name="Set the fault").click()
    expect(rows).to_have_count(3)
    seen["set faults"] = [cell.text_content() for cell in rows.locator("td:nth-child(2)").all()]
    for left in (2, 1, 0):
        rows.first.get_by_role("button", name="Remove").click()
        expect(rows).to_have_count(left)


def refused_fault(page: Page, seen: dict[str, Any], folder: Path) -> None:
    form = page.get_by_role("form", name="Set a fault")
    form.get_by_label("API", exact=True).fill("OffsetComit")
    form.get_by_label("Group", exact=True).fill("readers")
    form.get_by_label("Error", exact=True).fill("NOT_COORDINATOR")
    form.get_by_label("matches", exact=True).fill("2")
    form.get_by_label("ms", exact=True).press("Enter")
    expect(form.get_by_label("API", exact=True)).to_be_focused()
    seen["refused fault"] = page.locator("#fault-outcome [role=alert]").text_content()
    seen["wrong fields"] = [field.get_attribute("name") for field in form.locator("[aria-invalid]").all()]
    page.locator("#faults").screenshot(path=folder / "faults.png")


def shifts(page: Page, seen: dict[str, Any]) -> None:
    """Nothing moves while the page refreshes itself."""
    page.evaluate(SHIFTS)
    for _ in range(3):
        with page.expect_response(lambda response: "/v1/topics" in response.url, timeout=TIMEOUT_MS):
            pass
    seen["shifts"] = page.evaluate("window.shifts")


def themes(page: Page, seen: dict[str, Any], folder: Path) -> None:
    seen["light"] = page.evaluate(COLOURS)
    seen["contrasts"] = contrasts(page, folder, "light")
    page.screenshot(path=folder / "wide-light.png", full_page=True)
    page.get_by_role("button", name="Dark").click()
    seen["dark"] = page.evaluate(COLOURS)
    page.reload()
    expect(row(page, "readers")).to_be_visible()
    seen["dark after a reload"] = page.evaluate(COLOURS)
    expect(page.locator("#offsets-table tr.sentence")).to_have_count(2)
    expect(page.locator("#fault")).to_be_visible()
    seen["contrasts"] |= contrasts(page, folder, "dark")
    page.screenshot(path=folder / "wide-dark.png", full_page=True)
    page.locator("#faults").screenshot(path=folder / "faults-dark.png")
    page.set_viewport_size(NARROW)
    seen["narrow"] = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    page.screenshot(path=folder / "narrow-dark.png", full_page=True)
    page.locator("#faults").screenshot(path=folder / "faults-narrow.png")
    page.set_viewport_size(WIDE)


def contrasts(page: Page, folder: Path, theme: str) -> dict[str, float]:
    """Return the contrast of each text, and of controls under the mouse, without and with the focus."""
    found: dict[str, float] = {}

    def note(element: Any, state: str) -> None:
        name = element.evaluate(
            "(each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`"
        )
        found[f"{theme}, {state}: {name}"] = round(element.evaluate(CONTRAST), 2)

    for element in page.locator(TEXTS).filter(visible=True).all():
        note(element, "text")
    controls = page.locator(CONTROLS).filter(visible=True).all()
    submits = page.locator("button[type=submit]").filter(visible=True).all()
    for control in [*submits, *controls[:HOVERED_MAX]]:
        if control.is_enabled():
            control.hover()
            note(control, "hover")
            control.focus()
            note(control, "hover and focus")
    for at, submit in enumerate(submits):
        submit.hover()
        submit.screenshot(path=folder / f"submit-{at}-{theme}.png")
    page.mouse.move(0, 0)
    return found


def keys(page: Page, seen: dict[str, Any]) -> None:
    page.keyboard.press("Escape")
    expect(page.locator("#group")).to_be_hidden()
    seen["focus after closing"] = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowUp")
    seen["focus after up"] = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("/")
    page.keyboard.type("READ")
    expect(page.locator("#groups-table tr.row")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def documentation(page: Page, url: str) -> dict[str, Any]:
    page.goto(f"{url}/docs/http.md#errors")
    expect(page.locator("#errors")).to_be_in_viewport()
    return {"title": page.title(), "tables": page.locator("article table").count()}


def read_only(page: Page, url: str) -> dict[str, Any]:
    page.goto(url)
    expect(page.locator("#read-only")).to_be_visible()
    expect(page.locator("#no-faults")).to_be_visible()
    forms = [page.locator("#controls"), page.locator("#fault")]
    sentence = page.locator("#no-faults").text_content()
    return {"forms": [form.is_visible() for form in forms], "faults": sentence}


def system_theme(browser: Any, url: str) -> str:
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(url)
    expect(page.locator("#theme")).to_have_text("Light")
    found: str = page.evaluate(COLOURS)
    return found


def main(url: str, read_only_url: str, folder: Path) -> None:
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        # Tests run as root in containers, where Chromium's own sandbox does not work.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_context(viewport=WIDE, color_scheme="light").new_page()
        page.set_default_timeout(TIMEOUT_MS)
        found = {
            "console": console(page, url, folder),
            "documentation": documentation(page, url),
            "read only": read_only(page, read_only_url),
            "system theme": system_theme(browser, url),
        }
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
