"""The TLS settings of one listener.

Kafka reads a setting under `listener.name.<listener>.`, then without a prefix. The messages are those of
Kafka's DefaultSslEngineFactory. Only a listener with TLS imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.settings.broker import BrokerSettings
from tidemark.settings.key_stores import Store, key_store, trust_store
from tidemark.settings.setting import ConfigError, Setting, under_name

_RULE: Final = r"(DEFAULT)|RULE:((\\.|[^\\/])*)/((\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_SPLITTER: Final = re.compile(rf"\s*({_RULE})\s*(,\s*|$)")
_PARSER: Final = re.compile(_RULE)
_NAMED_GROUP: Final = re.compile(r"\(\?<(?![=!])")  # Python writes it as (?P<
_PIECE: Final = re.compile(r"\\(.)|\$(\d+)|\$\{([A-Za-z][A-Za-z0-9]*)\}|(\$|\\)|([^\\$]+)", re.DOTALL)


class NoMatchingRule(Exception):
    """No rule applies to a name. The text is Kafka's."""


@dataclass(slots=True, frozen=True)
class PrincipalRule:
    """One rule.

    pattern      must match the whole name. None: the rule is DEFAULT, which keeps the name
    replacement  texts, and groups of the pattern by number or name
    case         "L" or "U" for lower or upper case, or ""
    """

    pattern: re.Pattern[str] | None = None
    replacement: tuple[str | _Group, ...] = ()
    case: str = ""

    def apply(self, name: str) -> str | None:
        """Return the principal's name, or None if the rule does not apply."""
        if self.pattern is None:
            return name
        if self.pattern.fullmatch(name) is None:
            return None
        replaced = self.pattern.sub(self._replace, name)
        return replaced.lower() if self.case == "L" else replaced.upper() if self.case == "U" else replaced

    def _replace(self, match: re.Match[str]) -> str:
        return "".join(
            part if isinstance(part, str) else match[part.reference] or "" for part in self.replacement
        )


@dataclass(slots=True, frozen=True)
class _Group:
    reference: int | str


def read_rules(setting: str, text: str) -> tuple[PrincipalRule, ...]:
    """Read the value of ssl.principal.mapping.rules. Raises ConfigError. setting: the name for messages."""
    try:
        return tuple(
            _rule(match)
            for each in _SPLITTER.finditer(text.strip())
            if (match := _parse(each[1])) is not None
        )
    except (ValueError, re.error) as error:
        raise ConfigError(f"Invalid value {text} for configuration {setting}: {error}") from None


def principal_name(rules: Sequence[PrincipalRule], name: str) -> str:
    """Return the name that the first rule that applies makes of a name. Raises NoMatchingRule."""
    for rule in rules:
        found = rule.apply(name)
        if found is not None:
            return found
    raise NoMatchingRule(f"Failed to map name for {name!r} based on SSL principal mapping rules.")


def _parse(text: str) -> re.Match[str] | None:
    """Return the parts of a rule, or None if it is empty. Raises ValueError."""
    match = _PARSER.match(text)
    assert match is not None, "the last alternative matches everything"
    if match.end() < len(text):
        raise ValueError(f"Invalid rule: `{text}`, unmatched substring: `{text[match.end() :]}`")
    return match if match[1] is not None or match[2] is not None else None


def _rule(match: re.Match[str]) -> PrincipalRule:
    if match[1] is not None:
        return PrincipalRule()
    pattern = re.compile(_NAMED_GROUP.sub("(?P<", match[2]))
    return PrincipalRule(pattern, tuple(_replacement(match[4], pattern)), match[6])


def _replacement(text: str, pattern: re.Pattern[str]) -> list[str | _Group]:
    """Return the parts of a replacement, as Java's Matcher.replaceAll reads it. Raises ValueError."""
    parts: list[str | _Group] = []
    for escaped, digits, name, alone, plain in _PIECE.findall(text):
        if digits:
            parts += _numbered(digits, pattern.groups)
        elif name:
            if name not in pattern.groupindex:
                raise ValueError(f"No group with name {{{name}}}")
            parts.append(_Group(name))
        elif alone == "$":
            raise ValueError("Illegal group reference: group index is missing")
        elif alone:
            raise ValueError("character to be escaped is missing")
        else:
            parts.append(escaped or plain)
    return parts


