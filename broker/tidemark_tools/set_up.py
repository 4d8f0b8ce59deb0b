"""The tools that set something up: `tidemark install-shims`, `tidemark monitoring` and `tidemark completion`.

Scripts of install-shims run our tools under the names of Kafka's, each under two, as in the two packagings of
Kafka: kafka-groups.sh and kafka-groups. Completion scripts have the words that the tools parse with.
"""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

import tidemark
from tidemark_tools.main import COMMANDS, NOT_OF_KAFKA, USAGE_ERROR, add_serve

if TYPE_CHECKING:
    from tidemark_tools.options import CommandLine

INSTALL_USAGE: Final = "usage: tidemark install-shims DIR\n\nWrites {} into DIR, each with and without .sh.\n"
MARK: Final = "# Written by tidemark install-shims."
FAILED: Final = 1
EXECUTABLE: Final = 0o755

MONITORING_USAGE: Final = """\
usage: tidemark monitoring rules|dashboard|prometheus

Prints a file that comes with tidemark:

  rules        alert rules for Prometheus        tidemark monitoring rules > rules.yml
  dashboard    a dashboard to import in Grafana  tidemark monitoring dashboard > tidemark.json
  prometheus   a configuration of Prometheus that scrapes tidemark:9464 and reads rules.yml
"""
FOLDER: Final = Path(tidemark.__file__).with_name("monitoring")
FILES: Final = {"dashboard": "dashboard.json", "prometheus": "prometheus.yml", "rules": "rules.yml"}
COMPLETION_USAGE: Final = """\
usage: tidemark completion bash|zsh|fish

Prints a script. To use it in this shell and in every later one, add to the shell's start-up file:

  bash, zsh   source <(tidemark completion bash)
  fish        tidemark completion fish | source
"""
SERVE: Final = "serve"


def _usage_shown(text: str, arguments: list[str], is_valid: Callable[[str], bool]) -> int | None:
    """Print the usage and return the exit code, or return None if there is one valid argument."""
    if len(arguments) == 1 and is_valid(arguments[0]):
        return None
    requested = arguments in (["--help"], ["-h"])
    print(text, end="", file=sys.stdout if requested else sys.stderr)
    return 0 if requested else USAGE_ERROR


def monitoring(arguments: list[str]) -> int:
    """Print a file for Prometheus or Grafana. Return the exit code."""
    code = _usage_shown(MONITORING_USAGE, arguments, FILES.__contains__)
    if code is None:
        print((FOLDER / FILES[arguments[0]]).read_text("utf-8"), end="")
    return code or 0


def completion(arguments: list[str]) -> int:
    """Print a script that completes commands and options in a shell. Return the exit code."""
    code = _usage_shown(COMPLETION_USAGE, arguments, SHELLS.__contains__)
    if code is None:
        print(SHELLS[arguments[0]](words()))
    return code or 0


def install_shims(arguments: list[str]) -> int:
    """Write the scripts. Return the exit code: 1, with nothing written, if a file exists that is no shim."""
    usage = INSTALL_USAGE.format(", ".join(f"kafka-{command}" for command in tools()))
    code = _usage_shown(usage, arguments, lambda given: not given.startswith("-"))
    if code is not None:
        return code
    try:
        return install(Path(arguments[0]))
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED


def tools() -> list[str]:
    """Return the subcommands that are tools of Kafka's."""
    return [name for name in COMMANDS if name not in NOT_OF_KAFKA]


def install(folder: Path) -> int:
    """Write all shims. Return the exit code."""
    shims = {folder / f"kafka-{tool}{suffix}": shim(tool) for tool in tools() for suffix in ("", ".sh")}
    for path in shims:
        if path.is_symlink() or (path.exists() and MARK not in path.read_text(errors="replace")):
            print(f"{path} was not written by install-shims; nothing was written", file=sys.stderr)
            return FAILED
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in shims.items():
        path.write_text(text)
        path.chmod(EXECUTABLE)
        print(path)
    return 0


def shim(tool: str) -> str:
    """Return a script that runs this tidemark with the current Python."""
    return f'#!/bin/sh\n{MARK}\nexec {shlex.quote(sys.executable)} -m tidemark {tool} "$@"\n'


def words() -> dict[str, list[str]]:
    """Return the words that may follow each command: options, and commands of its own."""
    return {SERVE: _words_of_serve()} | {name: _words_of(name) for name in COMMANDS}


def _words_of_serve() -> list[str]:
    import argparse

    serve = argparse.ArgumentParser(add_help=True)
    add_serve(serve)
    return sorted(word for word in serve._option_string_actions if word.startswith("--"))


def _words_of(name: str) -> list[str]:
    if name == "install-shims":
        return ["--help"]
    if name in WORDS:
        return sorted(WORDS[name])
    tool: CommandLine = importlib.import_module(f"tidemark_tools.{COMMANDS[name].module}").TOOL
    return tool.words()


def _help_of(name: str) -> str:
    return "run a broker" if name == SERVE else COMMANDS[name].help


def bash(options: dict[str, list[str]]) -> str:
    """Return a script for bash. A word that is no option is completed as a file."""
    cases = "\n".join(f'    {name}) words="{" ".join(each)}" ;;' for name, each in options.items())
    return f"""\
_tidemark() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(options)} --help --version"
  else
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _tidemark tidemark"""


def zsh(options: dict[str, list[str]]) -> str:
    """Return a script for zsh."""
    commands = "\n".join(f"    {shlex.quote(f'{name}:{_help_of(name)}')}" for name in options)
    cases = "\n".join(f"    {name}) compadd -- {' '.join(each)} ;;" for name, each in options.items())
    return f"""\
#compdef tidemark
_tidemark() {{
  local -a commands
  commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{cases}
  esac
  [[ $PREFIX == -* ]] || _files
}}
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
compdef _tidemark tidemark"""


def fish(options: dict[str, list[str]]) -> str:
    """Return a script for fish."""
    lines = []
    for name, each in options.items():
        about = shlex.quote(_help_of(name))
        lines.append(f"complete -c tidemark -n __fish_use_subcommand -f -a {name} -d {about}")
        within = f"-n '__fish_seen_subcommand_from {name}'"
        for word in each:
            what = f"-l {word.removeprefix('--')}" if word.startswith("--") else f"-f -a {word}"
            lines.append(f"complete -c tidemark {within} {what}")
    return "\n".join(lines)


SHELLS: Final[dict[str, Callable[[dict[str, list[str]]], str]]] = {"bash": bash, "fish": fish, "zsh": zsh}
WORDS: Final[dict[str, Collection[str]]] = {"monitoring": FILES, "completion": SHELLS}
