// Tables that can be searched and sorted, and a map that tells what is under the mouse.
// The page is complete without it.
"use strict";

function make(tag, look, text) {
  const made = document.createElement(tag);
  made.className = look || "";
  made.textContent = text || "";
  return made;
}

// --- tables

const SEARCHED = 12; // tables with as many rows have a search field

function shown(cell) {
  return cell ? cell.textContent.trim() : "";
}

function sortBy(table, column, header) {
  const down = header.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => {
    const text = shown(row.cells[column]);
    const number = parseFloat(text.replace(/[,\s%<>]/g, ""));
    return { row, text, number };
  });
  rows.sort((a, b) => {
    const numbers = !isNaN(a.number) && !isNaN(b.number);
    const order = numbers ? a.number - b.number : a.text.localeCompare(b.text, undefined, { numeric: true });
    return down ? -order : order;
  });
  for (const { row } of rows) body.append(row);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function search(table) {
  const field = make("input", "search");
  field.type = "search";
  field.placeholder = `Search ${table.tBodies[0].rows.length.toLocaleString("en")} rows`;
  field.setAttribute("aria-label", "Search the table");
  const found = make("span", "found");
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    found.textContent = words.length ? `${count.toLocaleString("en")} found` : "";
  });
  const line = make("div", "tools");
  line.append(field, found);
  table.closest(".scroll").before(line);
}

for (const table of document.querySelectorAll("main table")) {
  if (!table.tHead || table.tBodies[0].rows.length < 3) continue;
  if (table.tHead.rows.length === 1) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      header.tabIndex = 0;
      header.classList.add("sorts");
      header.title = "Sort";
      header.addEventListener("click", () => sortBy(table, column, header));
      header.addEventListener("keydown", (event) => {
        if (event.key === "Enter") sortBy(table, column, header);
      });
    });
  }
  if (table.tBodies[0].rows.length >= SEARCHED) search(table);
}

// --- the map

const NEAR = 14; // pixels

function pointsOf(svg) {
  const points = [];
  for (const path of svg.querySelectorAll("path[data-ids]")) {
    const ids = path.dataset.ids.split("\n");
    const strength = path.dataset.strength;
    const name = path.querySelector("title").textContent;
    let i = 0;
    for (const [, x, y] of path.getAttribute("d").matchAll(/M(-?\d+) (-?\d+)/g)) {
      const held = parseInt(strength.slice(2 * i, 2 * i + 2), 36) / 100;
      points.push({ x: +x, y: +y, id: ids[i], held, name, path });
      i += 1;
    }
    path.querySelector("title").remove(); // the browser's own tip would cover ours
  }
  return points;
}

for (const svg of document.querySelectorAll("svg.map")) {
  const points = pointsOf(svg);
  const tip = make("div", "tip");
  tip.hidden = true;
  document.body.append(tip);
  const ring = document.createElementNS(svg.namespaceURI, "circle");
  ring.setAttribute("class", "ring");
  svg.append(ring);
  svg.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const unit = svg.viewBox.baseVal.width / svg.clientWidth;
    let best = null;
    let least = (NEAR * unit) ** 2;
    for (const point of points) {
      const away = (point.x - at.x) ** 2 + (point.y - at.y) ** 2;
      if (away <= least) [best, least] = [point, away];
    }
    tip.hidden = best === null;
    ring.setAttribute("r", best === null ? 0 : 9 * unit);
    if (best === null) return;
    ring.setAttribute("cx", best.x);
    ring.setAttribute("cy", best.y);
    tip.replaceChildren(
      make("b", "", `${svg.dataset.what} ${best.id}`),
      make("div", "", best.name),
      make("div", "", `strength ${best.held.toFixed(2)}`),
    );
    const left = Math.min(event.pageX + 14, window.scrollX + document.documentElement.clientWidth - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(left, 0)}px`;
    tip.style.top = `${event.pageY + 16}px`;
  });
  svg.addEventListener("pointerleave", () => {
    tip.hidden = true;
    ring.setAttribute("r", 0);
  });
  for (const item of svg.closest("figure").querySelectorAll(".legend li[data-cluster]")) {
    const only = (on) => {
      svg.classList.toggle("dimmed", on);
      for (const path of svg.querySelectorAll("path[data-cluster]"))
        path.classList.toggle("lit", on && path.dataset.cluster === item.dataset.cluster);
    };
    item.addEventListener("pointerenter", () => only(true));
    item.addEventListener("pointerleave", () => only(false));
  }
}

// --- paper has no folds

addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
