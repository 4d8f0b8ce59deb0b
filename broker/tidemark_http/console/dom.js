// Elements and tables. Every text of the broker becomes a text node: none of it is ever parsed as HTML.

export function byId(id) {
  return document.getElementById(id);
}

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Terms and values. Elements stay in place when only a value changes.
export function showFacts(list, facts) {
  const names = facts.map(([name]) => name).join("\n");
  if (list.dataset.names !== names) {
    list.dataset.names = names;
    list.replaceChildren(...facts.flatMap(([name]) => [el("dt", {}, name), el("dd")]));
  }
  const values = list.querySelectorAll("dd");
  facts.forEach(([, value], index) => setText(values[index], String(value)));
}

const FIRST_ROWS = 200;

// A table whose rows are updated in place, by key.
//
// columns: {label, text(row), sort(row), kind: "text" | "name" | "number" | "badge" | "due", tone(row), href(row), open(row),
//   actions: [{label, shown(row), run(row)}]}: buttons instead of a text
//   A "due" column's text(row) returns a time in ms or null, which `tick` counts down.
// options: key(row), sentence(row): a text below the row; empty: the text of an empty table; caption
export class Table {
  constructor(container, columns, options) {
    this.columns = columns;
    this.options = options;
    this.rows = [];
    this.known = new Map();
    this.limit = FIRST_ROWS;
    this.sorted = null;
    this.descending = false;
    this.head = el("tr", {}, ...columns.map((column, index) => this.heading(column, index)));
    this.body = el("tbody");
    this.table = el("table", { "aria-label": options.caption }, el("thead", {}, this.head), this.body);
    this.empty = el("p", { class: "empty" }, options.empty);
    this.more = el("button", { type: "button", class: "more", click: () => this.showMore() });
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption }, this.table, this.empty);
    container.replaceChildren(this.scroll, this.more);
    this.show([]);
  }

  heading(column, index) {
    const content = column.sort
      ? el("button", { type: "button", click: () => this.sortBy(index) }, column.label)
      : column.label;
    return el("th", { scope: "col", class: isNumber(column) ? "number" : null }, content);
  }

  sortBy(index) {
    this.descending = this.sorted === index && !this.descending;
    this.sorted = index;
    [...this.head.children].forEach((cell, each) => {
      if (each === index) cell.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    this.show(this.rows);
  }

  showMore() {
    this.limit += FIRST_ROWS;
    this.show(this.rows);
  }

  show(rows) {
    this.rows = rows;
    const shown = this.inOrder(rows).slice(0, this.limit);
    const kept = new Set();
    let next = this.body.firstChild;
    for (const row of shown) {
      const key = this.options.key(row);
      kept.add(key);
      let entry = this.known.get(key);
      if (!entry) {
        entry = this.newEntry();
        this.known.set(key, entry);
      }
      this.update(entry, row);
      for (const element of entry.elements) {
        if (element === next) next = next.nextSibling;
        else this.body.insertBefore(element, next);
      }
    }
    for (const [key, entry] of this.known) {
      if (kept.has(key)) continue;
      entry.elements.forEach((element) => element.remove());
      this.known.delete(key);
    }
    this.table.hidden = rows.length === 0;
    this.empty.hidden = rows.length > 0;
    this.more.hidden = rows.length <= this.limit;
    setText(this.more, `Show ${Math.min(FIRST_ROWS, rows.length - this.limit)} more of ${rows.length}`);
  }

  inOrder(rows) {
    const column = this.columns[this.sorted];
    if (!column) return rows;
    const sign = this.descending ? -1 : 1;
    return [...rows].sort((one, two) => {
      const [a, b] = [column.sort(one), column.sort(two)];
      if (a === b) return 0;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    });
  }

  newEntry() {
    const entry = { row: null, cells: [], elements: [] };
    const line = el("tr", { class: "row" });
    for (const column of this.columns) {
      const cell = el("td", { "data-label": column.label });
      if (isNumber(column)) cell.classList.add("number");
      let target = cell;
      if (column.href) target = el("a", { class: "name" });
      else if (column.open) target = el("button", { type: "button", class: "link name", click: () => column.open(entry.row) });
      else if (column.kind === "badge") target = el("span", { class: "badge" });
      else if (column.kind === "name") target = el("span", { class: "name" });
      for (const action of column.actions || []) {
        cell.classList.add("actions");
        cell.append(el("button", { type: "button", class: "link", click: () => action.run(entry.row) }, action.label));
      }
      if (column.wide) cell.classList.add("wide");
      if (target !== cell) cell.append(target);
      line.append(cell);
      entry.cells.push({ cell, target });
    }
    entry.elements.push(line);
    if (this.options.sentence) {
      const text = el("td", { colspan: this.columns.length });
      entry.sentence = text;
      entry.elements.push(el("tr", { class: "sentence" }, text));
    }
    return entry;
  }

  update(entry, row) {
    entry.row = row;
    this.columns.forEach((column, index) => {
      const { cell, target } = entry.cells[index];
      if (column.actions) {
        column.actions.forEach((action, each) => { cell.children[each].hidden = action.shown ? !action.shown(row) : false; });
        return;
      }
      const value = column.text(row);
      if (column.kind === "due") {
        cell.classList.add("due", "digits");
        cell.dueMs = value;
        countDown(cell);
      } else {
        setText(target, value === null || value === undefined ? "–" : String(value));
        cell.classList.toggle("blank", value === "");
      }
      if (column.href) {
        const href = column.href(row);
        if (target.getAttribute("href") !== href) target.setAttribute("href", href);
      }
      if (column.tone) target.className = `badge ${column.tone(row)}`;
    });
    if (entry.sentence) setText(entry.sentence, this.options.sentence(row) || "");
    const current = Boolean(this.options.current && this.options.current(row));
    if (current) entry.elements[0].setAttribute("aria-current", "true");
    else entry.elements[0].removeAttribute("aria-current");
  }
}

function isNumber(column) {
  return column.kind === "number" || column.kind === "due";
}

let remaining = () => null;

// Show in every "due" cell what `left(dueMs)` returns: {text, tone}, or null if nothing is due.
export function countDownWith(left) {
  remaining = left;
}

export function tick() {
  document.querySelectorAll("td.due").forEach(countDown);
}

function countDown(cell) {
  const left = cell.dueMs === null || cell.dueMs === undefined ? null : remaining(cell.dueMs);
  setText(cell, left === null ? "–" : left.text);
  cell.classList.toggle("soon", left !== null && left.tone === "soon");
  cell.classList.toggle("over", left !== null && left.tone === "over");
}
