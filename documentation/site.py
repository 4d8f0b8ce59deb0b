"""Hooks of MkDocs: the pages at the root of the repository are part of the site.

The README is the start page. Links between the pages work in the repository and on the site alike. A link to
a file of the repository that is no page becomes plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mkdocs.structure.files import File

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
LINK: Final = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages at the root of the repository."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page to where their targets are on the site."""
    uri = page.file.src_uri
    sources = {page: source for source, page in PAGES.items()}
    return rewritten(markdown, source=sources.get(uri, f"docs/{uri}"), page=uri)


def rewritten(markdown: str, *, source: str, page: str) -> str:
    """Return the text of a file of the repository with the links that it has as a page of the site."""

    def link(found: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(source).parent / found["path"])
        if target in PAGES:
            on_site = PAGES[target]
        elif target.startswith("docs/") and (ROOT / target).is_file():
            on_site = target.removeprefix("docs/")
        else:
            return found["text"].strip("![]")
        relative = os.path.relpath(on_site, PurePosixPath(page).parent)
        return f"{found['text']}({relative}{found['anchor'] or ''})"

    return LINK.sub(link, markdown)
