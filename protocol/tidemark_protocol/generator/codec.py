"""Writes the codec modules: message classes with straight-line decode and encode functions per layout.

Consecutive versions with the same layout share a function. Adjacent fixed-width fields are read and written
by one struct call.

A decoder of requests counts array elements and tagged fields before it builds anything of them. It raises
TooManyElements for a request that has more than `left`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from .schema import Field, Message, Struct, snake

FIXED: Final = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
SIZE: Final = {"?": 1, "b": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
PYTHON: Final = {
    "bool": "bool",
    "float64": "float",
    "uuid": "bytes",
    "string": "str",
    "bytes": "bytes",
    "records": "Bytes",
    **dict.fromkeys(("int8", "int16", "uint16", "int32", "uint32", "int64"), "int"),
}


def identifier(fmt: str) -> str:
    """Return a struct format as part of a name."""
    return fmt.replace("?", "z").replace("16s", "u")


def versions_of(field: Field, version: int) -> tuple[bool, bool, bool]:
    """Return whether a field is present, tagged and nullable in this version."""
    return version in field.versions, version in field.tagged, version in field.nullable


def layout(struct: Struct, version: int, *, flexible: bool) -> tuple[Any, ...]:
    """Return the parts of a schema that decide the layout of a version's bytes."""
    found: list[Any] = [flexible]
    for f in struct.fields:
        if version in f.versions:
            inner = layout(f.struct, version, flexible=flexible) if f.struct else None
            found.append((f.name, *versions_of(f, version), inner))
    return tuple(found)


def layouts(message: Message) -> Iterator[list[int]]:
    """Return the versions, grouped by layout."""
    run: list[int] = []
    before = None
    for version in message.versions:
        now = layout(message.struct, version, flexible=version in message.flexible)
        if run and now != before:
            yield run
            run = []
        run.append(version)
        before = now
    if run:
        yield run


