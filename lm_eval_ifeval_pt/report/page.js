// What all pages share: texts in two languages, the theme, charts, tables that can be sorted and saved. They work from
// disk, without network. Everything that a model or a file says goes into a page as text, never as markup: elements are
// made by `make`, strings only become text nodes.
"use strict";
const page = (() => {
  const { strings, config, language: first } = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const inLanguage = []; // what else is to be done in the new language
  let language = remembered("language") ?? first;

  // ---- texts, numbers, language, theme

  function t(key, slots = {}) {
    return strings[key][language === "en" ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => {
      const value = String(slots[name]);
      return /^−?\d+\.\d+$/.test(value) ? decimals(value) : value;
    });
  }

  // A text of numbers with the decimal mark of the language.
  function decimals(text) {
    const [from, to] = language === "en" ? [",", "."] : [".", ","];
    return text.replace(new RegExp(`(?<![\\d${from}])(\\d+)[${from}](?=\\d+(?![\\d${from}]))`, "g"), `$1${to}`);
  }

  const number = (value, digits) => decimals(value.toFixed(digits).replace("-", "−"));

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
    for (const cell of document.querySelectorAll("td:not(.name), th .number")) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        if (/\d[.,]\d/.test(node.data) && !node.parentElement.dataset.t) node.data = decimals(node.data);
      }
    }
  }

  byId("language").addEventListener("click", () => {
    language = language === "en" ? "pt" : "en";
    remember("language", language);
    translate();
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

  // The text that Python packed: gzip in base 85 (RFC 1924), with a full stop for `<`.
  const DIGITS = new Uint8Array(128);
  [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;.=>?@^_`{|}~"].forEach((char, digit) => {
    DIGITS[char.charCodeAt(0)] = digit;
  });

  async function opened(packed) {
    const padding = (5 - (packed.length % 5)) % 5;
    const length = (packed.length + padding) / 5;
    const bytes = new Uint8Array(4 * length);
    for (let group = 0; group < length; group++) {
      let value = 0;
      for (let place = 5 * group; place < 5 * group + 5; place++) {
        value = 85 * value + (place < packed.length ? DIGITS[packed.charCodeAt(place)] : 84);
      }
      bytes.set([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255], 4 * group);
    }
    return text(bytes.subarray(0, bytes.length - padding));
  }

  async function text(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // ---- saving

  function save(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // A button that saves something; `name` says what to those who do not see where it stands.
  function saver(kind, name, act) {
    const button = make("button", { type: "button", click: act }, make("span", { "data-t": "download", "data-slots": JSON.stringify({ kind }) }, t("download", { kind })));
    const label = () => button.setAttribute("aria-label", t("download_of", { kind, name: name() }));
    label();
    inLanguage.push(label);
    return button;
  }

  const fileName = (name) => name.normalize("NFD").replace(/\p{M}/gu, "").replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "report";

  // ---- charts: drawn when they come into sight, by libraries that are opened then

  const drawings = opened(byId("drawings").textContent).then(JSON.parse);
  let libraries = null;

  function loadLibraries() {
    libraries ??= (async () => {
      for (const block of document.querySelectorAll(".library")) {
        const script = document.createElement("script");
        script.textContent = await opened(block.textContent);
        document.head.append(script);
      }
    })();
    return libraries;
  }

  function say(spec) {
    if (Array.isArray(spec)) return spec.map(say);
    if (spec === null || typeof spec !== "object") return spec;
    if (typeof spec.$t === "string") return t(spec.$t);
    return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, say(value)]));
  }

  const comma = { decimal: ",", thousands: ".", grouping: [3], currency: ["R$ ", ""] };
  const inks = (colours) => ({ ...colours, ...(language === "pt" ? { locale: { number: comma } } : {}) });

  function compiled(spec, colours) {
    return vega.parse(vegaLite.compile(spec, { config: inks(colours), logger: vega.logger(vega.Error) }).spec);
  }

  // Panels side by side as far as there is room, and none wider than the room beside the names.
  function fitted(spec, width) {
    const panel = spec.facet ? spec.spec : spec;
    if (typeof panel.width !== "number") return spec;
    const names = 6.2 * Math.max(...spec.data.values.map(({ name }) => name.length)) + 30;
    const fits = { width: Math.max(120, Math.min(panel.width, width - names)) };
    const columns = Math.max(1, Math.floor((width - names + 18) / (panel.width + 18)));
    return spec.facet ? { ...spec, columns: Math.min(spec.columns, columns), spec: { ...panel, ...fits } } : { ...spec, ...fits };
  }

  async function draw(figure) {
    const [{ charts }] = await Promise.all([drawings, loadLibraries()]);
    const spec = fitted(say(charts[figure.id]), figure.clientWidth);
    const drawing = make("div", { class: "drawing" });
    figure.querySelector(".drawing")?.remove();
    figure.prepend(drawing);
    const view = new vega.View(compiled(spec, config), { renderer: "svg", container: drawing, hover: true });
    if (spec.description) view.description(spec.description);
    await view.runAsync();
    if (!figure.querySelector(".savers")) figure.append(chartSavers(figure, charts[figure.id]));
  }

  const inBlack = (spec) => JSON.parse(JSON.stringify(spec).replaceAll("currentColor", "black"));

  function chartSavers(figure, chart) {
    const name = () => figure.closest("section, article")?.querySelector("h2, h3")?.textContent ?? figure.id;
    const view = () => {
      const spec = inBlack(say(chart));
      if (spec.width === "container") spec.width = 460;
      return new vega.View(compiled(spec, { ...inBlack(config), background: "white" }), { renderer: "none" });
    };
    return make("p", { class: "savers" },
      saver("SVG", name, async () => save(new Blob([await view().toSVG()], { type: "image/svg+xml" }), `${fileName(figure.id)}.svg`)),
      saver("PNG", name, async () => {
        const canvas = await view().toCanvas(3);
        canvas.toBlob((blob) => save(blob, `${fileName(figure.id)}.png`), "image/png");
      }));
  }

  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("main details:not(.note)")) folded.open = true;
  });

  // Draw each element when it comes into sight or is to be printed, and again in another language.
  function drawInSight(elements, draw) {
    const ask = async (element) => {
      if (element.dataset.asked !== undefined) return;
      element.dataset.asked = "";
      await draw(element);
      element.dataset.drawn = "";
    };
    const sight = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) ask(target);
    }, { rootMargin: "200px" });
    for (const element of elements) sight.observe(element);
    addEventListener("beforeprint", () => elements.forEach(ask));
    inLanguage.push(() => {
      for (const element of elements) if (element.dataset.drawn !== undefined) draw(element);
    });
  }

  drawInSight(document.querySelectorAll("figure.chart"), draw);

  // ---- tables

  // What of a cell is seen: of several kinds of rate the one that is chosen.
  function seen(cell) {
    const mode = cell.closest("table").dataset.mode;
    return (mode && cell.querySelector(`.m-${mode}`)) || cell;
  }

  function sortValue(row, column) {
    const cell = seen(row.cells[column]);
    const text = (cell.querySelector("b") ?? cell).textContent.trim();
    const value = parseFloat(text.replace("−", "-").replace(",", "."));
    return Number.isNaN(value) ? (/^[–-]?$/.test(text) ? -Infinity : text) : value;
  }

  function sort(button) {
    const header = button.closest("th");
    const body = header.closest("table").tBodies[0];
    const isName = typeof sortValue(body.rows[0], header.cellIndex) === "string";
    const was = header.ariaSort;
    const order = was === "none" ? (isName ? "ascending" : "descending") : was === "ascending" ? "descending" : "ascending";
    for (const other of header.parentElement.cells) if (other.ariaSort) other.ariaSort = "none";
    header.ariaSort = order;
    const sign = order === "ascending" ? 1 : -1;
    const compare = (left, right) => (typeof left === "string" || typeof right === "string"
      ? String(left).localeCompare(String(right), "pt")
      : left - right);
    const keyed = [...body.rows].map((row) => [sortValue(row, header.cellIndex), row]);
    keyed.sort(([left], [right]) => sign * compare(left, right));
    body.append(...keyed.map(([, row]) => row));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".sort");
    if (button) sort(button);
  });

  // A number as programs read it; other texts as they are, but never as a formula.
  function plain(text) {
    const words = text.replace(/\s+/g, " ").trim();
    if (/^[+−-]?\d+([.,]\d+)?\*?$/.test(words)) return words.replace("−", "-").replace(",", ".").replace(/^\+|\*$/g, "");
    return /^[=+@\t-]/.test(words) ? `'${words}` : words;
  }

  // A cell as columns: what it says, and the ends of the interval or the standard error beside it.
  function columnsOf(cell) {
    const part = seen(cell).cloneNode(true);
    const beside = part.querySelector("small");
    beside?.remove();
    const text = beside?.textContent.trim().replace(/^\(|\)$/g, "") ?? "";
    const ends = /^([+−]?[\d.,]+)(?:–|; )([+−]?[\d.,]+)$/.exec(text);
    if (ends) return { own: part.textContent, low: ends[1], high: ends[2] };
    return text ? { own: part.textContent, [text.startsWith("±") ? "±" : "…"]: text.replace(/^± ?/, "") } : { own: part.textContent };
  }

  function commaSeparated(table) {
    const header = [...table.tHead.rows].at(-1).cells;
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(columnsOf));
    const parts = [...header].map((_, place) => ["own", "low", "high", "±", "…"].filter((name) => name === "own" || rows.some((row) => row[place]?.[name] !== undefined)));
    const heads = [...header].flatMap((cell, place) => parts[place].map((name) => {
      const said = cell.title || cell.textContent;
      return plain(name === "own" ? said : `${said.trim()} ${name}`);
    }));
    const lines = [heads, ...rows.map((row) => row.flatMap((cell, place) => parts[place].map((name) => plain(cell[name] ?? ""))))];
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return lines.map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
  }

  function offerTable(table) {
    const name = () => table.caption?.textContent.trim() || table.closest("section")?.querySelector("h2")?.textContent || "";
    const button = saver("CSV", name, () => save(new Blob(["\ufeff", commaSeparated(table)], { type: "text/csv" }), `${fileName(name())}.csv`));
    table.closest(".wide").after(make("p", { class: "savers" }, button));
  }

  for (const table of document.querySelectorAll("main .wide > table")) if (table.tHead) offerTable(table);

  if (language !== first) translate();
  return { t, byId, make, number, decimals, opened, inLanguage, offerTable, commaSeparated, drawings, drawInSight };
})();
