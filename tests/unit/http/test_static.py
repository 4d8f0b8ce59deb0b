"""The console and the documentation as files of the HTTP port."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broker_process import ROOT
from tests.unit.http.asking import Answer, Asked, asked
from tidemark_http.responses import ERRORS_PAGE, PAGES
from tidemark_http.static import CONSOLE, Folder

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPTS = [*CONSOLE.rglob("*.js")]
MARKUP = [*CONSOLE.glob("*.html")]


@pytest.fixture(scope="module")
def served() -> Iterator[Asked]:
    with asked() as broker:
        yield broker


def fetch(
    broker: Asked, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[Answer, bytes]:
    answer = broker.ask(method, path, headers=headers)
    return answer, answer.raw


def test_a_browser_gets_the_page_and_other_clients_the_index(served: Asked) -> None:
    response, body = fetch(served, "/", HTML)
    assert (response.status, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert body == (CONSOLE / "index.html").read_bytes()
    assert response.headers["vary"] == "Accept"
    response, body = fetch(served, "/", {"Accept": "*/*"})
    assert response.headers["content-type"] == "application/json"
    assert b"GET /v1/groups/summary" in body


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/console/main.js", "text/javascript; charset=utf-8"),
        ("/console/console.css", "text/css; charset=utf-8"),
        ("/console/icon.svg", "image/svg+xml"),
        ("/console/pages/group.js", "text/javascript; charset=utf-8"),
        ("/docs/http.md", "text/plain; charset=utf-8"),
        ("/docs/architecture.svg", "image/svg+xml"),
        ("/docs/decisions/0003-no-rollback.md", "text/plain; charset=utf-8"),
    ],
)
def test_each_file_has_its_type_and_may_load_nothing_from_elsewhere(
    served: Asked, path: str, content_type: str
) -> None:
    response, body = fetch(served, path)
    assert (response.status, response.headers["content-type"]) == (200, content_type)
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert not re.search(r"unsafe|https?:|data:|\*", policy)
    assert int(response.headers["content-length"]) == len(body) > 0


def test_head_has_the_headers_alone(served: Asked) -> None:
    response, body = fetch(served, "/console/main.js", method="HEAD")
    assert (response.status, body) == (200, b"")
    assert int(response.headers["content-length"]) == (CONSOLE / "main.js").stat().st_size


def test_a_known_file_is_not_sent_again(served: Asked) -> None:
    response, _ = fetch(served, "/console/main.js")
    assert response.headers["cache-control"] == "no-cache"
    tag = response.headers["etag"]
    response, body = fetch(served, "/console/main.js", {"If-None-Match": f'"other", {tag}'})
    assert (response.status, body, response.headers["etag"]) == (304, b"", tag)
    assert fetch(served, "/console/main.js", {"If-None-Match": '"other"'})[0].status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/console",
        "/console/",
        "/console/nothing.js",
        "/console/../app.py",
        "/console/%2e%2e/app.py",
        "/console/..%2fapp.py",
        "/console//etc/passwd",
        "/docs/../pyproject.toml",
        "/docs/nothing.md",
        "/docs/decisions",
    ],
)
def test_only_known_files_are_served(served: Asked, path: str) -> None:
    for headers in (None, HTML):
        response, body = fetch(served, path, headers)
        assert (response.status, response.headers["content-type"]) == (404, "application/json"), body


def test_files_cannot_be_changed(served: Asked) -> None:
    assert fetch(served, "/console/main.js", method="POST")[0].status == 405


def test_the_documentation_is_a_page_in_a_browser_and_markdown_elsewhere(served: Asked) -> None:
    viewer = (CONSOLE / "docs.html").read_bytes()
    assert fetch(served, "/docs", HTML)[1] == fetch(served, "/docs/http.md", HTML)[1] == viewer
    assert fetch(served, "/docs/http.md")[1] == (ROOT / "docs" / "http.md").read_bytes()
    listed = fetch(served, "/docs")[1].decode().splitlines()
    assert "/docs/testing.md" in listed
    assert all(fetch(served, path)[0].status == 200 for path in listed)


def slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("link", sorted({ERRORS_PAGE, *PAGES.values()}))
def test_each_error_names_a_section_that_exists(link: str) -> None:
    page, _, anchor = link.removeprefix("/docs/").partition("#")
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert anchor in {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def test_an_error_names_the_page_that_helps(served: Asked) -> None:
    refused = served.ask("POST", "/v1/cleanup").value["error"]
    assert (refused["code"], refused["documentation"]) == ("test_api_off", "/docs/http.md#moving-time")
    assert served.get("/groups", group="nobody").value["error"]["documentation"] == ERRORS_PAGE


@pytest.mark.parametrize("path", [*SCRIPTS, *MARKUP], ids=lambda path: path.name)
def test_no_text_of_the_broker_can_become_markup(path: Path) -> None:
    text = path.read_text("utf-8")
    for unsafe in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "DOMParser",
        "srcdoc",
    ):
        assert unsafe not in text
    assert not re.search(r"""\son\w+=["']|<script>|style=|javascript:""", text)


@pytest.mark.parametrize("path", MARKUP, ids=lambda path: path.name)
def test_pages_load_existing_files_of_this_port_alone(path: Path) -> None:
    names = Folder(CONSOLE).names
    for link in re.findall(r'(?:src|href)="([^"]+)"', path.read_text("utf-8")):
        assert (
            link.startswith(("/docs", "/v1", "#")) or link == "/" or link.removeprefix("/console/") in names
        )
    for script in SCRIPTS:
        for module in re.findall(r'from "([^"]+)"', script.read_text("utf-8")):
            assert (script.parent / module).resolve().relative_to(CONSOLE).as_posix() in names


def test_sentences_are_the_brokers() -> None:
    """The page shows `explanation`. The rule and its words have their home in tidemark_expiry."""
    for path in SCRIPTS:
        assert not re.search(
            r"cleanup pass from|offsets\.retention\.minutes|does not restart", path.read_text("utf-8")
        )