class Module:
    """Collects the source of one generated module."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.lines: list[str] = []
        self.formats: set[str] = set()
        self.wire: set[str] = set()
        self.names = self._class_names()

    def _class_names(self) -> dict[tuple[str, str], str]:
        """Return class names by (message, struct). A name in two messages gets a prefix: the message."""
        used: dict[str, int] = {}
        for message in self.messages:
            for name in message.structs:
                used[name] = used.get(name, 0) + 1
        return {
            (m.name, name): m.name + name if used[name] > 1 else name
            for m in self.messages
            for name in m.structs
        }

    def source(self) -> str:
        for message in self.messages:
            self._classes(message)
        for message in self.messages:
            self._functions(message)
        body = "\n".join(self.lines)
        origin = " and ".join(m.path for m in self.messages)
        head = [f"# Generated from {origin}. Edit that, then run make generate.", ""]
        head += ["from __future__ import annotations", ""]
        head += ["import struct"] if self.formats else []
        head += ["from typing import Any, ClassVar, Final", ""]
        field = ", field" if "field(default_factory=" in body else ""
        head += [f"from msgspec import Struct{field}", ""]
        head += self.imports({"Decoder", "Encoder", "SHORT", "past_end", "too_short"}, body)
        if not any("Any" in line for line in self.lines):
            head = [line.replace("Any, ", "") for line in head]
        exported = sorted({self.names[m.name, s] for m in self.messages for s in m.structs})
        tail = ["", "__all__ = [", *_wrapped(f'"{n}"' for n in exported), "]", ""]
        return "\n".join(head) + "\n" + body + "\n".join(tail)

    def imports(self, always: set[str], body: str) -> list[str]:
        """Return the import of `wire`, and the struct formats that the body uses."""
        names = always | self.wire
        names |= {name for name in ("Bytes", "ZERO_UUID") if name in body}
        lines = ["from tidemark_protocol.wire import (", *_wrapped(sorted(names)), ")", ""]
        for fmt in sorted(self.formats):
            ident = identifier(fmt)
            lines += [f'_{ident} = struct.Struct(">{fmt}")', f"_read_{ident} = _{ident}.unpack_from",
                      f"_write_{ident} = _{ident}.pack"]  # fmt: skip
        return lines

    # classes

    def _classes(self, message: Message) -> None:
        done: set[str] = set()
        for struct in _inner_first(message.struct):
            if struct.name not in done:
                done.add(struct.name)
                self._class(message, struct)

    def _class(self, message: Message, struct: Struct) -> None:
        name = self.names[message.name, struct.name]
        put = self.lines.append
        put("")
        put("")
        put(f"class {name}(Struct, gc=False):")  # a tree: no cycle needs the garbage collector
        put("    FIELDS: ClassVar = (" if struct.fields else "    FIELDS: ClassVar = ()")
        for f in struct.fields:
            inner = self.names[message.name, f.struct.name] if f.struct else "None"
            kind = "tagged struct" if _none_is_default(f) else ("[]" if f.array else "") + f.kind
            put(f'        ("{f.name}", "{f.attribute}", "{kind}", {inner}),')
        if struct.fields:
            put("    )")
        if struct is message.struct:
            self._constants(message)
        for f in struct.fields:
            default = self.default(message, f)
            if default.endswith("()"):  # each object gets one of its own; msgspec sees to that for a list
                default = f"field(default_factory={default[:-2]})"
            put(f"    {f.attribute}: {self.type_of(message, f)} = {default}")

    def _constants(self, message: Message) -> None:
        put = self.lines.append
        put(f'    NAME: ClassVar = "{message.name}"')
        put(f"    API_KEY: ClassVar = {message.api_key}")
        put(f"    LOWEST: ClassVar = {message.valid.low}")
        put(f"    HIGHEST: ClassVar = {message.valid.high}")
        first = min(message.flexible.low, 1 << 15) if message.flexible.high >= 0 else 1 << 15
        put(f"    FLEXIBLE_FROM: ClassVar = {first}")
        put("    DECODERS: ClassVar[dict[int, Decoder]]")
        put("    ENCODERS: ClassVar[dict[int, Encoder]]")

    def type_of(self, message: Message, f: Field) -> str:
        kind = self.names[message.name, f.struct.name] if f.struct else PYTHON[f.kind]
        kind = f"list[{kind}]" if f.array else kind
        return f"{kind} | None" if _may_be_none(f) else kind

    def default(self, message: Message, f: Field) -> str:
        """Return the expression of a field's default."""
        if f.default is not ...:
            return _literal(f)
        if f.array:
            return "[]"
        assert f.struct is not None
        return "None" if _none_is_default(f) else f"{self.names[message.name, f.struct.name]}()"

    # functions

    def _functions(self, message: Message) -> None:
        runs = list(layouts(message))
        for run in runs:
            Reader(self, message, run[0], _suffix(run)).write()
            Writer(self, message, run[0], _suffix(run)).write()
        self.table(f"{message.name}.DECODERS", "decode", message, runs)
        self.table(f"{message.name}.ENCODERS", "encode", message, runs)
        self.lines.append("")

    def table(self, target: str, verb: str, message: Message, runs: list[list[int]]) -> None:
        """Write a dict from version to function."""
        self.lines += ["", f"{target} = {{"]
        for run in runs:
            function = f"{verb}_{snake(message.name)}_{_suffix(run)}"
            self.lines += _wrapped(f"{v}: {function}" for v in run)
        self.lines.append("}")

    def format_of(self, fields: list[Field]) -> str:
        fmt = "".join(FIXED[f.kind] for f in fields)
        self.formats.add(fmt)
        return fmt

    def use(self, *names: str) -> None:
        self.wire.update(names)


def _wrapped(items: Iterable[str]) -> list[str]:
    """Return the items, each followed by a comma, in indented lines of at most 110 characters if they fit."""
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) > 104:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{item},"
    return [f"    {line}" for line in lines]


def _inner_first(struct: Struct) -> list[Struct]:
    found: list[Struct] = []
    for f in struct.fields:
        if f.struct:
            found += _inner_first(f.struct)
    return [*found, struct]


def _suffix(run: list[int]) -> str:
    return f"v{run[0]}" if len(run) == 1 else f"v{run[0]}_v{run[-1]}"


