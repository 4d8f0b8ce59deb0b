"""Codecs of the messages between brokers and controllers, generated for the tests of this folder.

They have golden vectors, and show that the generator can do what Kafka's schemas can say.
"""

from __future__ import annotations

import sys
from types import ModuleType

from tests.unit.protocol.any_message import MESSAGES
from tidemark_protocol.generator.__main__ import sources
from tidemark_protocol.index import MODULES

UNUSED = [message for message in MESSAGES.values() if not message.has_module]

for name, source in sources(UNUSED).items():
    module = ModuleType(f"tidemark_protocol.{name}")
    sys.modules[module.__name__] = module
    exec(compile(source, f"{name}.py", "exec"), vars(module))
MODULES.update({message.name: f"tidemark_protocol.{message.module}" for message in UNUSED})