def _numbered(digits: str, groups: int) -> list[str | _Group]:
    """Return the group that $digits refers to, and the digits that do not belong to its number.

    Kafka keeps $4 as text if the pattern has groups, but fewer than four.
    """
    number, used = int(digits[0]), 1
    if number > groups:
        if not groups:
            raise ValueError(f"No group {number}")
        return ["$" + digits]
    while used < len(digits) and number * 10 + int(digits[used]) <= groups:
        number, used = number * 10 + int(digits[used]), used + 1
    return [_Group(number), digits[used:]]


PROTOCOLS: Final = ("TLSv1.2", "TLSv1.3")
# Names that Java knows. Java 17 offers none of these protocols, even if they are enabled.
OLD_PROTOCOLS: Final = ("TLSv1.1", "TLSv1", "SSLv3", "SSLv2Hello")
NO_AUTH: Final = "none"


@dataclass(slots=True, frozen=True)
class TlsSettings:
    """The settings of a listener with TLS.

    trusts        None: client certificates are not checked, because none are requested
    client_auth   none, requested or required
    protocols     some of PROTOCOLS
    ciphers       names of cipher suites. Empty: the defaults of OpenSSL
    rules         turn the name in a client's certificate into the name of its principal
    """

    listener: str
    keys: Store
    trusts: Store | None
    client_auth: str
    protocols: tuple[str, ...]
    ciphers: tuple[str, ...]
    rules: tuple[PrincipalRule, ...]


def read_tls(listener: str, given: Mapping[str, str], *, sasl: bool) -> TlsSettings:
    """Return the settings of the listener of this name. given: texts by dotted name. Raises ConfigError.

    sasl: its clients authenticate by SASL. Then ssl.client.auth without a prefix does not apply (KIP-684).
    """
    own = f"listener.name.{listener.lower()}."

    def read(setting: Setting[Any]) -> Any:
        for prefix in (own, ""):
            text = given.get(prefix + setting.name)
            if text is not None:
                return under_name(prefix + setting.name, setting).read(text.strip())
        return setting.default

    def read_text(name: str) -> str | None:
        text: str | None = read(getattr(BrokerSettings, name.replace(".", "_")))
        return text

    auth = BrokerSettings.ssl_client_auth
    client_auth = NO_AUTH if sasl and own + auth.name not in given else read(auth)
    rules = BrokerSettings.ssl_principal_mapping_rules
    try:
        keys, trusts = key_store(read_text), trust_store(read_text)
        if keys is None:
            raise ConfigError(
                "no key store is set. Set ssl.keystore.type=PEM and ssl.keystore.location to a file with the "
                "private key and the certificate chain."
            )
        if client_auth != NO_AUTH and trusts is None:
            raise ConfigError(
                f"ssl.client.auth={client_auth} needs the certificates that clients are checked by. "
                "Set ssl.truststore.type=PEM and ssl.truststore.location."
            )
        protocols = _protocols(read(BrokerSettings.ssl_enabled_protocols))
    except ConfigError as error:
        raise ConfigError(f"Listener {listener}: {error}") from None
    return TlsSettings(
        listener=listener,
        keys=keys,
        trusts=trusts if client_auth != NO_AUTH else None,
        client_auth=client_auth,
        protocols=protocols,
        ciphers=tuple(filter(None, read(BrokerSettings.ssl_cipher_suites))),
        rules=read_rules(rules.name, read(rules)),
    )


def _protocols(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in (*PROTOCOLS, *OLD_PROTOCOLS):
            raise ConfigError(
                f"ssl.enabled.protocols: unknown protocol {name}. Use {' or '.join(PROTOCOLS)}."
            )
    enabled = tuple(protocol for protocol in PROTOCOLS if protocol in names or not names)
    if not enabled:
        raise ConfigError(
            f"ssl.enabled.protocols={','.join(names)} has no protocol that is served. "
            f"Use {' or '.join(PROTOCOLS)}."
        )
    return enabled