def _none_is_default(f: Field) -> bool:
    """Return True for a struct that is always tagged and never null: None means all defaults, not written."""
    return f.kind == "struct" and not f.array and f.tagged.high >= 0 and f.nullable.high < 0


def _may_be_none(f: Field) -> bool:
    return f.nullable.high >= 0 or f.default is None or _none_is_default(f)


def _literal(f: Field) -> str:
    if f.kind == "uuid" and not f.array and f.default == bytes(16):
        return "ZERO_UUID"
    if f.kind == "string" and f.default is not None:
        return f'"{f.default}"'
    return repr(f.default) if f.default != b"" else 'b""'


def _groups(fields: list[Field]) -> Iterator[list[Field]]:
    """Return the fields in groups: adjacent fixed-width fields together, every other field alone."""
    fixed: list[Field] = []
    for f in fields:
        if f.kind in FIXED and not f.array:
            fixed.append(f)
            continue
        if fixed:
            yield fixed
            fixed = []
        yield [f]
    if fixed:
        yield fixed


class _Function:
    """The base of Reader and Writer: one message in one version."""

    def __init__(self, module: Module, message: Message, version: int, suffix: str) -> None:
        self.module = module
        self.message = message
        self.version = version
        self.suffix = suffix
        self.flexible = version in message.flexible
        self.indent = 1

    def put(self, line: str) -> None:
        self.module.lines.append("    " * self.indent + line)

    def untagged(self, struct: Struct) -> list[Field]:
        return [f for f in struct.fields if self.version in f.versions and self.version not in f.tagged]

    def tagged(self, struct: Struct) -> list[Field]:
        found = [f for f in struct.fields if self.version in f.versions and self.version in f.tagged]
        return sorted(found, key=lambda f: f.tag)

    def nullable(self, f: Field) -> bool:
        return self.version in f.nullable

    def compact(self, f: Field) -> bool:
        return self.flexible and not f.never_flexible

    def class_of(self, struct: Struct) -> str:
        return self.module.names[self.message.name, struct.name]


