"""ssl.principal.mapping.rules. The expectations are those of SslPrincipalMapper of Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tidemark.settings.setting import ConfigError
from tidemark.settings.tls import NoMatchingRule, principal_name, read_rules

NAME = "CN=duke,OU=ServiceUsers,O=Org,C=US"


@pytest.mark.parametrize(
    ("rules", "principal"),
    [
        ("DEFAULT", NAME),
        (" DEFAULT , RULE:x/y/ ", NAME),
        ("RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/", "duke"),
        ("RULE:^CN=(.*?),OU=Others.*$/$1/L,DEFAULT", NAME),
        (
            "RULE:^CN=(.*?),L=(.*?)$/$1@$2/L, RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U",
            "DUKE",
        ),
        ("RULE:(CN)=(.*?),.*/$2-$1/U", "DUKE-CN"),
        ("RULE:CN=(.*?),.*/$1@$4/", "duke@$4"),
        ("RULE:CN=(.*?),.*/$12/", "duke2"),
        ("RULE:CN=(.*?),.*/$0/", NAME),
        (r"RULE:CN=(.*?),.*/\$1/", "$1"),
        (r"RULE:CN=(.*?),.*/a\/b$1/,DEFAULT", "a/bduke"),
        ("RULE:CN=(?<n>.*?),.*/${n}/", "duke"),
        ("RULE:(.*)/<$1>/", f"<{NAME}><>"),
        ("RULE:.*/x/", "xx"),
    ],
)
def test_first_rule_that_matches_the_whole_name_makes_the_principal(rules: str, principal: str) -> None:
    assert principal_name(read_rules("rules", rules), NAME) == principal


@pytest.mark.parametrize("rules", ["", "RULE:nomatch/x/"])
def test_name_without_a_rule_has_no_principal(rules: str) -> None:
    with pytest.raises(NoMatchingRule) as refused:
        principal_name(read_rules("rules", rules), NAME)
    assert str(refused.value) == f"Failed to map name for '{NAME}' based on SSL principal mapping rules."


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("RULE:foo/bar", "Invalid rule: `RULE:foo/bar`, unmatched substring: `RULE:foo/bar`"),
        ("FOO", "Invalid rule: `FOO`, unmatched substring: `FOO`"),
        ("default", "Invalid rule: `default`, unmatched substring: `default`"),
        ("RULE:a/b/LU", "Invalid rule: `RULE:a/b/LU`, unmatched substring: `U`"),
        ("RULE:CN=(.*?),.*/$/", "Illegal group reference: group index is missing"),
        ("RULE:.*/$1/", "No group 1"),
        ("RULE:(/x/", "missing ), unterminated subpattern at position 0"),
    ],
)
def test_invalid_rule_is_refused(rules: str, why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_rules("ssl.principal.mapping.rules", rules)
    assert str(refused.value) == f"Invalid value {rules} for configuration ssl.principal.mapping.rules: {why}"
