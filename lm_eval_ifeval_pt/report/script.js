// The items of the report, and what leads to them.
"use strict";
(() => {
  const PAGE = 100; // items listed at once
  const SIDE_BY_SIDE = 2; // answers that are open; the others are folded
  const LISTED = 8; // models whose outcome the list shows; the detail has them all
  const SHOWN = 20000; // UTF-16 units of an answer shown at once
  const { t, byId, make } = page;

  page.inLanguage.push(() => {
    if (!open) return;
    fillFilters();
    list();
    show();
  });

  // ---- tables: kinds of rate, links to items

  for (const radio of document.querySelectorAll(".modes input")) {
    radio.addEventListener("change", () => {
      byId(`table-${radio.name.slice("mode-".length)}`).dataset.mode = radio.value;
    });
  }

  for (const target of document.querySelectorAll(".pick, .rate")) {
    target.addEventListener("click", async () => {
      const { model, other, restriction } = target.dataset;
      await choose(target.dataset.task ?? target.closest("table").dataset.task);
      reset();
      if (restriction !== undefined) byId("f-restriction").value = restriction;
      if (model !== undefined) byId("f-a").value = String(open.models.indexOf(model));
      if (other !== undefined) {
        byId("f-b").value = String(open.models.indexOf(other));
        byId("f-outcome").value = "differ";
      }
      list();
      byId("items").scrollIntoView();
      byId("list").querySelector("button")?.focus();
    });
  }

  // ---- items: one compressed block per task, opened when it is looked at

  const blocks = new Map([...document.querySelectorAll(".block")].map((block) => [block.dataset.task, block]));
  const opened = new Map();
  let open = null; // the block of the task that is shown
  let found = []; // its items that pass the filters
  let shown = null; // the item in detail

  async function read(task) {
    if (!opened.has(task)) {
      const bytes = Uint8Array.from(atob(blocks.get(task).textContent), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      opened.set(task, await new Response(stream).json());
    }
    return opened.get(task);
  }

  async function choose(task) {
    if (open?.task === task) return;
    open = await read(task);
    shown = null;
    fillFilters(true);
  }

  function fold(text) {
    return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function haystack(item) {
    item.fold ??= fold(
      [item.key, item.prompt, ...item.asked.map((one) => one.id), ...item.answers.map((one) => one?.text)].join("\n"),
    );
    return item.fold;
  }

  const yes = (answer) => answer !== null && answer.score === 1;
  const no = (answer) => answer !== null && answer.score !== null && answer.score < 1;

  // An answer as a filter judges it: on one restriction where one is chosen, else on the whole document.
  function judged(item, answer, restriction) {
    if (!answer || !restriction) return answer;
    const verdicts = answer.verdicts.filter((_, index) => item.asked[index]?.id === restriction);
    if (!verdicts.length) return null;
    return { score: Number(verdicts.every((one) => one.strict)), loose: Number(verdicts.every((one) => one.loose)) };
  }

  const OUTCOMES = {
    any: () => true,
    a_yes: (a) => yes(a),
    a_no: (a) => no(a),
    a_loose: (a) => no(a) && a.loose === 1,
    a_not_b: (a, b) => yes(a) && no(b),
    b_not_a: (a, b) => yes(b) && no(a),
    differ: (a, b) => (yes(a) && no(b)) || (yes(b) && no(a)),
    disagree: (a, b, all) => all.some(yes) && all.some(no),
  };

  function options(select, pairs, keep) {
    const before = select.value;
    select.replaceChildren(...pairs.map(([value, label]) => make("option", { value }, label)));
    if (keep && pairs.some(([value]) => value === before)) select.value = before;
  }

  function fillFilters(isNew = false) {
    const keep = !isNew;
    const models = open.models.map((name, index) => [String(index), name]);
    const many = models.length > 1;
    options(byId("f-task"), [...blocks.keys()].map((task) => [task, task]), true);
    byId("f-task").value = open.task;
    byId("f-task").closest("label").hidden = blocks.size < 2;
    options(byId("f-a"), models, keep);
    options(byId("f-b"), models, keep);
    if (isNew && many) byId("f-b").value = "1";
    byId("f-a").closest("label").hidden = byId("f-b").closest("label").hidden = !many;
    const outcomes = Object.keys(OUTCOMES).filter(
      (name) => (many || !["a_not_b", "b_not_a", "differ", "disagree"].includes(name)) && (open.verified || name !== "a_loose"),
    );
    options(byId("f-outcome"), outcomes.map((name) => [name, t(name)]), keep);
    const restrictions = new Set(open.items.flatMap((item) => item.asked.map((one) => one.id)));
    options(byId("f-restriction"), [["", t("any")], ...[...restrictions].map((id) => [id, id])], keep);
    byId("f-restriction").closest("label").hidden = !open.verified;
    options(byId("f-base"), [["", t("any")], ...open.bases.map((base, index) => [String(index), base])], keep);
    byId("f-base").closest("label").hidden = open.bases.length === 0;
  }

  function reset() {
    for (const id of ["f-a", "f-outcome", "f-restriction", "f-base"]) byId(id).selectedIndex = 0;
    if (open.models.length > 1) byId("f-b").value = "1";
    byId("f-search").value = "";
  }

  function passes(item) {
    const restriction = byId("f-restriction").value;
    const answers = item.answers.map((answer) => judged(item, answer, restriction));
    const [a, b] = [answers[byId("f-a").value] ?? null, answers[byId("f-b").value] ?? null];
    const base = byId("f-base").value;
    const query = fold(byId("f-search").value.trim());
    return (
      OUTCOMES[byId("f-outcome").value](a, b, answers) &&
      (!restriction || item.asked.some((one) => one.id === restriction)) &&
      (!base || item.base === Number(base)) &&
      (!query || haystack(item).includes(query))
    );
  }

  function outcome(answer) {
    if (answer === null) return ["part", "·", t("no_answer")];
    if (answer.score === 1) return ["yes", "✓", t(open.verified ? "followed" : "right")];
    if (answer.score === null) return ["part", "?", ""];
    if (answer.loose === 1) return ["part", "≈", t("loosely")];
    if (answer.score > 0) return ["part", answer.score.toFixed(2), answer.score.toFixed(2)];
    return ["no", "✗", t(open.verified ? "not_followed" : "wrong")];
  }

  // The models as the choice of A and B orders them: these two, then the others.
  function ordered() {
    const chosen = open.models.length > 1 ? [Number(byId("f-a").value), Number(byId("f-b").value)] : [0];
    return [...new Set([...chosen, ...open.models.keys()])];
  }

  function entry(item) {
    const names = item.asked.map((one) => one.id).join(" + ");
    const order = ordered().slice(0, LISTED);
    const outcomes = order.map((index) => outcome(item.answers[index]));
    const spoken = outcomes.map(([, , words], place) => `${open.models[order[place]]}: ${words}`).join("; ");
    return make(
      "button",
      { type: "button", "data-id": item.id, click: () => show(item), "aria-label": `${item.key}. ${names}. ${spoken}` },
      make(
        "span",
        { class: "top" },
        make("span", {}, `#${item.key}`),
        make("span", {}, ...outcomes.map(([kind, sign, words], place) =>
          make("span", { class: kind, title: `${open.models[order[place]]}: ${words}` }, ` ${sign}`))),
      ),
      names ? make("span", { class: "what", title: names }, names) : null,
      make("span", { class: "snippet", dir: "auto" }, item.question ?? ""),
    );
  }

  function list() {
    found = open.items.filter(passes);
    byId("found").textContent = found.length
      ? t("found", { found: found.length, total: open.items.length })
      : t("none_found");
    const box = byId("list");
    box.replaceChildren();
    const extend = (from) => {
      box.append(...found.slice(from, from + PAGE).map(entry));
      const rest = found.length - from - PAGE;
      if (rest > 0) {
        const more = make("button", { type: "button", click: () => {
          more.remove();
          extend(from + PAGE);
          box.children[from + PAGE].focus();
        } }, t("more", { count: Math.min(rest, PAGE) }));
        box.append(more);
      }
    };
    extend(0);
    mark();
  }

  function mark() {
    for (const button of byId("list").children) {
      if (shown && button.dataset.id === String(shown.id)) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  byId("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...byId("list").children];
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    if (step && next) {
      event.preventDefault();
      next.focus();
      if (next.dataset.id !== undefined) next.click();
    }
  });

  // ---- one item

  function pieces(text, spans) {
    // Where spans begin and end cuts the text; what lies in any of them is marked.
    const inside = spans.filter(([start, end]) => start < end).map(([start, end]) => [Math.max(0, start), Math.min(end, text.length)]);
    inside.sort((one, other) => one[0] - other[0]);
    const parts = [];
    let at = 0;
    for (const [start, end] of inside) {
      if (end <= at) continue;
      if (start > at) parts.push(text.slice(at, start));
      parts.push(make("mark", {}, text.slice(Math.max(at, start), end)));
      at = end;
    }
    parts.push(text.slice(at));
    return parts;
  }

  function textBox(text, spans = []) {
    const box = make("pre", { class: "text", dir: "auto", tabindex: "0" });
    const cut = text.length > SHOWN ? text.slice(0, SHOWN) : text;
    box.append(...(text ? pieces(cut, spans.filter(([start]) => start < cut.length)) : [t("empty")]));
    if (cut.length < text.length) {
      const more = make("button", { type: "button", click: () => box.replaceChildren(...pieces(text, spans)) },
        t("rest", { count: text.length - cut.length }));
      box.append(" ", more);
    }
    return box;
  }

  function verdictList(item, answer) {
    return make("ul", {}, ...answer.verdicts.map((verdict, index) => {
      const state = verdict.strict ? ["yes", `✓ ${t("followed")}`]
        : verdict.loose ? ["part", `≈ ${t("loosely")}`] : ["no", `✗ ${t("not_followed")}`];
      const name = item.asked.length > 1 ? `${item.asked[index]?.id}: ` : "";
      const detail = [verdict.detail, verdict.loose_detail].filter(Boolean).join(" → ");
      return make("li", {}, name, make("span", { class: state[0] }, state[1]), detail ? ` · ${detail}` : "");
    }));
  }

  function answerBox(item, index) {
    const answer = item.answers[index];
    const [kind, sign, words] = outcome(answer);
    const box = make("section", {}, make("h4", {}, make("bdi", {}, open.models[index]), " ", make("span", { class: kind }, `${sign} ${words}`)));
    if (answer === null) return box;
    if (answer.verdicts.length) box.append(verdictList(item, answer));
    if (answer.choices?.length) {
      const best = Math.max(...answer.choices.map(([, value]) => value));
      box.append(make("table", {}, make("caption", { class: "hidden" }, t("choices")), make("tbody", {}, ...answer.choices.map(([text, value]) =>
        make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, value === best ? make("mark", {}, text) : text)), make("td", {}, value.toFixed(2)))))));
    } else if (answer.text !== undefined) {
      box.append(textBox(answer.text, answer.verdicts.flatMap((verdict) => verdict.spans ?? [])));
    }
    if (answer.target) box.append(make("p", { class: "help" }, `${t("target")}: `, make("bdi", {}, answer.target.slice(0, 2000))));
    if (answer.metrics) {
      box.append(make("p", { class: "help" }, Object.entries(answer.metrics).map(([name, value]) => `${name} ${value}`).join(" · ")));
    }
    return box;
  }

  // The answers of the models besides A and B, made when they are asked for.
  function otherAnswers(item) {
    const others = ordered().slice(SIDE_BY_SIDE);
    if (!others.length) return [];
    const box = make("div", { class: "answers" });
    return [make("details", {
      class: "others",
      toggle: () => box.children.length || box.append(...others.map((index) => answerBox(item, index))),
    }, make("summary", {}, t("others", { count: others.length })), box)];
  }

  function show(item = shown) {
    if (!item) return;
    shown = item;
    mark();
    const place = found.findIndex((one) => one.id === item.id);
    const step = (by, key) => make("button", { type: "button", disabled: !found[place + by], click: () => show(found[place + by]) }, t(key));
    byId("detail").replaceChildren(
      make("div", { class: "steps" }, step(-1, "previous"), step(1, "next")),
      make("h3", {}, t("item", { key: item.key })),
      ...(open.text ? [make("h4", {}, t("prompt")), textBox(item.prompt)] : [make("p", { class: "help" }, t("no_text"))]),
      ...(item.sent ? [make("details", {}, make("summary", {}, t("sent")), textBox(item.sent))] : []),
      ...(item.asked.length ? [
        make("h4", {}, t("asked")),
        make("ul", {}, ...item.asked.map((one) => make("li", {}, make("b", {}, one.id), ` (${t(`${one.kind}_kind`)})`, one.words ? `: ${one.words}` : ""))),
      ] : []),
      make("div", { class: "answers" }, ...ordered().slice(0, SIDE_BY_SIDE).map((index) => answerBox(item, index))),
      ...otherAnswers(item),
      ...(open.verified && open.text ? [make("p", { class: "help" }, t("evidence"))] : []),
    );
    history.replaceState(null, "", `#item=${encodeURIComponent(open.task)}:${item.id}`);
    if (matchMedia("(max-width: 50rem)").matches) byId("detail").scrollIntoView();
  }

  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    reset();
    list();
  });
  byId("filters").addEventListener("change", async () => {
    await choose(byId("f-task").value);
    list();
    show();
  });
  byId("f-search").addEventListener("input", list);

  async function start() {
    if (!("DecompressionStream" in window)) {
      byId("found").textContent = t("failed_to_open");
      return;
    }
    const link = /^#item=(.+):(\d+)$/.exec(location.hash);
    const task = link ? decodeURIComponent(link[1]) : null;
    await choose(blocks.has(task) ? task : blocks.keys().next().value);
    list();
    if (link) {
      show(open.items.find((item) => String(item.id) === link[2]));
      byId("detail").scrollIntoView();
    }
    document.documentElement.dataset.ready = "";
  }
  start();
})();