class Reader(_Function):
    def write(self) -> None:
        name = self.message.name
        lines = self.module.lines
        arguments = "buf: bytes, pos: int, end: int"
        if self.counts:
            self.module.use("UNBOUNDED")
            arguments += ", left: int = UNBOUNDED"
        lines += ["", "", f"def decode_{snake(name)}_{self.suffix}({arguments}) -> tuple[{name}, int]:"]
        self.put("try:")
        self.indent = 2
        built = self.struct(self.message.struct, "")
        self.put(f"message = {built}")
        self.indent = 1
        self.put("except SHORT as error:")
        self.put("    raise too_short(error) from None")
        self.put("if pos > end:")
        self.put("    raise past_end(pos, end)")
        self.put("return message, pos")

    @property
    def counts(self) -> bool:
        return self.message.name.endswith("Request")

    def count(self, elements: str) -> None:
        """Write code that counts the elements of an array, or tagged fields. Nothing is built of them yet."""
        if self.counts:
            self.module.use("too_many")
            self.put(f"left -= {elements}")
            self.put("if left < 0:")
            self.put("    raise too_many()")

    def struct(self, struct: Struct, prefix: str) -> str:
        """Writes code that reads the fields into variables, and the expression that builds the object."""
        for group in _groups(self.untagged(struct)):
            if group[0].kind in FIXED and not group[0].array:
                self.fixed(group, prefix)
            else:
                self.field(group[0], prefix + group[0].attribute)
        if self.flexible:
            self.tags(struct, prefix)
        return self.build(struct, prefix)

    def build(self, struct: Struct, prefix: str) -> str:
        present = [self.version in f.versions for f in struct.fields]
        last = max((i for i, there in enumerate(present) if there), default=-1)
        arguments = [
            prefix + f.attribute if there else self.module.default(self.message, f)
            for f, there in zip(struct.fields[: last + 1], present, strict=False)
        ]
        return f"{self.class_of(struct)}({', '.join(arguments)})"

    def fixed(self, group: list[Field], prefix: str) -> None:
        fmt = self.module.format_of(group)
        targets = ", ".join(prefix + f.attribute for f in group)
        self.put(f"{targets}{',' if len(group) == 1 else ''} = _read_{identifier(fmt)}(buf, pos)")
        self.put(f"pos += {sum(SIZE[FIXED[f.kind]] for f in group)}")

    def field(self, f: Field, target: str, *, tagged: bool = False) -> None:
        if f.array:
            self.array(f, target, tagged=tagged)
        elif f.kind == "struct":
            self.nested(f, target, tagged=tagged)
        elif f.kind in FIXED:
            fmt = self.module.format_of([f])
            self.put(f"{target}, = _read_{identifier(fmt)}(buf, pos)")
            self.put(f"pos += {SIZE[fmt]}")
        else:
            self.text(f, target, nullable=self.nullable(f), tagged=tagged)

    def length(self, f: Field, wide: str) -> None:
        """Write code that leaves the length in n. A negative length is null."""
        if self.compact(f):
            self.put("n = buf[pos] - 1")
            self.put("pos += 1")
            self.put("if n > 126:")
            if f.kind == "string" and wide == "h":
                self.module.use("read_text_length")
                self.put(f'    n, pos = read_text_length(buf, pos - 1, "{f.name}")')
            else:
                self.module.use("read_length")
                self.put("    n, pos = read_length(buf, pos - 1)")
            return
        self.module.formats.add(wide)
        self.put(f"n = _read_{wide}(buf, pos)[0]")
        self.put(f"pos += {SIZE[wide]}")

    def declared(self, f: Field, target: str, *, tagged: bool) -> str:
        """Return the target of a first assignment. Tagged fields are already declared, with defaults."""
        kind = self.module.type_of(self.message, f)
        return target if tagged else f"{target}: {kind if self.nullable(f) else kind.removesuffix(' | None')}"

    def text(self, f: Field, target: str, *, nullable: bool, tagged: bool = False) -> None:
        self.length(f, "h" if f.kind == "string" else "i")
        taken = {
            "string": 'buf[pos : pos + n].decode("utf-8", "java")',
            "bytes": "buf[pos : pos + n]",
            "records": "memoryview(buf)[pos : pos + n]",
        }[f.kind]
        if nullable:
            self.put(f"{self.declared(f, target, tagged=tagged)} = None")
            self.put("if n >= 0:")
            self.put(f"    {target} = {taken}")
            self.put("    pos += n")
            return
        self.module.use("null")
        self.put("if n < 0:")
        self.put(f'    raise null("{f.name}")')
        self.put(f"{target} = {taken}")
        self.put("pos += n")

    def array(self, f: Field, target: str, *, tagged: bool) -> None:
        self.length(f, "i")
        if self.nullable(f):
            self.put(f"{self.declared(f, target, tagged=tagged)} = None")
            self.put("if n >= 0:")
            self.indent += 1
            self.module.use("check_count")
            self.put("if n > end - pos:")
            self.put("    check_count(n, pos, end)")
            built = f"{target}_list"
            kind = self.module.type_of(self.message, f).removesuffix(" | None")
            self.elements(f, built, f"{built}: {kind}", target)
            self.put(f"{target} = {built}")
            self.indent -= 1
            return
        self.module.use("wrong_count")
        self.put("if not 0 <= n <= end - pos:")
        self.put(f'    raise wrong_count("{f.name}", n, pos, end)')
        self.elements(f, target, self.declared(f, target, tagged=tagged), target)

    def elements(self, f: Field, target: str, declared: str, path: str) -> None:
        self.count("n")
        if f.kind in FIXED and f.kind != "uuid":
            fmt = FIXED[f.kind]
            self.put(f'{declared} = list(struct.unpack_from(f">{{n}}{fmt}", buf, pos))')
            self.put(f"pos += {f'{SIZE[fmt]} * ' if SIZE[fmt] > 1 else ''}n")
            self.module.formats.add(fmt)
            return
        self.put(f"{declared} = []")
        # A name of its own: n is assigned in the loop, and a loop compiled by mypyc would follow that.
        self.put(f"{path}_count = n")
        self.put(f"for _ in range({path}_count):")
        self.indent += 1
        if f.kind == "struct":
            assert f.struct
            built = self.struct(f.struct, f"{path}_")
            self.put(f"{target}.append({built})")
        elif f.kind == "uuid":
            self.put(f"{target}.append(buf[pos : pos + 16])")
            self.put("pos += 16")
        else:
            self.text(f, f"{path}_item", nullable=False)
            self.put(f"{target}.append({path}_item)")
        self.indent -= 1

    def nested(self, f: Field, target: str, *, tagged: bool) -> None:
        assert f.struct
        if not self.nullable(f):
            self.put(f"{target} = {self.struct(f.struct, target + '_')}")
            return
        self.put("mark = buf[pos]")
        self.put("pos += 1")
        self.put(f"{self.declared(f, target, tagged=tagged)} = None")
        self.put("if mark != 0:" if tagged else "if mark < 128:")
        self.indent += 1
        self.put(f"{target} = {self.struct(f.struct, target + '_')}")
        self.indent -= 1

    def tags(self, struct: Struct, prefix: str) -> None:
        known = self.tagged(struct)
        if not known:
            if not self.counts:
                self.module.use("skip_tags")
                self.put("pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1")
                return
            self.module.use("skip_tags_within")
            self.put("if buf[pos]:")
            self.put("    pos, left = skip_tags_within(buf, pos, end, left)")
            self.put("else:")
            self.put("    pos += 1")
            return
        for f in known:
            default = self.module.default(self.message, f)
            self.put(f"{prefix}{f.attribute}: {self.module.type_of(self.message, f)} = {default}")
        count = f"{prefix}tag_count"
        self.module.use("read_tag_count", "read_uvarint", "skip_tag")
        self.put(f"{count} = buf[pos]")
        self.put("pos += 1")
        self.put(f"if {count}:")
        self.indent += 1
        self.put(f"{count}, pos = read_tag_count(buf, pos - 1, end)")
        self.count(count)
        self.put(f"for _ in range({count}):")
        self.indent += 1
        self.put("tag, pos = read_uvarint(buf, pos)")
        word = "if"
        for f in known:
            self.put(f"{word} tag == {f.tag}:")
            self.indent += 1
            self.put("_, pos = read_uvarint(buf, pos)")
            self.field(f, prefix + f.attribute, tagged=True)
            self.indent -= 1
            word = "elif"
        self.put("else:")
        self.put("    pos = skip_tag(buf, pos, end)")
        self.indent -= 2


