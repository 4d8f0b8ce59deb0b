"""Listeners: the addresses that the broker binds, with their names and advertised addresses.

The checks and their messages are those of Kafka 4.3.1. Listeners named in `controller.listener.names` are
ignored, because tidemark has no controller to reach.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tidemark.settings.setting import ConfigError

if TYPE_CHECKING:
    from tidemark.settings.sasl import SaslSettings
    from tidemark.settings.tls import TlsSettings

_ENDPOINT: Final = re.compile(r"(?P<name>.*)://\[?(?P<host>[0-9a-zA-Z\-%._:]*)\]?:(?P<port>-?[0-9]+)")
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
PORT_MAX: Final = 65535


class Listener:
    """One listener. host "" is every address, port 0 is any free port.

    advertised   host and port that clients must use. None: the local address of the client's connection
    sasl         how clients authenticate. None: they need not
    tls          None: without TLS
    """

    __slots__ = ("advertised", "host", "name", "port", "protocol", "sasl", "tls")

    def __init__(
        self, name: str, host: str, port: int, protocol: str, advertised: tuple[str, int] | None = None
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.protocol = protocol
        self.advertised = advertised
        self.sasl: SaslSettings | None = None
        self.tls: TlsSettings | None = None

    def __repr__(self) -> str:
        return f"{self.name}://{in_brackets(self.host)}:{self.port}"


def in_brackets(host: str) -> str:
    """Return a host as it is written before a port: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def read_protocol_map(text: str) -> dict[str, str]:
    """Read NAME:PROTOCOL,... The last entry of a name counts, as in Kafka. Raises ConfigError."""
    protocols: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, colon, protocol = entry.rpartition(":")
        if not colon:
            raise ConfigError(
                f"Error parsing configuration property 'listener.security.protocol.map': no ':' in {entry}"
            )
        protocol = protocol.strip().upper()
        if protocol not in PROTOCOLS:
            raise ConfigError(
                f"Invalid security protocol `{protocol}` defined in listener.security.protocol.map"
            )
        protocols[name.strip().upper()] = protocol
    return protocols


def read_endpoints(texts: Sequence[str], protocols: Mapping[str, str]) -> list[Listener]:
    """Read texts of the form NAME://host:port. Raises ConfigError."""
    trouble = f"Error creating broker listeners from '[{', '.join(texts)}]': "
    found: list[Listener] = []
    for text in texts:
        match = _ENDPOINT.fullmatch(text)
        if match is None:
            raise ConfigError(f"{trouble}Unable to parse {text} to a broker endpoint")
        name, port = match["name"].upper(), int(match["port"])
        if name not in protocols:
            raise ConfigError(f"{trouble}No security protocol defined for listener {name}")
        if not 0 <= port <= PORT_MAX:
            raise ConfigError(f"{trouble}port {port} of {name} is not between 0 and {PORT_MAX}")
        found.append(Listener(name, match["host"], port, protocols[name]))
    if len({listener.name for listener in found}) < len(found):
        raise ConfigError(
            f"{trouble}Each listener must have a different name, listeners: [{', '.join(texts)}]"
        )
    return found


def read_listeners(
    listeners: Sequence[str], advertised: Sequence[str], protocol_map: str, controllers: Sequence[str]
) -> list[Listener]:
    """Return the listeners for clients, each with its advertised address. Raises ConfigError."""
    protocols = read_protocol_map(protocol_map)
    ignored = {name.upper() for name in controllers}
    for name in ignored:
        protocols.setdefault(name, "PLAINTEXT")
    everything = read_endpoints(listeners, protocols)
    _check_ports(everything, listeners)
    public = {listener.name: listener for listener in read_endpoints(advertised, protocols)}
    _check_advertised(public, everything)
    served = [listener for listener in everything if listener.name not in ignored]
    for listener in served:
        if listener.name in public:
            listener.advertised = (public[listener.name].host, public[listener.name].port)
    if not served:
        raise ConfigError(f"Configuration 'listeners' has no listener for clients: {','.join(listeners)}")
    return served


def _check_ports(found: list[Listener], texts: Sequence[str]) -> None:
    # Kafka allows the same port on an IPv4 and an IPv6 address. Here, bind decides about different hosts.
    taken = [(listener.host, listener.port) for listener in found if listener.port]
    if len(set(taken)) < len(taken):
        raise ConfigError(
            f"Error creating broker listeners from '[{', '.join(texts)}]': "
            f"Each listener must have a different port, listeners: [{', '.join(texts)}]"
        )


def _check_advertised(public: Mapping[str, Listener], found: list[Listener]) -> None:
    names = [listener.name for listener in found]
    if any(name not in names for name in public):
        raise ConfigError(
            "advertised.listeners listener names must be equal to or a subset of the ones defined in "
            f"listeners. Found {','.join(public)}."
            f" The valid options based on the current configuration are {','.join(names)}"
        )
    if any(listener.host == "0.0.0.0" for listener in public.values()):
        raise ConfigError(
            "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
        )


def replace_port(text: str, port: int) -> str:
    """Return NAME://host:port with another port."""
    return f"{text.rpartition(':')[0]}:{port}"


def any_address(advertised: str) -> str:
    """Return listeners like the advertised ones, on every address, as Kafka's image derives them."""
    return ",".join(re.sub(r"://.*:", "://0.0.0.0:", part.strip()) for part in advertised.split(","))
