"""The compiled build: its codecs release the interpreter in long arrays."""

from __future__ import annotations

import re

from hatch_build import CODECS, HOT, ROOT, _releasing


def test_every_array_of_a_compiled_codec_releases_the_interpreter() -> None:
    codecs = [name for name in HOT if name.startswith(CODECS)]
    assert codecs
    for name in codecs:
        source = (ROOT / "protocol" / name).read_text()
        releasing = _releasing(source)
        loops = re.findall(r"^ +for ", source, re.MULTILINE)
        assert releasing.count("        sleep(0)\n") == len(loops) > 0, name
        compile(releasing, name, "exec")
        assert "from time import sleep" in releasing
