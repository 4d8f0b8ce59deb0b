"""Certificates of the tests, made by make.sh: an authority, a server for `localhost`, a client."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
CA: Final = FOLDER / "ca.pem"
SERVER: Final = FOLDER / "server.pem"  # key and chain
SERVER_STORES: Final = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": str(SERVER),
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": str(CA),
}
CLIENT: Final = FOLDER / "client.pem"
CLIENT_LOCKED: Final = FOLDER / "client-locked.pem"  # its key has KEY_PASSWORD
CLIENT_PKCS12: Final = FOLDER / "client.p12"  # has STORE_PASSWORD
KEY_PASSWORD: Final = "key-secret"
STORE_PASSWORD: Final = "store-secret"
