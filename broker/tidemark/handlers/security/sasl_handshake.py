"""SaslHandshake: the client chooses a mechanism.

v0  the tokens follow without Kafka's headers
v1  SaslAuthenticate requests follow

A client that has authenticated may begin again if its session expires (KIP-368).
"""

from __future__ import annotations

from typing import Any

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.decision import CloseConnection, Decision
from tidemark.core.log_text import short
from tidemark.handlers.routes import connection_api
from tidemark.security.outcomes import refused
from tidemark.security.sasl import Mechanism
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


@connection_api(SaslHandshakeRequest, versions=range(0, 2))
def sasl_handshake(
    connection: ConnectionControl, ctx: Context, request: SaslHandshakeRequest
) -> SaslHandshakeResponse | Decision[Any]:
    authentication = connection.authentication
    now_ms = connection.steady_ms()
    if authentication is None or (authentication.used and not authentication.may_restart(now_ms)):
        return SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE)
    mechanisms = authentication.listener.mechanisms
    if request.mechanism not in mechanisms:
        if authentication.used is not None:
            raise CloseConnection(
                f"re-authentication with the unsupported mechanism {short(request.mechanism)}"
            )
        unsupported = SaslHandshakeResponse(ErrorCode.UNSUPPORTED_SASL_MECHANISM, [*mechanisms])
        return refused(connection, ctx, "Unsupported SASL mechanism", unsupported)
    if authentication.used in (None, request.mechanism):
        mechanism: Mechanism = mechanisms[request.mechanism](ctx)
    else:
        mechanism = OtherMechanism(authentication.used, request.mechanism)
    authentication.begin(request.mechanism, mechanism, now_ms)
    connection.begin_authentication(with_headers=ctx.version >= 1)
    return SaslHandshakeResponse(ErrorCode.NONE, [*mechanisms])


class OtherMechanism:
    """The exchange of a client that authenticates again with another mechanism. Kafka refuses its token."""

    user: str | None = None
    expires_ms: int | None = None
    rejected: str | None = None
    by_token: bool = False

    def __init__(self, used: str | None, requested: str) -> None:
        self._reason = (
            f"SASL mechanism '{requested}' requested by client is not supported for re-authentication of "
            f"mechanism '{used}'"
        )

    def evaluate(self, token: bytes, wall_ms: int) -> bytes:
        raise CloseConnection(self._reason)