class Writer(_Function):
    """Writes code that encodes. Variables are named after the field's path, so that none has two types."""

    def write(self) -> None:
        name = self.message.name
        lines = self.module.lines
        arguments = f"out: bytearray, m: {name}"
        lines += ["", "", f"def encode_{snake(name)}_{self.suffix}({arguments}) -> None:"]
        before = len(lines)
        self.put("try:")
        self.indent = 2
        fields_from = len(lines)
        self.struct(self.message.struct, "m", "")
        self.indent = 1
        if len(lines) == fields_from:
            lines[before:] = ["    return"]
            return
        self.module.use("UNFIT", "unfit")
        self.put("except UNFIT as error:")
        self.put(f'    raise unfit("{name}", error) from error')

    def struct(self, struct: Struct, source: str, path: str) -> None:
        for group in _groups(self.untagged(struct)):
            if group[0].kind in FIXED and not group[0].array:
                fmt = self.module.format_of(group)
                values = ", ".join(f"{source}.{f.attribute}" for f in group)
                self.put(f"out += _write_{identifier(fmt)}({values})")
            else:
                self.field(group[0], source, path)
        if self.flexible:
            self.tags(struct, source, path)

    def field(self, f: Field, source: str, path: str, *, tagged: bool = False) -> None:
        value = path + f.attribute
        if f.kind in FIXED and not f.array:
            self.put(f"out += _write_{identifier(self.module.format_of([f]))}({source}.{f.attribute})")
            return
        if f.kind == "string" and not f.array and not self.nullable(f) and not _may_be_none(f):
            self.text(f, f"{source}.{f.attribute}")
            return
        self.put(f"{value} = {source}.{f.attribute}")
        if not self.nullable(f):
            if _may_be_none(f):
                self.module.use("null")
                self.put(f"if {value} is None:")
                self.put(f'    raise null("{f.name}")')
            self.present(f, value, tagged=tagged)
            return
        if tagged and f.default is None:  # null is the default, which is not written
            self.present(f, value, tagged=tagged)
            return
        self.put(f"if {value} is None:")
        self.null(f, tagged=tagged)
        self.put("else:")
        self.indent += 1
        self.present(f, value, tagged=tagged)
        self.indent -= 1

    def null(self, f: Field, *, tagged: bool) -> None:
        if f.kind == "struct" and not f.array:
            self.put("    out.append(0)" if tagged else "    out.append(255)")
        elif self.compact(f):
            self.put("    out.append(0)")
        else:
            wide = self.wide(f)
            self.module.formats.add(wide)
            self.put(f"    out += _write_{wide}(-1)")

    def wide(self, f: Field) -> str:
        return "h" if f.kind == "string" and not f.array else "i"

    def present(self, f: Field, value: str, *, tagged: bool) -> None:
        if f.array:
            self.length(f, f"len({value})", self.wide(f))
            self.elements(f, value)
        elif f.kind == "struct":
            assert f.struct
            if self.nullable(f):
                self.put("out.append(1)")
            self.struct(f.struct, value, value + "_")
        else:
            self.text(f, value)

    def length(self, f: Field, expression: str, wide: str, *, compact: bool | None = None) -> None:
        if not (self.compact(f) if compact is None else compact):
            self.module.formats.add(wide)
            self.put(f"out += _write_{wide}({expression})")
            return
        self.put(f"n = {expression} + 1")
        self.put("if n < 128:")
        self.put("    out.append(n)")
        self.put("else:")
        if f.kind == "string" and wide == "h":
            self.module.use("write_text_length")
            self.put(f'    write_text_length(out, n, "{f.name}")')
        else:
            self.module.use("write_uvarint")
            self.put("    write_uvarint(out, n)")

    def text(self, f: Field, value: str) -> None:
        if f.kind == "string":
            self.put(f"text = {value}.encode()")
            value = "text"
        self.length(f, f"len({value})", "h" if f.kind == "string" else "i")
        self.put(f"out += {value}")

    def elements(self, f: Field, items: str) -> None:
        if f.kind in FIXED and f.kind != "uuid":
            self.module.formats.add(FIXED[f.kind])
            self.put(f'out += struct.pack(f">{{len({items})}}{FIXED[f.kind]}", *{items})')
            return
        item = f"{items}_item"
        self.put(f"for {item} in {items}:")
        self.indent += 1
        if f.kind == "struct":
            assert f.struct
            self.struct(f.struct, item, items + "_")
        elif f.kind == "uuid":
            self.put(f"out += {item}")
        else:
            self.text(f, item)
        self.indent -= 1

    def tags(self, struct: Struct, source: str, path: str) -> None:
        known = self.tagged(struct)
        if not known:
            self.put("out.append(0)")
            return
        self.module.use("write_tags")
        tags, outer = f"{path}tags", f"{path}outer"
        self.put(f"{tags}: list[tuple[int, bytearray]] = []")
        for f in known:
            self.put(f"if {self.differs(f, f'{source}.{f.attribute}')}:")
            self.indent += 1
            self.put(f"{outer} = out")
            self.put("out = bytearray()")
            self.field(f, source, path, tagged=True)
            self.put(f"{tags}.append(({f.tag}, out))")
            self.put(f"out = {outer}")
            self.indent -= 1
        self.put(f"write_tags(out, {tags})")

    def differs(self, f: Field, value: str) -> str:
        """Return an expression that is true if the field must be written because it is not its default."""
        if f.array and f.default is ...:
            return f"{value} is None or {value}" if self.nullable(f) else value
        if f.kind == "struct" and not f.array and f.default is ...:
            assert f.struct
            default = f"{self.class_of(f.struct)}()"
            differs = f"{value} != {default}"
            return f"{value} is not None and {differs}" if _none_is_default(f) else differs
        if f.default is None:
            return f"{value} is not None"
        if isinstance(f.default, bool):
            return f"not {value}" if f.default else value
        return f"{value} != {_literal(f)}"
