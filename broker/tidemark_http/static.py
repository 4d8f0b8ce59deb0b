"""Files that the HTTP port serves: the console, and the documentation.

Only files that are found when the server starts are served, by their exact names.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

HERE: Final = Path(__file__).resolve().parent
CONSOLE: Final = HERE / "console"
# The wheel has the documentation inside of the package, a checkout beside it.
DOCS: Final = (HERE / "docs", HERE.parents[1] / "docs")
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
# Nothing but this port: no inline script, no style in markup, no form, no frame around the page.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # asks each time, and gets 304: a new version shows at once
    "Vary": "Accept",
}


class Folder:
    """The files below a folder that have a type in `TYPES`, by their path with slashes. Read once each."""

    def __init__(self, root: Path) -> None:
        found = sorted(path for path in root.rglob("*") if path.suffix in TYPES and path.is_file())
        self._paths = {path.relative_to(root).as_posix(): path for path in found}

    @property
    def names(self) -> list[str]:
        return list(self._paths)

    def response(self, request: Request, name: str) -> Response | None:
        """Return the file, or 304 if the client has it. None: there is no such file."""
        path = self._paths.get(name)
        if path is None:
            return None
        content, etag = _read(path)
        headers = {**HEADERS, "ETag": etag}
        if etag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "Content-Type": TYPES[path.suffix]})


def docs_folder() -> Folder:
    return Folder(next((path for path in DOCS if path.is_dir()), DOCS[0]))


def wants_html(request: Request) -> bool:
    """Return whether a browser wants to show the response. curl and libraries accept anything."""
    return "text/html" in request.headers.get("accept", "")


@cache
def _read(path: Path) -> tuple[bytes, str]:
    """Return the content and its ETag."""
    content = path.read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'
