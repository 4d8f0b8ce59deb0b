"""`tidemark completion SHELL`: prints a script that completes commands and options in bash, zsh or fish.

The words are those of the tables that the tools parse with, so that the script has every option.
"""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Callable
from typing import Final

from tidemark_tools.main import COMMANDS, USAGE_ERROR, add_serve

USAGE: Final = """\
usage: tidemark completion bash|zsh|fish

Prints a script. To use it in this shell and in every later one, add to the shell's start-up file:

  bash, zsh   source <(tidemark completion bash)
  fish        tidemark completion fish | source
"""
SERVE: Final = "serve"


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        requested = arguments in (["--help"], ["-h"])
        print(USAGE, end="", file=sys.stdout if requested else sys.stderr)
        return 0 if requested else USAGE_ERROR
    print(SHELLS[arguments[0]](words()))
    return 0


def words() -> dict[str, list[str]]:
    """Return the words that may follow each command: options, and commands of its own."""
    return {SERVE: _of_serve()} | {name: _of_tool(tool.module) for name, tool in COMMANDS.items()}


def _of_serve() -> list[str]:
    import argparse

    serve = argparse.ArgumentParser(add_help=True)
    add_serve(serve)
    return sorted(word for word in serve._option_string_actions if word.startswith("--"))


def _of_tool(module: str) -> list[str]:
    found = importlib.import_module(f"tidemark_tools.{module}")
    if hasattr(found, "TOOL"):
        words: list[str] = found.TOOL.words()
        return words
    if hasattr(found, "FILES"):
        return sorted(found.FILES)
    return sorted(SHELLS) if found.__name__ == __name__ else ["--help"]


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
