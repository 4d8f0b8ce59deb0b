// Shows a page of the documentation: Markdown as the pages of this repository use it, as elements and text.

import { byId, el, setText } from "./ui.js";
import { theme } from "./theme.js";

const FIRST = "testing.md";

// The anchor of a heading, as GitHub makes it.
function slug(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

// `code`, **strong**, *emphasis*, [text](target), ![text](target)
const INLINE = /(`+)(?<code>.+?)\1|\*\*(?<strong>.+?)\*\*|\*(?<em>[^*\s][^*]*)\*|(?<image>!?)\[(?<text>(?:`[^`]*`|[^\]])*)\]\((?<target>[^)\s]+)\)/su;

function inline(text) {
  const parts = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found !== null; found = INLINE.exec(rest)) {
    const { code, strong, em, image, text: label, target } = found.groups;
    parts.push(rest.slice(0, found.index));
    if (code !== undefined) parts.push(el("code", {}, code));
    else if (strong !== undefined) parts.push(el("strong", {}, ...inline(strong)));
    else if (em !== undefined) parts.push(el("em", {}, ...inline(em)));
    else if (image) parts.push(el("img", { src: target, alt: label }));
    else parts.push(link(label, target));
    rest = rest.slice(found.index + found[0].length);
  }
  return [...parts, rest];
}

// Pages outside of docs/ are not served: their links become text.
function link(label, target) {
  const isWeb = /^https?:\/\//.test(target);
  const isPage = /^[#\w]/.test(target) && !target.includes(":") && (target.startsWith("#") || /\.(md|svg|png)(#|$)/.test(target));
  return isWeb || isPage ? el("a", { href: target, rel: isWeb ? "noreferrer" : null }, ...inline(label)) : el("span", {}, ...inline(label));
}

function cells(line) {
  return line.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

// Return the elements of the blocks in these lines.
function blocks(lines) {
  const made = [];
  let at = 0;
  const until = (test) => {
    const begin = at;
    while (at < lines.length && !test(lines[at])) at += 1;
    return lines.slice(begin, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^(```+)/.exec(line);
    const heading = /^(#{1,6}) +(.*)$/.exec(line);
    const item = /^([-*]|\d+\.) +/.exec(line);
    if (line.trim() === "" || line.startsWith("<!--")) at += 1;
    else if (fence) {
      at += 1;
      made.push(el("pre", { tabindex: "0" }, el("code", {}, until((each) => each.startsWith(fence[1])).join("\n"))));
      at += 1;
    } else if (heading) {
      at += 1;
      const title = el(`h${heading[1].length}`, {}, ...inline(heading[2]));
      title.id = slug(title.textContent);
      made.push(title);
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = until((each) => !each.startsWith("|")).map(cells);
      const row = (tag) => (values) => el("tr", {}, ...values.map((value) => el(tag, {}, ...inline(value))));
      made.push(el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, row("th")(head)), el("tbody", {}, ...rows.map(row("td"))))));
    } else if (item) made.push(list(lines, () => at, (next) => { at = next; }));
    else if (line.startsWith(">")) made.push(el("blockquote", {}, ...blocks(until((each) => !each.startsWith(">")).map((each) => each.replace(/^> ?/, "")))));
    else {
      const text = [line];
      at += 1;
      text.push(...until((each) => each.trim() === "" || /^(```|#{1,6} |\||>|[-*] |\d+\. )/.test(each)));
      made.push(el("p", {}, ...inline(text.join("\n"))));
    }
  }
  return made;
}

function list(lines, where, move) {
  const ordered = /^\d/.test(lines[where()]);
  const made = el(ordered ? "ol" : "ul");
  const marker = ordered ? /^\d+\. +/ : /^[-*] +/;
  let at = where();
  while (at < lines.length && marker.test(lines[at])) {
    const width = marker.exec(lines[at])[0].length;
    const inner = [lines[at].slice(width)];
    at += 1;
    while (at < lines.length && !marker.test(lines[at]) && (/^\s+\S/.test(lines[at]) || (lines[at].trim() === "" && /^\s+\S/.test(lines[at + 1] ?? "")))) {
      inner.push(lines[at].replace(new RegExp(`^ {1,${width}}`), ""));
      at += 1;
    }
    made.append(el("li", {}, ...blocks(inner)));
  }
  move(at);
  return made;
}

async function text(path) {
  const response = await fetch(path, { headers: { Accept: "text/plain" } });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.text();
}

async function show() {
  const name = location.pathname.replace(/^\/docs\/?/, "") || FIRST;
  const names = (await text("/docs")).trim().split("\n").filter((path) => !path.includes("/decisions/"));
  byId("pages").replaceChildren(
    ...names.map((path) => el("a", { href: path, "aria-current": path === `/docs/${name}` ? "page" : null }, path.slice("/docs/".length, -".md".length))),
  );
  if (location.pathname.replace(/\/$/, "") === "/docs") history.replaceState(null, "", `/docs/${FIRST}${location.hash}`);
  byId("page").replaceChildren(...blocks((await text(`/docs/${name}`)).split("\n")));
  document.title = `tidemark: ${byId("page").querySelector("h1")?.textContent ?? name}`;
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

theme();
show().catch((error) => setText(byId("page"), error.message));
