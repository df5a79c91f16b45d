// What all pages share: texts in two languages, the theme, charts, tables that can be sorted. They work from disk, without
// network. Everything that a model or a file says goes into a page as text, never as markup: elements are made by `make`,
// strings only become text nodes.
"use strict";
const page = (() => {
  const { strings, charts, config, language: first } = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const inLanguage = []; // what else is to be done in the new language
  let language = remembered("language") ?? first;

  // ---- texts, language, theme

  function t(key, slots = {}) {
    return strings[key][language === "en" ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => String(slots[name]));
  }

  function remembered(name) {
    try {
      return localStorage.getItem(`lm_eval_ifeval_pt.${name}`);
    } catch {
      return null; // some browsers have no storage for files
    }
  }

  function remember(name, value) {
    try {
      localStorage.setItem(`lm_eval_ifeval_pt.${name}`, value);
    } catch {}
  }

  function translate() {
    document.documentElement.lang = language === "en" ? "en" : "pt-BR";
    for (const element of document.querySelectorAll("[data-t]")) {
      element.textContent = t(element.dataset.t, element.dataset.slots ? JSON.parse(element.dataset.slots) : {});
    }
  }

  byId("language").addEventListener("click", () => {
    language = language === "en" ? "pt" : "en";
    remember("language", language);
    translate();
    drawCharts();
    for (const each of inLanguage) each();
  });

  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
  if (remembered("theme")) document.documentElement.dataset.theme = remembered("theme");

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  // ---- charts

  function say(spec) {
    if (Array.isArray(spec)) return spec.map(say);
    if (spec === null || typeof spec !== "object") return spec;
    if (typeof spec.$t === "string") return t(spec.$t);
    return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, say(value)]));
  }

  function drawCharts() {
    for (const [id, spec] of Object.entries(charts)) {
      const figure = byId(id);
      figure.querySelector(".drawing")?.remove();
      const drawing = make("div", { class: "drawing" });
      figure.append(drawing);
      const compiled = vegaLite.compile(say(spec), { config, logger: vega.logger(vega.Error) }).spec;
      new vega.View(vega.parse(compiled), { renderer: "svg", container: drawing, hover: true }).runAsync();
    }
  }

  // ---- tables

  function sortValue(row, column) {
    const cell = row.cells[column];
    const mode = row.closest("table").dataset.mode;
    const shown = (mode && cell.querySelector(`.m-${mode} b`)) || cell.querySelector("b") || cell;
    const text = shown.textContent.trim();
    const number = parseFloat(text.replace("−", "-"));
    return Number.isNaN(number) ? (/^[–-]?$/.test(text) ? -Infinity : text) : number;
  }

  for (const button of document.querySelectorAll(".sort")) {
    button.addEventListener("click", () => {
      const header = button.closest("th");
      const body = header.closest("table").tBodies[0];
      const isName = typeof sortValue(body.rows[0], header.cellIndex) === "string";
      const was = header.ariaSort;
      const order = was === "none" ? (isName ? "ascending" : "descending") : was === "ascending" ? "descending" : "ascending";
      for (const other of header.parentElement.cells) if (other.ariaSort) other.ariaSort = "none";
      header.ariaSort = order;
      const sign = order === "ascending" ? 1 : -1;
      const compare = (one, other) => (typeof one === "string" || typeof other === "string"
        ? String(one).localeCompare(String(other), "pt")
        : one - other);
      const keyed = [...body.rows].map((row) => [sortValue(row, header.cellIndex), row]);
      keyed.sort(([one], [other]) => sign * compare(one, other));
      body.append(...keyed.map(([, row]) => row));
    });
  }

  translate();
  drawCharts();
  return { t, byId, make, inLanguage };
})();
