"""Listeners: where the broker accepts, what it calls that place, and what it tells clients to come back to.

Checked as Kafka 4.3.1 checks, in its words. A broker of Kafka's has controller listeners too; we have no
controller to reach, so those that `controller.listener.names` names are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tidemark.settings.setting import ConfigError

_ENDPOINT: Final = re.compile(r"(?P<name>.*)://\[?(?P<host>[0-9a-zA-Z\-%._:]*)\]?:(?P<port>-?[0-9]+)")
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
SERVED: Final = ("PLAINTEXT",)
PORT_MAX: Final = 65535


class Listener:
    """host "" is every address, port 0 any free one.

    advertised is (host, port); None: the local address of the client's own connection.
    """

    __slots__ = ("advertised", "host", "name", "port", "protocol")

    def __init__(
        self, name: str, host: str, port: int, protocol: str, advertised: tuple[str, int] | None = None
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.protocol = protocol
        self.advertised = advertised

    def __repr__(self) -> str:
        return f"{self.name}://{in_brackets(self.host)}:{self.port}"


def in_brackets(host: str) -> str:
    """An IPv6 address as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def read_protocol_map(text: str) -> dict[str, str]:
    """NAME:PROTOCOL,... A later entry of one name counts, as in Kafka."""
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
    """Each text is NAME://host:port."""
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
    """What is served, each listener with what it advertises."""
    protocols = read_protocol_map(protocol_map)
    ignored = {name.upper() for name in controllers}
    for name in ignored:
        protocols.setdefault(name, "PLAINTEXT")
    everything = read_endpoints(listeners, protocols)
    _check_ports(everything, listeners)
    told = {listener.name: listener for listener in read_endpoints(advertised, protocols)}
    _check_advertised(told, everything)
    served = [listener for listener in everything if listener.name not in ignored]
    for listener in served:
        _check_served(listener)
        if listener.name in told:
            listener.advertised = (told[listener.name].host, told[listener.name].port)
    if not served:
        raise ConfigError(f"Configuration 'listeners' names no listener for clients: {','.join(listeners)}")
    return served


def _check_ports(found: list[Listener], texts: Sequence[str]) -> None:
    # Kafka allows one port on an IPv4 and an IPv6 address; for hosts that differ the bind itself decides
    # here.
    taken = [(listener.host, listener.port) for listener in found if listener.port]
    if len(set(taken)) < len(taken):
        raise ConfigError(
            f"Error creating broker listeners from '[{', '.join(texts)}]': "
            f"Each listener must have a different port, listeners: [{', '.join(texts)}]"
        )


def _check_advertised(told: Mapping[str, Listener], found: list[Listener]) -> None:
    names = [listener.name for listener in found]
    if any(name not in names for name in told):
        raise ConfigError(
            "advertised.listeners listener names must be equal to or a subset of the ones defined in "
            f"listeners. Found {','.join(told)}."
            f" The valid options based on the current configuration are {','.join(names)}"
        )
    if any(listener.host == "0.0.0.0" for listener in told.values()):
        raise ConfigError(
            "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
        )


def _check_served(listener: Listener) -> None:
    if listener.protocol not in SERVED:
        raise ConfigError(
            f"Listener {listener.name} wants {listener.protocol}, which is not served yet: only PLAINTEXT is."
        )


def replace_port(text: str, port: int) -> str:
    """NAME://host:port with another port."""
    return f"{text.rpartition(':')[0]}:{port}"


def any_address(advertised: str) -> str:
    """What Kafka's image derives from advertised listeners: the same names and ports, on every address."""
    return ",".join(re.sub(r"://.*:", "://0.0.0.0:", part.strip()) for part in advertised.split(","))
