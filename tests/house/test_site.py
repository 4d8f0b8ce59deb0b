"""The documentation builds as a site, without network, and all of its links and anchors resolve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from documentation.site import rewritten

ROOT = Path(__file__).resolve().parents[2]
NO_NETWORK = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
QUIET = {"NO_MKDOCS_2_WARNING": "1"}


@pytest.mark.slow
def test_site_builds_without_broken_links_or_network(tmp_path: Path) -> None:
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, **NO_NETWORK, **QUIET},
    )  # fmt: skip
    assert build.returncode == 0, build.stderr
    assert "assert_expired" in (tmp_path / "reference.html").read_text("utf-8")


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert page.relative_to(ROOT / "docs").as_posix() in navigation


@pytest.mark.parametrize(
    ("source", "page", "markdown", "on_site"),
    [
        ("README.md", "index.md", "[a](docs/http.md#x)", "[a](http.md#x)"),
        ("docs/kips.md", "kips.md", "[a](../CONTRIBUTING.md)", "[a](CONTRIBUTING.md)"),
        ("docs/decisions/x.md", "decisions/x.md", "[a](../../README.md)", "[a](../index.md)"),
        ("docs/kips.md", "kips.md", "[a](../tests/needs.py)", "a"),
        ("docs/kips.md", "kips.md", "[a](https://kafka.apache.org)", "[a](https://kafka.apache.org)"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(
    source: str, page: str, markdown: str, on_site: str
) -> None:
    assert rewritten(markdown, source=source, page=page) == on_site
