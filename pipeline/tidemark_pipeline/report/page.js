"use strict";
// Makes tables searchable and sortable. Without this script, all rows are visible.
// Text of clients is only read and compared here, never parsed as markup.
(function () {
  const FIRST = 25;
  const number = (value) => value.toLocaleString("en-US");
  const compare = new Intl.Collator("en", { numeric: true }).compare;

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.key === undefined ? cell.textContent : BigInt(cell.dataset.key);
  }

  function compared(one, other) {
    if (typeof one === "bigint" && typeof other === "bigint") return one < other ? -1 : one > other ? 1 : 0;
    return compare(String(one), String(other));
  }

  function enhance(list) {
    const body = list.querySelector("tbody");
    let rows = [...body.rows];
    let texts = null;
    let all = false;
    const search = element("input", { type: "search", placeholder: "Search", ariaLabel: "Search this table" });
    const shown = element("output");
    const more = element("button", { type: "button" });
    const bar = element("div", { className: "bar" }, search, shown, more);

    function draw() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length && texts === null) {
        texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
      }
      const found = words.length ? rows.filter((row) => words.every((word) => texts.get(row).includes(word))) : rows;
      const visible = new Set(all ? found : found.slice(0, FIRST));
      for (const row of rows) row.hidden = !visible.has(row);
      const what = words.length ? number(found.length) + " of " + number(rows.length) + " rows match" : number(rows.length) + " rows";
      shown.textContent = visible.size < found.length ? what + ", the first " + visible.size + " are shown" : what;
      more.hidden = found.length <= FIRST;
      more.textContent = all ? "Show the first " + FIRST : "Show all " + number(found.length);
    }

    function sort(column, header) {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of list.querySelectorAll("th")) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keys = new Map(rows.map((row) => [row, key(row, column)]));
      rows.sort((one, other) => (down ? -1 : 1) * compared(keys.get(one), keys.get(other)));
      body.append(...rows);
      draw();
    }

    list.querySelectorAll("th").forEach((header, column) => {
      const button = element("button", { type: "button", title: "Sort" }, ...header.childNodes);
      button.addEventListener("click", () => sort(column, header));
      header.append(button);
    });
    search.addEventListener("input", draw);
    more.addEventListener("click", () => { all = !all; draw(); });
    if (rows.length > 5) list.prepend(bar);
    draw();
  }

  document.querySelectorAll(".list").forEach(enhance);
})();
