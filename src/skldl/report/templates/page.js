
"use strict";
(() => {
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.key ?? cell.textContent.trim();
  };
  // missing values stay last, whichever way the column is sorted
  const compare = (a, b, sign) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [Number(a), Number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return sign * (x - y);
    return sign * a.localeCompare(b, undefined, { numeric: true });
  };
  const sort = (button) => {
    const head = button.closest("th");
    const table = head.closest("table");
    const column = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [keyOf(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0], up ? 1 : -1));
    body.append(...rows.map((pair) => pair[1]));
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    document.getElementById("said").textContent =
      `Sorted by ${button.textContent}, ${up ? "ascending" : "descending"}.`;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".sortable thead button");
    if (button) sort(button);
  });
  // a link into a folded part opens it
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
  };
  addEventListener("hashchange", unfold);
  // what goes on to the right fades out there, until it is scrolled to its end
  const fade = (box) => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("more", rest > 2);
  };
  const fadeAll = () => document.querySelectorAll(".scroll").forEach(fade);
  document.addEventListener("scroll", (event) => {
    if (event.target.classList?.contains("scroll")) fade(event.target);
  }, true);
  addEventListener("resize", fadeAll);
  document.addEventListener("toggle", fadeAll, true);
  fadeAll();
  // paper cannot be clicked: everything is open while the page is printed
  const opened = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.open = true;
      opened.push(part);
    }
  });
  addEventListener("afterprint", () => {
    for (const part of opened.splice(0)) part.open = false;
  });
  unfold();
})();
