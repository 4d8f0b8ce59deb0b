"""Tokens for OAUTHBEARER, and its messages (RFC 7628). The keys in this folder protect nothing."""

from __future__ import annotations

import json
import time
import warnings
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path
from typing import Any, Final

import jwt

FOLDER: Final = Path(__file__).parent
JWKS: Final = FOLDER / "jwks.json"
ALGORITHMS: Final = {
    "rsa": "RS256",
    "other": "RS256",
    "ec": "ES256",
    "ed": "EdDSA",
    "hmac": "HS256",
    "weak": "HS256",
}


def claims(**changes: Any) -> dict[str, Any]:
    """Return the claims of a token that is valid for an hour. A change to None removes the claim."""
    now_s = int(time.time())
    valid = {"sub": "alice", "iat": now_s - 10, "exp": now_s + 3600, **changes}
    return {name: value for name, value in valid.items() if value is not None}


def encoded(part: bytes) -> str:
    return urlsafe_b64encode(part).rstrip(b"=").decode()


def unsecured(told: Any, header: Any = None) -> str:
    """Return a token without a signature. Bytes are used as they are in place of JSON."""
    parts = ({"alg": "none"} if header is None else header, told)
    return ".".join(encoded(p if isinstance(p, bytes) else json.dumps(p).encode()) for p in parts) + "."


def signed(told: dict[str, Any] | bytes, key: str = "rsa", algorithm: str = "", **headers: Any) -> str:
    """Return a token that a key of this folder has signed. headers: None leaves one out."""
    algorithm = algorithm or ALGORITHMS[key]
    given = {name: value for name, value in {"kid": key, **headers}.items() if value is not None}
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a weak key
        return jwt.PyJWS().encode(body, _private_key(key, algorithm), algorithm, given)


@cache
def _private_key(key: str, algorithm: str) -> Any:
    """Return a private key of this folder. Checking one of RSA needs 50 ms."""
    private = {each["kid"]: each for each in json.loads((FOLDER / "private.json").read_text())["keys"]}
    return jwt.PyJWK(private[key], algorithm).key


def first_message(token: str, authorization_id: str = "", extensions: str = "") -> bytes:
    """Return the first message of a client. extensions: key=value\\x01..."""
    identity = f"a={authorization_id}" if authorization_id else ""
    return f"n,{identity},\x01auth=Bearer {token}\x01{extensions}\x01".encode()
