// Keys, values and headers of records: as text, JSON or bytes.

import { count, counted, el } from "./ui.js";

const PREVIEW_CHARS = 160;
const PREVIEW_BYTES = 24;
const HEX_BYTES = 4096;
const MAGIC = 0; // of the wire format of schema registries: this byte, and the id of a schema in four bytes

export const FORMATS = ["Text", "JSON", "Hex"];

// content: null, a text, {base64}, or {cut: one of both, bytes: the full size}, as /v1/records returns them.
export function read(content) {
  if (content === null) return { isNull: true };
  const isCut = typeof content === "object" && "cut" in content;
  const given = isCut ? content.cut : content;
  const text = typeof given === "string" ? given : null;
  const bytes = text === null ? Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(text);
  const schema = bytes.length > 5 && bytes[0] === MAGIC ? new DataView(bytes.buffer).getUint32(1) : null;
  return { isNull: false, text, bytes, schema, isCut, size: isCut ? content.bytes : bytes.length };
}

function json(found) {
  if (found.text === null || found.isCut || !/^\s*[[{"]/.test(found.text)) return null;
  try {
    return JSON.stringify(JSON.parse(found.text), null, 2);
  } catch {
    return null;
  }
}

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));

function dump(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, HEX_BYTES); at += 16) {
    const part = bytes.subarray(at, at + 16);
    const letters = [...part].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex(part).join(" ").padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}

// Control characters would be invisible.
const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (letter) => String.fromCharCode(0x2400 + (letter.charCodeAt(0) & 0x1f)));

export const sizeText = (found) => (found.isCut ? `cut: ${counted(found.size, "byte")}` : counted(found.size, "byte"));

// One line for a table.
export function preview(content) {
  const found = read(content);
  if (found.isNull) return el("span", { class: "note" }, "null");
  const more = found.isCut ? el("small", {}, ` ${sizeText(found)}`) : null;
  const shown = found.text !== null && found.schema === null ? visible(found.text).slice(0, PREVIEW_CHARS) : hex(found.bytes.subarray(0, PREVIEW_BYTES)).join(" ");
  return [el("bdi", { class: "name line-of-text" }, shown === "" ? "(empty)" : shown), more, found.schema !== null && el("small", {}, ` schema ${found.schema}`)];
}

// A block with the whole content. format: one of FORMATS; null for the one that suits it.
export function whole(content, format) {
  const found = read(content);
  if (found.isNull) return el("p", { class: "note" }, "null");
  const asJson = json(found);
  const chosen = format ?? (asJson !== null ? "JSON" : found.text !== null && found.schema === null ? "Text" : "Hex");
  const asText = () => visible(found.text ?? new TextDecoder().decode(found.bytes));
  const text = chosen === "JSON" ? asJson ?? "This is no JSON." : chosen === "Text" ? asText() : dump(found.bytes);
  return [
    el("pre", { tabindex: "0" }, el("bdi", {}, text)),
    el("p", { class: "note" }, sizeText(found), found.schema !== null && `, schema id ${found.schema} of a registry`,
      chosen === "Hex" && found.bytes.length > HEX_BYTES && `, the first ${count(HEX_BYTES)}`),
  ];
}
