"""SCRAM users that a new cluster begins with."""

from __future__ import annotations

from tests.conformance.build_sasl import ScramClient, authenticate, handshake
from tests.unit.broker.whole import Client, running
from tidemark_testing.storage import MemoryStorage

SETTINGS = {
    "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
}
USERS = "SCRAM-SHA-256=[name=alice,password=alice-secret],SCRAM-SHA-512=[name=alice,password=other]"


async def may_log_in(client: Client, mechanism: str, password: str) -> bool:
    exchange = ScramClient(mechanism, "alice", password)
    await client.ask(*handshake(mechanism))
    begun = await client.ask(*authenticate(exchange.first()))
    if begun["ErrorCode"]:
        return False
    ended = await client.ask(*authenticate(exchange.final(bytes.fromhex(begun["AuthBytes"]))))
    return ended["ErrorCode"] == 0 and exchange.accepts(bytes.fromhex(ended["AuthBytes"]))


async def test_first_users_log_in_until_other_credentials_are_stored() -> None:
    storage = MemoryStorage()
    async with running(storage, **SETTINGS, **{"tidemark.scram.users": USERS}) as whole:
        assert await may_log_in(await whole.client(), "SCRAM-SHA-256", "alice-secret")
        assert await may_log_in(await whole.client(), "SCRAM-SHA-512", "other")
        assert "secret" not in str(whole.lines.lines)
    later = {"tidemark.scram.users": "SCRAM-SHA-256=[name=alice,password=changed]"}
    async with running(storage, **SETTINGS, **later) as whole:
        assert await may_log_in(await whole.client(), "SCRAM-SHA-256", "alice-secret")
