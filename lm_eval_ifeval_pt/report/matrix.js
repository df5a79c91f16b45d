// All pairs of the models of a task as a matrix, drawn when it comes into sight.
"use strict";
(() => {
  const { t, make, number, drawings, offerTable } = page;

  // The place of a pair among those above the diagonal, which are counted row by row.
  const above = (row, column, size) => row * size - (row * (row + 1)) / 2 + column - row - 1;

  async function draw(table) {
    const task = table.dataset.task;
    const { matrices } = await drawings;
    const { models, differences, p, apart, digits } = matrices[task];
    const largest = Math.max(...differences.map(Math.abs)) || 1;
    const cell = (row, column) => {
      if (row === column) return make("td", { class: "diagonal" }, "–");
      const place = above(Math.min(row, column), Math.max(row, column), models.length);
      const value = row < column ? differences[place] : -differences[place];
      const isApart = apart[place];
      const sign = value > 0 ? "+" : "";
      return make("td", {
        class: `pair ${isApart ? (value > 0 ? "above" : "below") : "same"}`,
        style: `--v:${(Math.abs(value) / largest).toFixed(2)}`,
        title: `${models[row]} − ${models[column]}: p ${p[place] === null ? "–" : p[place] < 0.001 ? `< ${number(0.001, 3)}` : number(p[place], 3)}`,
        "data-task": task, "data-model": models[row], "data-other": models[column],
      }, `${sign}${number(value, digits)}${isApart ? "*" : ""}`);
    };
    table.replaceChildren(
      make("caption", { class: "hidden" }, t("matrix_of", { task })),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "name" }, t("model")),
        ...models.map((model, place) => make("th", { scope: "col", title: model, "aria-label": model }, String(place + 1))))),
      make("tbody", {}, ...models.map((model, row) => make("tr", {},
        make("th", { scope: "row" }, `${row + 1}. `, make("bdi", {}, model)),
        ...models.map((_, column) => cell(row, column))))),
    );
    if (table.dataset.drawn === undefined) offerTable(table);
  }

  page.drawInSight(document.querySelectorAll(".matrix"), draw);
})();
