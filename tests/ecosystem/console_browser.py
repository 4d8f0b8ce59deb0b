"""The console in headless Chromium. Runs in Playwright's environment.

console_browser.py shots URL FOLDER       takes a screenshot of every page of `console_scene.shop`
console_browser.py check URL OTHERS HOSTILE
    calls every function here whose name begins with check_, and prints the traceback of each that fails, as
    JSON. URL: of the scene. OTHERS: JSON with the URLs of a read-only broker and of one with many groups.
    HOSTILE: a JSON list of ids of groups.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final

from playwright.sync_api import Error, Page, expect, sync_playwright  # type: ignore[import-not-found]

TIMEOUT_MS: Final = 10_000
WIDTHS: Final = {1280: 800, 400: 800}
# The pages of the scene, and what to click before a screenshot.
PAGES: Final = {
    "overview": ("#/", None),
    "groups": ("#/groups", None),
    "group": ("#/group?group=billing", None),
    "group-expiring": ("#/group?group=analytics", None),
    "group-rebalancing": ("#/group?group=search-indexer", None),
    "topics": ("#/topics", None),
    "topic": ("#/topic?topic=orders", None),
    "records": ("#/records?topic=orders&partition=1", "tr.row button"),
    "transactions": ("#/transactions", None),
    "requests": ("#/requests", "tr.failed button"),
    "faults": ("#/faults", None),
    "clock": ("#/", "#move-time button"),
    "docs": ("docs/faults.md", None),
}
SHOW_MS_MAX: Final = 25
READ: Final = """() => new Promise((done) => {
  performance.clearMeasures("show");
  document.dispatchEvent(new Event("visibilitychange"));
  const look = () => (performance.getEntriesByName("show").length > 0 ? done() : setTimeout(look, 5));
  look();
})"""
SHIFTS: Final = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts.push(entry.value);
  }).observe({type: "layout-shift"});
}"""
# The texts whose contrast (WCAG 2) with what is behind them is below 4.5, as they are drawn now.
FAINT: Final = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  const luminance = (colour) => colour
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      layers.unshift(getComputedStyle(each).backgroundColor);
    }
    const back = layers.map(parts).reduce((below, layer) => over(layer, below), [255, 255, 255]);
    const text = over(parts(getComputedStyle(element).color), back);
    const [dark, light] = [luminance(back), luminance(text)].sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (node) => node.nodeType === 3 && node.nodeValue.trim();
  const own = (element) => [...element.childNodes].some(hasText);
  const shown = (element) => `${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}`;
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && own(element) && !element.disabled)
    .map((element) => [contrast(element), shown(element)])
    .filter(([value]) => value < 4.5);
}"""
UNNAMED: Final = """() => [...document.querySelectorAll("a, button, input, select, textarea")]
  .filter((each) => each.checkVisibility() && !each.textContent.trim())
  .filter((each) => !each.getAttribute("aria-label") && !each.labels?.length)
  .map((each) => each.outerHTML)"""
TOO_WIDE: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
BACKGROUND: Final = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"


class Console:
    """One page of the browser on one broker. problems: errors that the page has reported.

    others, hostile: as on the command line
    """

    others: ClassVar[dict[str, str]] = {}
    hostile: ClassVar[list[str]] = []

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.browser = browser
        self.url = url
        options = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **options}
        self.page: Page = browser.new_context(**options).new_page()
        self.page.set_default_timeout(TIMEOUT_MS)
        self.problems: list[str] = []
        self.expected: set[int] = set()  # statuses that a check causes
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(f"dialog {dialog.message}"))
        self.page.on("console", self._line)

    def _line(self, line: Any) -> None:
        known = any(f"status of {status}" in line.text for status in self.expected)
        if line.type == "error" and not known:
            self.problems.append(line.text)

    def visit(self, address: str, heading: str | None = None) -> Page:
        self.page.goto(f"{self.url}/{address}")
        if heading is not None:
            expect(self.page.locator("h1")).to_have_text(heading)
        return self.page

    def get(self, path: str) -> Any:
        return self.page.request.get(f"{self.url}/v1{path}").json()

    def post(self, path: str, **body: Any) -> Any:
        found = self.page.request.post(f"{self.url}/v1{path}", data=body)
        assert found.ok, found.text()
        return found.json()

    def rows(self, name: str | None = None) -> Any:
        found = self.page.locator("main tr.row")
        return found if name is None else found.filter(has_text=name)

    def read(self) -> None:
        """Let the page read its data again, as it does when it becomes visible. Wait until it shows them."""
        self.page.evaluate(READ)


def check_first_screen(console: Console) -> None:
    page = console.visit("#/", "Overview")
    address = console.get("/broker")["listeners"][0]["address"]
    expect(page.locator("#bootstrap")).to_have_text(address)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=f"Copy {address}").click()
    expect(page.get_by_role("button", name=f"Copy {address}")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == address
    broker = page.get_by_role("region", name="Broker")
    expect(broker).to_contain_text("Ready")
    expect(broker.locator(".badge.warn")).to_have_text("1")
    expect(page.get_by_role("region", name="Warnings")).to_contain_text("slow request api=Fetch")
    groups = console.rows().all_text_contents()
    assert groups[0].startswith("analyticsEmpty expires soon no member0660"), groups
    assert groups[1].startswith("nightly-reportEmpty expires soon0"), groups
    assert groups[2].startswith("search-indexerPreparingRebalance rebalancing2"), groups
    expect(page.get_by_role("region", name="Groups")).to_contain_text("3 need attention.")
    faults = page.get_by_role("region", name="Faults")
    expect(faults).to_contain_text(
        "The next 2 OffsetCommit of group billing-2 get NOT_COORDINATOR; 1 of 3 matched."
    )


def check_sections_have_addresses(console: Console) -> None:
    page = console.visit("#/", "Overview")
    titles = page.locator("#sections a").all_text_contents()
    assert titles == ["Overview", "Groups", "Topics", "Records", "Transactions", "Requests", "Faults"]
    for title in titles[1:]:
        page.get_by_role("link", name=title, exact=True).first.click()
        expect(page.locator("h1")).to_have_text(title)
        assert page.title() == f"{title} · tidemark"
        assert page.locator("#sections [aria-current=page]").text_content() == title
    page.go_back()
    expect(page.locator("h1")).to_have_text("Requests")
    page.reload()
    expect(page.locator("h1")).to_have_text("Requests")
    page.go_forward()
    expect(page.locator("h1")).to_have_text("Faults")
    console.visit("#/nothing", "Not found")


def check_several_brokers_stop_and_start(console: Console) -> None:
    page = console.visit("#/", "Overview")
    assert page.get_by_role("table", name="Brokers").count() == 0
    several = Console(console.browser, console.others["several"])
    page = several.visit("#/", "Overview")
    rows = page.get_by_role("table", name="Brokers").locator("tr.row")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Stop broker 2").click()
    expect(rows.nth(1)).to_contain_text("Stopped")
    several.expected.add(409)
    page.get_by_role("button", name="Stop broker 1").click()
    expect(rows.nth(0)).to_contain_text("Stopped")
    page.get_by_role("button", name="Stop broker 3").click()
    expect(page.locator("#outcome [role=alert]")).to_contain_text("broker 3 is the last one that runs")
    page.get_by_role("button", name="Start broker 2").click()
    expect(rows.nth(1)).to_contain_text("Runs")
    page.get_by_role("button", name="Restart all").click()
    page.get_by_role("button", name="Start broker 1").click()
    expect(rows.nth(0)).to_contain_text("Runs")
    page.get_by_role("button", name="Kill broker 3").click()
    expect(rows.nth(2)).to_contain_text("Stopped")
    page.get_by_role("button", name="Start broker 3").click()
    expect(rows.locator(".badge").filter(has_text="controller")).to_have_count(1)
    for whom in ("clients", "controller", "leaders"):
        page.get_by_role("button", name=f"Cut off from {whom}: broker 3").click()
        expect(rows.nth(2)).to_contain_text("Cut off")
        page.get_by_role("button", name="Reconnect broker 3").click()
        expect(rows.nth(2)).to_contain_text("Runs")
    assert several.problems == []
    page.context.close()


def check_leaders_and_coordinators_move_between_several_brokers(console: Console) -> None:
    for address in ("#/topic?topic=orders", "#/group?group=billing"):
        page = console.visit(address)
        expect(console.rows().first).to_be_visible()
        for word in ("Replicas", "Coordinator", "Move"):
            assert page.locator("main").get_by_text(word, exact=True).count() == 0, word
    several = Console(console.browser, console.others["several"])
    several.post("/brokers/preferred")
    page = several.visit("#/topic?topic=orders", "Topic orders")
    row = several.rows().first
    (partition,) = several.get("/partitions?topic=orders")["partitions"]
    first, second, third = partition["replicas"]
    assert partition["leader"] == first
    for to in (second, third):
        row.get_by_role("button", name=f"Let broker {to} lead partition 0").click()
        expect(row.locator("td[data-label=Leader]")).to_have_text(str(to))
        expect(row.get_by_role("button", name=f"Let broker {to} lead")).to_have_count(0)
    expect(row.locator("td[data-label=Replicas]")).to_have_text(f"{first}, {second}, {third}")
    several.post("/brokers/isr/shrink", topic="orders", partition=0, node_id=second)
    expect(row.locator("td[data-label='In sync'] .badge.warn")).to_be_visible()
    expect(row.get_by_role("button")).to_have_text([str(first)])
    several.post("/brokers/isr/grow", topic="orders", partition=0, node_id=second)
    expect(row.locator("td[data-label='In sync']")).to_have_text("1, 2, 3")
    page = several.visit("#/", "Overview")
    page.get_by_role("button", name="Elect preferred leaders").click()
    expect(page.locator("#outcome")).to_contain_text("led by the first replica again.")
    assert several.get("/partitions?topic=orders")["partitions"][0]["leader"] == first
    page.get_by_role("button", name="Elect preferred leaders").click()
    expect(page.locator("#outcome")).to_contain_text("No leader changed")
    page = several.visit("#/group?group=billing", "Group billing")
    coordinator = page.locator(".facts > div").filter(has=page.get_by_text("Coordinator", exact=True))
    for to in (1, 2, 3):
        if f"Coordinator{to}" != coordinator.text_content():
            page.get_by_role("button", name=f"Let broker {to} coordinate the group").click()
        expect(coordinator).to_have_text(f"Coordinator{to}")
    for address in ("#/", "#/topic?topic=orders", "#/group?group=billing"):
        page.goto("about:blank")
        page = several.visit(address)
        expect(several.rows().first).to_be_visible()
        assert page.evaluate(FAINT) == [], address
        assert page.evaluate(UNNAMED) == [], address
        for width in (1280, 400, 320):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(TOO_WIDE) <= 0, (address, width)
        page.set_viewport_size({"width": 1280, "height": 800})
    assert several.problems == []
    page.context.close()


def check_groups_are_searched_and_listed_by_name(console: Console) -> None:
    page = console.visit("#/groups", "Groups")
    expect(console.rows().first).to_contain_text("analytics")
    page.get_by_label("Search").fill("WARE")
    expect(console.rows()).to_have_count(1)
    assert page.url.endswith("#/groups?search=WARE")
    page.reload()
    expect(console.rows()).to_have_count(1)
    page.get_by_label("Search").fill("no such group")
    expect(page.locator(".empty")).to_have_text("No group has this in its id.")
    page.get_by_label("Search").fill("")
    page.get_by_label("First").select_option("by name")
    names = [each["group"] for each in console.get("/groups/summary?limit=100")["groups"]]
    expect(console.rows()).to_have_count(len(names))
    assert console.rows().locator("td:first-child").all_text_contents() == [
        each or "(empty id)" for each in names
    ]


def check_lists_of_many_groups_come_in_pages(console: Console) -> None:
    many = Console(console.browser, console.others["many"])
    page = many.visit("#/groups?by=name", "Groups")
    expect(page.locator("main .note")).to_have_text("50 of 1,000 groups. Next")
    page.get_by_role("link", name="Next").click()
    expect(many.rows().first).to_contain_text("group-0050")
    page.get_by_role("link", name="First page").click()
    expect(many.rows().first).to_contain_text("group-0000")
    page.go_back()
    expect(many.rows().first).to_contain_text("group-0050")


def check_a_page_with_many_groups_is_shown_at_once(console: Console) -> None:
    """From the response until the document is changed: the best of some readings. bench/console.py measures
    the response.
    """
    many = Console(console.browser, console.others["many"])
    for address in ("#/", "#/groups", "#/groups?by=name", "#/topic?topic=orders", "#/group?group=group-0007"):
        page = many.visit(address)
        taken = []
        for _ in range(5):
            many.read()
            taken.append(page.evaluate("performance.getEntriesByName('show')[0].duration"))
        assert min(taken) < SHOW_MS_MAX, (address, taken)


def check_a_group_shows_lag_owners_rules_and_rebalances(console: Console) -> None:
    page = console.visit("#/group?group=billing", "Group billing")
    lag = page.get_by_role("region", name="Lag by partition").locator("tr.row")
    assert lag.first.text_content() == "orders 17341114billing-1just now\u2013"
    parts = lag.locator(".bar").evaluate_all(
        "(bars) => bars.map((bar) => bar.style.getPropertyValue('--part'))"
    )
    assert float(parts[0]) == 1
    assert 0 < float(parts[1]) < 1
    expiry = page.get_by_role("region", name="Expiry")
    assert expiry.locator("li").count() == 2
    expect(expiry).to_contain_text("1 offset expires in 7d 00:00:00")
    expect(expiry).to_contain_text(
        "No member of group billing is subscribed to payments", use_inner_text=True
    )
    members = page.get_by_role("region", name="Members").locator("tr.row").all_text_contents()
    assert [each.partition("/")[0] for each in members] == ["billing-1 ", "billing-2 "]
    assert all("orders " in each for each in members)
    expect(page.get_by_role("region", name="Last rebalances").locator("tr.row")).to_have_count(2)
    expect(page.locator("#why")).to_contain_text("Group billing is Stable")
    page.get_by_role("link", name="payments", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Topic payments")


def check_a_group_that_does_not_exist_says_so(console: Console) -> None:
    console.expected.add(404)
    page = console.visit("#/group?group=never-there", "Group never-there")
    expect(page.get_by_role("alert")).to_have_text("there is no group 'never-there'")


def check_topics_and_a_topic(console: Console) -> None:
    page = console.visit("#/topics", "Topics")
    expect(console.rows("__consumer_offsets")).to_contain_text("internal")
    page.get_by_label("Search").fill("ORD")
    expect(console.rows()).to_have_count(1)
    assert console.rows().first.text_content().startswith("orders642041.9 KiB")
    page.get_by_role("link", name="orders", exact=True).click()
    expect(page.locator("h1")).to_have_text("Topic orders")
    settings = page.get_by_role("region", name="Settings")
    set_here = settings.locator("> table tr.row").all_text_contents()
    assert set_here[0].startswith("cleanup.policycompact,deletetopic")
    assert [each for each in set_here if each.endswith("default")] == []
    settings.get_by_text("34 defaults").click()
    expect(settings.locator("details tr.row").first).to_be_visible()
    console.read()
    expect(settings.locator("details tr.row").first).to_be_visible()
    groups = page.get_by_role("region", name="Groups").locator("tr.row")
    expect(groups.filter(has_text="billing")).to_contain_text("134")
    page.get_by_role("link", name="Browse records").click()
    expect(page.locator("h1")).to_have_text("Records of orders")


def check_records_are_browsed(console: Console) -> None:
    page = console.visit("#/records", "Records")
    page.get_by_role("link", name="orders", exact=True).click()
    expect(page.locator("h1")).to_have_text("Records of orders")
    expect(console.rows()).to_have_count(60)
    page.get_by_label("Partition").first.select_option("3")
    expect(console.rows()).to_have_count(25)
    expect(console.rows().first).to_contain_text("56")
    page.get_by_role("combobox", name="From").select_option("an offset")
    page.get_by_label("Offset", exact=True).fill("55")
    page.get_by_label("Offset", exact=True).press("Enter")
    expect(console.rows()).to_have_count(2)
    assert page.url.endswith("#/records?topic=orders&partition=3&start=offset&at=55")
    page.get_by_role("combobox", name="From").select_option("a time (UTC)")
    page.get_by_label("Time", exact=True).fill("2026-11-07T11:00:00")
    page.get_by_label("Time", exact=True).blur()
    expect(page.locator(".empty")).to_have_text("No record here.")
    page.get_by_label("Time", exact=True).fill("2026-11-01T10:00:00")
    page.get_by_label("Time", exact=True).blur()
    expect(console.rows()).to_have_count(57)
    page.get_by_role("combobox", name="From").select_option("the beginning")
    page.get_by_label("Partition").first.select_option("all")
    expect(console.rows()).to_have_count(100)
    page.get_by_role("link", name="Next records").click()
    expect(console.rows().first).to_contain_text("11")
    page.get_by_label("committed only").check()
    assert "committed=true" in page.url
    page.get_by_label("Topic", exact=True).fill("no such topic")
    console.expected.add(404)
    page.get_by_label("Topic", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_have_text("there is no topic 'no such topic'")


def check_a_record_is_written_and_opened(console: Console) -> None:
    console.post("/seed", topics={"written": {"partitions": 2}})
    page = console.visit("#/records?topic=written", "Records of written")
    form = page.get_by_role("form", name="Write a record")
    form.get_by_label("Key").fill("<b>key</b>")
    form.get_by_label("Value", exact=True).fill('{"total": 5, "a": "<script>alert(6)</script>"}')
    form.get_by_label("Headers").fill("trace: a:b\n<i>: \u202etxt")
    form.get_by_label("Partition").fill("1")
    form.get_by_role("button", name="Write").click()
    expect(page.locator("#outcome")).to_contain_text("Written: partition 1, offset 0.")
    expect(form.get_by_label("Value", exact=True)).to_have_value("")
    expect(console.rows()).to_have_count(1)
    console.rows().get_by_role("button").click()
    detail = page.locator("tr.detail")
    expect(detail.locator("pre").nth(0)).to_have_text("<b>key</b>")
    expect(detail.locator("pre").nth(1)).to_have_text(
        '{\n  "total": 5,\n  "a": "<script>alert(6)</script>"\n}'
    )
    assert detail.locator("dd").all_text_contents() == ["a:b", "\u202etxt"]
    detail.get_by_role("button", name="Hex").click()
    expect(detail.locator("pre").nth(1)).to_contain_text("000000  7b 22 74 6f 74 61 6c")
    detail.get_by_role("button", name="Text").click()
    expect(detail.locator("pre").nth(1)).to_contain_text('{"total": 5')
    detail.get_by_role("button", name="Auto").click()
    console.rows().get_by_role("button").click()
    expect(detail).to_have_count(0)
    form.get_by_label("Partition").fill("7")
    console.expected.add(409)
    form.get_by_role("button", name="Write").click()
    expect(page.locator("#outcome [role=alert]")).to_contain_text("the topic has 2 partitions")
    form.get_by_label("Partition").fill("0")
    form.get_by_label("a tombstone").check()
    form.get_by_role("button", name="Write").click()
    expect(console.rows()).to_have_count(2)
    expect(console.rows().filter(has_text="null")).to_have_count(1)
    page.get_by_role("button", name="Close").first.click()
    expect(page.locator("#outcome")).to_be_empty()


def check_a_value_of_10_mb_is_cut_with_its_size(console: Console) -> None:
    with console.page.expect_response(lambda response: "/v1/records" in response.url) as response:
        page = console.visit("#/records?topic=large", "Records of large")
    assert len(response.value.body()) < 2_000
    expect(console.rows().filter(has_text="cut: 10,485,760 bytes")).to_have_count(1)
    console.rows().filter(has_text="cut").get_by_role("button").click()
    expect(page.locator("tr.detail")).to_contain_text("cut: 10,485,760 bytes")
    page.locator("tr.detail").get_by_role("button", name="JSON").click()
    expect(page.locator("tr.detail pre").nth(0)).to_contain_text("This is no JSON.")
    page.locator("tr.detail").get_by_role("button", name="Auto").click()
    avro = console.rows().filter(has_text="schema 258")
    avro.get_by_role("button").click()
    expect(page.locator("tr.detail").filter(has_text="schema id 258 of a registry")).to_contain_text(
        "00 00 00 01 02 06 61 62 63"
    )


def check_requests_are_filtered_paused_and_opened(console: Console) -> None:
    page = console.visit("#/requests", "Requests")
    expect(console.rows()).to_have_count(50)
    page.get_by_label("errors only").check()
    expect(console.rows()).to_have_count(1)
    failed = console.rows().first
    expect(failed).to_contain_text("OffsetCommit v8billing-2, ordersbilling-2NOT_COORDINATOR")
    expect(failed.locator(".badge.bad")).to_have_text("NOT_COORDINATOR")
    failed.get_by_role("button").click()
    expect(page.locator("pre").nth(0)).to_contain_text('"CommittedOffset": 7')
    expect(page.locator("pre").nth(1)).to_contain_text('"ErrorCode": 16')
    expect(page.locator("tr.detail")).to_contain_text("Faults that were applied: 1.")
    page.get_by_role("link", name="Clear").click()
    expect(console.rows()).to_have_count(50)
    page.get_by_label("API").fill("EndTxn")
    page.get_by_label("API").press("Enter")
    expect(console.rows()).to_have_count(1)
    page.get_by_label("API").fill("EndTx")
    console.expected.add(422)
    page.get_by_label("API").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'EndTxn'?")
    page.get_by_label("API").fill("")
    for label, value in (("Group", "warehouse"), ("Topic", "shipments"), ("Client id", "warehouse-eu")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    expect(console.rows()).to_have_count(4)
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    expect(page.locator(".badge").filter(has_text="paused")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    console.read()
    expect(console.rows()).to_have_count(4)
    page.get_by_role("button", name="Resume").click()
    expect(console.rows()).to_have_count(50)


def check_faults_are_set_released_and_removed(console: Console) -> None:
    page = console.visit("#/faults", "Faults")
    faults = page.locator("#faults li")
    expect(faults).to_have_count(3)
    expect(faults.nth(1)).to_contain_text("1 request waiting")
    page.get_by_role("button", name="Release fault 2").click()
    expect(page.locator("#outcome")).to_contain_text("1 request released.")
    form = page.get_by_role("form", name="Set a fault")
    form.get_by_label("API", exact=True).fill("OffsetComit")
    form.get_by_label("Group", exact=True).fill("readers")
    form.get_by_label("Error", exact=True).fill("NOT_COORDINATOR")
    form.get_by_label("Times").fill("2")
    console.expected.add(422)
    form.get_by_label("For ms").press("Enter")
    expect(form.get_by_label("API", exact=True)).to_be_focused()
    expect(page.locator("#outcome [role=alert]")).to_contain_text(
        "'OffsetComit'; did you mean 'OffsetCommit'?"
    )
    assert form.locator("[aria-invalid]").count() == 1
    form.get_by_label("API", exact=True).fill("OffsetCommit")
    form.get_by_role("button", name="Set the fault").click()
    expect(faults.nth(3)).to_contain_text(
        "The next 2 OffsetCommit of group readers get NOT_COORDINATOR; 0 of 2 matched."
    )
    expect(form.get_by_label("API", exact=True)).to_have_value("")
    form.get_by_text("More filters").click()
    form.get_by_label("Nth").fill("3")
    form.get_by_label("Client id").fill("<img src=x onerror=alert(5)>")
    form.get_by_label("Action", exact=True).select_option("block")
    form.get_by_role("combobox", name="When").select_option("after")
    expect(form.get_by_label("Error", exact=True)).to_be_hidden()
    form.get_by_role("button", name="Set the fault").click()
    expect(faults.nth(4)).to_contain_text(
        'The 3rd request of client "<img src=x onerror=alert(5)>" waits after the decision'
    )
    form.get_by_label("Action", exact=True).select_option("disk")
    expect(form.get_by_label("Delay ms")).to_be_visible()
    last = console.get("/faults")["faults"][-1]
    assert last["fault"] == {
        "client_id": "<img src=x onerror=alert(5)>",
        "nth": 3,
        "block": True,
        "when": "after",
    }
    page.get_by_role("button", name=f"Remove fault {last['id']}").click()
    expect(faults).to_have_count(4)
    page.get_by_role("button", name="Remove all").click()
    expect(page.locator("#outcome")).to_contain_text("4 faults removed.")
    expect(page.locator("main .empty")).to_have_text("No fault is set.")


def check_transactions_show_what_they_hold_back(console: Console) -> None:
    page = console.visit("#/transactions", "Transactions")
    held = page.get_by_role("article").filter(has_text="checkout")
    expect(held).to_contain_text("holds back 5 records")
    expect(held).to_contain_text("Consumers with isolation.level=read_committed do not see payments-0")
    assert held.locator("tr.row").nth(1).text_content() == "payments 029323this transaction"
    expect(held).to_contain_text("Pending offsets: billing orders 1")
    expect(console.rows("refunds")).to_contain_text("CompleteCommit")
    page.get_by_label("Topic").fill("orders")
    page.get_by_label("Topic").press("Enter")
    expect(page.locator(".empty").first).to_have_text("No transaction is open.")


def check_time_is_moved_frozen_and_resumed(console: Console) -> None:
    """The last of those that need the scene as it was: it removes offsets."""
    console.expected.add(404)
    page = console.visit("#/group?group=billing", "Group billing")
    expect(page.locator("#drawer")).to_be_hidden()
    page.get_by_role("button", name="Move time", exact=True).click()
    drawer = page.get_by_role("form", name="Move time")
    expect(drawer.get_by_role("button", name="Freeze")).to_be_disabled()
    drawer.get_by_role("button", name="+1 hour").click()
    expect(page.locator("#outcome")).to_contain_text("Time moved by +01:00:00: 0 offsets removed")
    expect(page.locator("#now")).to_have_text("2026-11-07 13:00:00 UTC")
    drawer.get_by_role("button", name="Resume").click()
    expect(drawer.get_by_role("button", name="Resume")).to_be_disabled()
    drawer.get_by_role("button", name="Freeze").click()
    drawer.get_by_label("Amount").fill("30")
    drawer.get_by_label("Unit").select_option("minutes")
    drawer.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator("#outcome")).to_contain_text("Time moved by +00:30:00")
    console.visit("#/group?group=analytics", "Group analytics")
    page.get_by_role("button", name="Move time to its next expiry").click()
    expect(page.locator("#outcome")).to_contain_text("offsets removed")
    expect(page.locator("#outcome li").first).to_contain_text("was removed at 2026-11-08T10:00:00Z")
    expect(page.get_by_role("alert")).to_have_text("there is no group 'analytics'")
    expect(page.get_by_role("region", name="Removed offsets").locator("li")).to_have_count(12)
    drawer.get_by_label("runs a cleanup pass").uncheck()
    drawer.get_by_role("button", name="+1 day").click()
    expect(page.locator("#outcome")).to_contain_text("Time moved by +1d 00:00:00: 0 offsets removed")
    drawer.get_by_role("button", name="Run a cleanup pass").click()
    expect(page.locator("#outcome")).to_contain_text("Time did not move")


def check_hostile_ids_are_text_and_their_links_work(console: Console) -> None:
    for name in console.hostile:
        page = console.visit("#/groups?by=name", "Groups")
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator("h1")).to_have_text(f"Group {name}")
        page.reload()
        expect(page.locator("h1")).to_have_text(f"Group {name}")
        expect(page.get_by_role("region", name="Lag by partition").locator("tr.row")).to_have_count(6)
        expect(page.get_by_role("region", name="Lag by partition")).to_contain_text(name)
        assert page.evaluate(TOO_WIDE) <= 0
    console.expected.add(404)
    page = console.visit("#/topic?topic=%3Cscript%3Ealert(7)%3C/script%3E", "Topic <script>alert(7)</script>")
    expect(page.get_by_role("alert")).to_have_text("there is no topic '<script>alert(7)</script>'")
    assert page.locator("main img, main script, main svg").count() == 0


def check_the_keyboard_is_enough(console: Console) -> None:
    page = console.visit("#/", "Overview")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the content")).to_be_focused()
    assert page.locator(":focus").evaluate("(each) => getComputedStyle(each).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator("h1")).to_have_text("Groups")
    page.keyboard.press("/")
    page.keyboard.type("se")
    expect(console.rows()).to_have_count(2)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("search-indexer")
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_text("warehouse")
    console.read()
    expect(page.locator(":focus")).to_have_text("warehouse")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Group search-indexer")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator("#drawer")).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator("#drawer")).to_be_hidden()
    before = page.evaluate(BACKGROUND)
    page.keyboard.press("d")
    assert page.evaluate(BACKGROUND) != before


def check_every_page_is_readable_and_fits_in_light_and_dark(console: Console) -> None:
    for theme in ("light", "dark"):
        one = Console(console.browser, console.url, color_scheme=theme)
        for name, (address, click) in PAGES.items():
            one.page.goto("about:blank")
            page = one.visit(address)
            expect(page.locator("h1").first).to_be_attached()
            if click is not None and page.locator(click).count() > 0:
                page.locator(click).first.click()
            assert page.evaluate(FAINT) == [], (name, theme)
            assert page.evaluate(UNNAMED) == [], name
            for width in (1280, 400, 320):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate(TOO_WIDE) <= 0, (name, width)
            page.set_viewport_size({"width": 1280, "height": 800})
        assert one.problems == []
        page.context.close()


def check_the_theme_is_the_systems_or_the_readers(console: Console) -> None:
    dark = Console(console.browser, console.url, color_scheme="dark")
    system = dark.visit("#/", "Overview").evaluate(BACKGROUND)
    light = Console(console.browser, console.url)
    page = light.visit("#/", "Overview")
    assert page.evaluate(BACKGROUND) != system
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(BACKGROUND) == system
    page.reload()
    expect(page.get_by_role("button", name="Light")).to_be_visible()
    assert page.evaluate(BACKGROUND) == system


def check_nothing_moves_when_the_page_reads_again(console: Console) -> None:
    for address in ("#/", "#/group?group=warehouse", "#/records?topic=orders"):
        page = console.visit(address)
        console.read()
        page.evaluate(SHIFTS)
        console.read()
        console.read()
        assert page.evaluate("window.shifts") == [], address


def check_the_page_says_when_the_broker_does_not_respond(console: Console) -> None:
    page = console.visit("#/groups", "Groups")
    expect(page.locator("#connection")).to_be_hidden()
    page.route("**/v1/**", lambda route: route.abort())
    expect(page.locator("#connection")).to_contain_text("The broker does not respond. Last response:")
    expect(console.rows().first).to_be_visible()
    page.unroute("**/v1/**")
    expect(page.locator("#connection")).to_be_hidden()
    console.problems = [each for each in console.problems if "ERR_FAILED" not in each]


def check_the_console_is_read_only_without_the_test_api(console: Console) -> None:
    one = Console(console.browser, console.others["read only"])
    one.expected.add(403)
    page = one.visit("#/", "Overview")
    expect(page.locator("#read-only")).to_be_visible()
    assert page.locator("#sections a").all_text_contents() == ["Overview", "Groups", "Topics", "Transactions"]
    assert page.get_by_role("button", name="Move time").count() == 0
    for address in ("records", "requests", "faults"):
        one.visit(f"#/{address}")
        expect(page.locator("#needs-test-api")).to_have_text(
            "This needs the test API: start the broker with --test-api."
        )
        assert page.locator("main form").count() == 0
    assert one.problems == []


def check_the_documentation_is_shown_with_its_sections(console: Console) -> None:
    page = console.visit("docs/http.md#errors")
    expect(page.locator("#errors")).to_be_in_viewport()
    assert page.title() == "tidemark: HTTP API"
    assert page.locator("article table").count() > 3


CHECKS: Final[dict[str, Callable[[Console], None]]] = {
    name: found for name, found in globals().items() if name.startswith("check_")
}
# This one removes offsets: it runs when the others have seen them.
LAST: Final = "check_time_is_moved_frozen_and_resumed"


def check(browser: Any, url: str, others: str, hostile: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    Console.others, Console.hostile = json.loads(others), json.loads(hostile)
    for name in sorted(CHECKS, key=lambda each: each == LAST):
        console = Console(browser, url)
        try:
            CHECKS[name](console)
            assert console.problems == [], console.problems
            found[name] = None
        except (AssertionError, Error):
            found[name] = f"{console.page.url}\n{traceback.format_exc()}"
        console.page.context.close()
    return found


def shots(browser: Any, url: str, folder: str) -> None:
    for theme in ("light", "dark"):
        for width, height in WIDTHS.items():
            one = Console(browser, url, color_scheme=theme, viewport={"width": width, "height": height})
            for name, (address, click) in PAGES.items():
                one.page.goto("about:blank")  # a change of the hash alone would not load the page
                page = one.visit(address)
                expect(page.locator("h1").first).to_be_attached()
                if click is not None:
                    page.locator(click).first.click()
                    page.wait_for_timeout(150)
                page.screenshot(path=Path(folder) / f"{name}-{width}-{theme}.png", full_page=True)


def main(what: str, *arguments: str) -> Any:
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        # Tests run as root in containers, where Chromium's own sandbox does not work.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        return {"check": check, "shots": shots}[what](browser, *arguments[:3])


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
