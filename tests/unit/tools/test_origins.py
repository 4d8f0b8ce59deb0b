"""The options of `serve --from`. tests/clients/test_opening.py has their effects."""

from __future__ import annotations

import pytest

from tests.unit.broker.log.test_takeover import written
from tidemark_tools.main import main, parser
from tidemark_tools.origins import NOW, check_options, opened

__all__ = ["written"]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("now", NOW),
        ("1798761600000", 1_798_761_600_000),
        ("2027-01-01T00:00:00Z", 1_798_761_600_000),
        ("2027-01-01T01:00:00.250+01:00", 1_798_761_600_250),
    ],
)
def test_a_time_is_now_milliseconds_or_a_date_with_its_zone(text: str, at: int | str) -> None:
    assert parser().parse_args(["serve", "--from", "d", "--at", text]).at == at


@pytest.mark.parametrize("text", ["yesterday", "2027-01-01T00:00:00", "", "-5", "12:00"])
def test_another_time_is_a_wrong_command_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--from", "d", f"--at={text}"])
    assert ended.value.code == 2
    assert "must be now, a time like" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["253402300800000", "1969-12-31T23:59:59Z", "9" * 30])
def test_a_time_outside_of_the_years_1970_to_9999_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--from", "d", f"--at={text}"])
    assert ended.value.code == 2
    assert "must be between 1970 and the end of 9999" in capsys.readouterr().err


def test_at_and_live_need_from() -> None:
    options = parser()
    assert check_options(options.parse_args(["serve"])) is None
    assert check_options(options.parse_args(["serve", "--from", "d", "--live", "--at", "now"])) is None
    for lonely in (["--live"], ["--at", "now"]):
        assert check_options(options.parse_args(["serve", *lonely]))


def test_options_decide_about_clock_and_time_of_the_opened_directory(written: object) -> None:
    def opening(*more: str) -> tuple[bool, bool]:
        arguments = parser().parse_args(["serve", "--from", str(written), *more])
        with opened(arguments) as (found, data_dir, flags):
            assert flags == ["node.id=1"]
            assert data_dir == ("new" if "--data-dir" in more else data_dir)
            return found.held, found.at_ms is not None

    assert opening() == (True, False)
    assert opening("--live", "--data-dir", "new") == (False, False)
    assert opening("--at", "now") == (True, True)
