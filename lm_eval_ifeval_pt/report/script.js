// The items of the report, and what leads to them.
"use strict";
(() => {
  const PAGE = 100; // items listed at once
  const SIDE_BY_SIDE = 2; // answers that are open; the others are folded
  const LISTED = 8; // models whose outcome the list shows; the detail has them all
  const SHOWN = 20000; // UTF-16 units of an answer shown at once
  const DIFFERENCES = 4_000_000; // pairs of words up to which two answers are compared
  const { t, byId, make, number } = page;

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

  // What leads to items: a restriction, a value of a field, a rate of a model, a pair.
  document.addEventListener("click", async (event) => {
    const target = event.target.closest?.(".pick, .rate, td.pair");
    if (!target) return;
    const { model, other, restriction, field, value } = target.dataset;
    await choose(target.dataset.task ?? target.closest("table").dataset.task);
    reset();
    if (restriction !== undefined) byId("f-restriction").value = restriction;
    if (field !== undefined) byId("f-field").value = fieldValue(field, value);
    if (model !== undefined) byId("f-a").value = String(open.models.indexOf(model));
    if (other !== undefined) {
      byId("f-b").value = String(open.models.indexOf(other));
      byId("f-outcome").value = "differ";
    }
    list();
    keepLink();
    byId("items").scrollIntoView();
    byId("list").querySelector("button")?.focus({ preventScroll: true });
  });

  // ---- items: one compressed block per task, opened when it is looked at

  const blocks = new Map([...document.querySelectorAll(".block")].map((block) => [block.dataset.task, block]));
  const opened = new Map();
  let open = null; // the block of the task that is shown
  let passing = []; // its items that pass the filters
  let shown = null; // the item in detail
  let isMarkingDifferences = false; // of A and B, rather than the evidence

  async function read(task) {
    if (!opened.has(task)) {
      const block = JSON.parse(await page.opened(blocks.get(task).textContent));
      for (const answer of block.items.flatMap((item) => item.answers)) {
        if (answer?.text !== undefined) answer.text = block.texts[answer.text];
      }
      opened.set(task, block);
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
      [item.key, item.prompt, ...item.asked.map((asked) => asked.id), ...item.answers.map((answer) => answer?.text)].join("\n"),
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
    return { score: Number(verdicts.every((verdict) => verdict.strict)), loose: Number(verdicts.every((verdict) => verdict.loose)) };
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
    const restrictions = new Set(open.items.flatMap((item) => item.asked.map((asked) => asked.id)));
    options(byId("f-restriction"), [["", t("any")], ...[...restrictions].map((id) => [id, id])], keep);
    byId("f-restriction").closest("label").hidden = !open.verified;
    options(byId("f-base"), [["", t("any")], ...open.bases.map((base, index) => [String(index), base])], keep);
    byId("f-base").closest("label").hidden = open.bases.length === 0;
    const values = open.fields.flatMap((field, place) =>
      [...new Set(open.items.map((item) => item.values[place]))].sort((left, right) => left.localeCompare(right, "pt", { numeric: true }))
        .map((value) => [fieldValue(field, value), `${field}: ${value}`]));
    options(byId("f-field"), [["", t("any")], ...values], keep);
    byId("f-field").closest("label").hidden = !values.length;
  }

  const fieldValue = (field, value) => `${field}=${value}`;

  function reset() {
    for (const id of ["f-a", "f-outcome", "f-restriction", "f-base", "f-field"]) byId(id).selectedIndex = 0;
    if (open.models.length > 1) byId("f-b").value = "1";
    byId("f-search").value = "";
  }

  function passes(item) {
    const restriction = byId("f-restriction").value;
    const answers = item.answers.map((answer) => judged(item, answer, restriction));
    const [a, b] = [answers[byId("f-a").value] ?? null, answers[byId("f-b").value] ?? null];
    const [base, field] = [byId("f-base").value, byId("f-field").value];
    const query = fold(byId("f-search").value.trim());
    return (
      OUTCOMES[byId("f-outcome").value](a, b, answers) &&
      (!restriction || item.asked.some((asked) => asked.id === restriction)) &&
      (!base || item.base === Number(base)) &&
      (!field || open.fields.some((name, place) => fieldValue(name, item.values[place]) === field)) &&
      (!query || haystack(item).includes(query))
    );
  }

  function outcome(answer) {
    if (answer === null) return ["part", "·", t("no_answer")];
    if (answer.score === 1) return ["yes", "✓", t(open.verified ? "followed" : "right")];
    if (answer.score === null) return ["part", "?", ""];
    if (answer.loose === 1) return ["part", "≈", t("loosely")];
    if (answer.score > 0) return ["part", number(answer.score, 2), number(answer.score, 2)];
    return ["no", "✗", t(open.verified ? "not_followed" : "wrong")];
  }

  // The models as the choice of A and B orders them: these two, then the others.
  function ordered() {
    const chosen = open.models.length > 1 ? [Number(byId("f-a").value), Number(byId("f-b").value)] : [0];
    return [...new Set([...chosen, ...open.models.keys()])];
  }

  function entry(item) {
    const names = item.asked.map((asked) => asked.id).join(" + ");
    const order = ordered().slice(0, LISTED);
    const outcomes = order.map((index) => outcome(item.answers[index]));
    const spoken = outcomes.map(([, , words], place) => `${open.models[order[place]]}: ${words}`).join("; ");
    return make(
      "button",
      { type: "button", "data-id": item.id, click: () => reach(item), "aria-label": `${item.key}. ${names}. ${spoken}` },
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

  // Show what was chosen in the list; on a narrow screen it stands below.
  function reach(item) {
    show(item);
    if (matchMedia("(max-width: 50rem)").matches) byId("detail").scrollIntoView();
  }

  function list() {
    passing = open.items.filter(passes);
    byId("found").textContent = passing.length
      ? t("found", { found: passing.length, total: open.items.length })
      : t("none_found");
    const box = byId("list");
    box.replaceChildren();
    const extend = (from) => {
      box.append(...passing.slice(from, from + PAGE).map(entry));
      const rest = passing.length - from - PAGE;
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

  // A text cut where marks begin and end: `evidence` decided, `echo` is repeated from the prompt, `words` differ.
  function pieces(text, { evidence = [], echo = [], words = [] }) {
    const within = (spans) => spans.map(([start, end]) => [Math.max(0, start), Math.min(end, text.length)]).filter(([start, end]) => start < end);
    const kinds = [within(evidence), within(echo), within(words)];
    const cuts = [...new Set([0, text.length, ...kinds.flat(2)])].sort((left, right) => left - right);
    const starts = cuts.slice(0, -1);
    const covers = kinds.map((spans) => {
      const ordered = [...spans].sort(([left], [right]) => left - right);
      let [next, upto] = [0, 0];
      return starts.map((start) => {
        while (next < ordered.length && ordered[next][0] <= start) upto = Math.max(upto, ordered[next++][1]);
        return start < upto;
      });
    });
    return starts.map((start, place) => {
      const part = text.slice(start, cuts[place + 1]);
      const [decided, repeated, differs] = covers.map((cover) => cover[place]);
      if (differs) return make("ins", {}, part);
      if (decided) return make("mark", repeated ? { class: "echo", title: t("repeated") } : {}, part);
      return repeated ? make("span", { class: "echo", title: t("repeated") }, part) : part;
    });
  }

  function textBox(text, marks = {}) {
    const box = make("pre", { class: "text", dir: "auto", tabindex: "0" });
    const cut = text.length > SHOWN ? text.slice(0, SHOWN) : text;
    box.append(...(text ? pieces(cut, marks) : [t("empty")]));
    if (cut.length < text.length) {
      const more = make("button", { type: "button", click: () => box.replaceChildren(...pieces(text, marks)) },
        t("rest", { count: text.length - cut.length }));
      box.append(" ", more);
    }
    return box;
  }

  // ---- the words that differ

  const wordsOf = (text) => [...text.matchAll(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\s]/gu)];

  // The spans of the words of each text that are not in the longest common sequence of both; null where it takes too long.
  function differences(left, right) {
    const [a, b] = [wordsOf(left), wordsOf(right)];
    let first = 0;
    while (first < a.length && first < b.length && a[first][0] === b[first][0]) first++;
    let [endA, endB] = [a.length, b.length];
    while (endA > first && endB > first && a[endA - 1][0] === b[endB - 1][0]) [endA, endB] = [endA - 1, endB - 1];
    const [rows, columns] = [endA - first, endB - first];
    if (rows * columns > DIFFERENCES) return null;
    const width = columns + 1;
    const lengths = new Uint16Array((rows + 1) * width);
    for (let row = rows - 1; row >= 0; row--) {
      for (let column = columns - 1; column >= 0; column--) {
        lengths[row * width + column] = a[first + row][0] === b[first + column][0]
          ? lengths[(row + 1) * width + column + 1] + 1
          : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
      }
    }
    const only = [[], []];
    let [row, column] = [0, 0];
    while (row < rows || column < columns) {
      if (row < rows && column < columns && a[first + row][0] === b[first + column][0]) [row, column] = [row + 1, column + 1];
      else if (column === columns || (row < rows && lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])) only[0].push(a[first + row++]);
      else only[1].push(b[first + column++]);
    }
    return only.map((words) => words.map((word) => [word.index, word.index + word[0].length]));
  }

  function verdictList(item, answer) {
    return make("ul", {}, ...answer.verdicts.map((verdict, index) => {
      const state = verdict.strict ? ["yes", `✓ ${t("followed")}`]
        : verdict.loose ? ["part", `≈ ${t("loosely")}`] : ["no", `✗ ${t("not_followed")}`];
      const name = item.asked.length > 1 ? `${item.asked[index]?.id}: ` : "";
      const repeated = verdict.repeated ? `(${t("rests_on_echo")})` : "";
      const detail = [[verdict.detail, verdict.loose_detail].filter(Boolean).join(" → "), repeated].filter(Boolean).join(" ");
      return make("li", {}, name, make("span", { class: state[0] }, state[1]), detail ? ` · ${detail}` : "");
    }));
  }

  function answerBox(item, index, words) {
    const answer = item.answers[index];
    const [kind, sign, said] = outcome(answer);
    const box = make("section", {}, make("h4", {}, make("bdi", {}, open.models[index]), " ", make("span", { class: kind }, `${sign} ${said}`)));
    if (answer === null) return box;
    const verdicts = answer.verdicts ?? [];
    if (verdicts.length) box.append(verdictList(item, answer));
    const choices = answer.options ?? item.options;
    if (answer.likelihoods?.length && choices) {
      const best = answer.best ?? answer.likelihoods.indexOf(Math.max(...answer.likelihoods));
      box.append(make("table", {}, make("caption", { class: "hidden" }, t("choices")), make("tbody", {}, ...answer.likelihoods.map((value, place) =>
        make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, place === best ? make("mark", {}, choices[place]) : choices[place])), make("td", {}, number(value, 2)))))));
    } else if (answer.text !== undefined) {
      box.append(textBox(answer.text, words
        ? { words }
        : { evidence: verdicts.flatMap((verdict) => verdict.spans ?? []), echo: answer.echo }));
    }
    const target = answer.target ?? item.target;
    if (target) box.append(make("p", { class: "help" }, `${t("target")}: `, make("bdi", {}, target.slice(0, 2000))));
    if (answer.metrics) {
      box.append(make("p", { class: "help" }, Object.entries(answer.metrics).map(([name, value]) => `${name} ${page.decimals(String(value))}`).join(" · ")));
    }
    return box;
  }

  // The answers of A and B, with what tells their words apart where that is asked for.
  function sideBySide(item) {
    const pair = ordered().slice(0, SIDE_BY_SIDE);
    const texts = pair.map((index) => item.answers[index]?.text);
    const isPair = texts.length === 2 && texts.every((text) => typeof text === "string");
    const words = isPair && isMarkingDifferences ? differences(...texts) : null;
    const box = make("div", { class: "answers" }, ...pair.map((index, place) => answerBox(item, index, words?.[place])));
    if (!isPair) return [box];
    const mark = make("input", { type: "checkbox", id: "differences", checked: isMarkingDifferences, change: () => {
      isMarkingDifferences = mark.checked;
      show();
      byId("differences").focus();
    } });
    const help = !isMarkingDifferences ? null : make("p", { class: "help" }, t(words ? "differences_help" : "too_long"));
    return [make("label", { class: "check" }, mark, " ", t("differences")), ...(help ? [help] : []), box];
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
    const place = passing.findIndex((other) => other.id === item.id);
    const step = (by, key) => make("button", { type: "button", disabled: !passing[place + by], click: () => {
      show(passing[place + by]);
      byId("detail").focus({ preventScroll: true });
    } }, t(key));
    const hasEcho = ordered().slice(0, SIDE_BY_SIDE).some((index) => item.answers[index]?.echo);
    byId("detail").replaceChildren(
      make("div", { class: "steps" }, step(-1, "previous"), step(1, "next")),
      make("h3", {}, t("item", { key: item.key })),
      ...(item.seen ? [make("p", { class: "help" }, t("seen_share", { percent: Math.round(100 * item.seen) }))] : []),
      ...(open.text ? [make("h4", {}, t("prompt")), textBox(item.prompt)] : [make("p", { class: "help" }, t("no_text"))]),
      ...(item.sent ? [make("details", {}, make("summary", {}, t("sent")), textBox(item.sent))] : []),
      ...(item.asked.length ? [
        make("h4", {}, t("asked")),
        make("ul", {}, ...item.asked.map((asked) => make("li", {}, make("b", {}, asked.id), ` (${t(`${asked.kind}_kind`)})`, asked.words ? `: ${asked.words}` : ""))),
      ] : []),
      ...sideBySide(item),
      ...otherAnswers(item),
      ...(open.verified && open.text && !isMarkingDifferences ? [make("p", { class: "help" }, t("evidence"), hasEcho ? ` ${t("echo_marks")}` : "")] : []),
    );
    keepLink();
  }

  // ---- the address of what is seen: every filter, and the item

  const FILTERS = { outcome: "f-outcome", restriction: "f-restriction", base: "f-base", field: "f-field", q: "f-search" };

  function keepLink() {
    const state = new URLSearchParams({ task: open.task });
    if (open.models.length > 1) {
      if (byId("f-a").value !== "0") state.set("a", open.models[byId("f-a").value]);
      if (byId("f-b").value !== "1") state.set("b", open.models[byId("f-b").value]);
    }
    for (const [name, id] of Object.entries(FILTERS)) {
      if (byId(id).value && byId(id).value !== "any") state.set(name, byId(id).value);
    }
    if (isMarkingDifferences) state.set("differences", "1");
    if (shown) state.set("item", shown.id);
    history.replaceState(null, "", `#${state}`);
  }

  // Show what an address says; whether it says anything. Addresses of before have `item=task:id` alone.
  async function follow(fragment) {
    const state = new URLSearchParams(fragment.replace(/^#/, ""));
    const [, before, wantedId] = /^(.+):(\d+)$/.exec(state.get("item") ?? "") ?? [];
    const task = state.get("task") ?? before;
    if (!blocks.has(task)) return false;
    await choose(task);
    reset();
    for (const [name, id] of [["a", "f-a"], ["b", "f-b"]]) {
      const place = open.models.indexOf(state.get(name));
      if (place >= 0) byId(id).value = String(place);
    }
    for (const [name, id] of Object.entries(FILTERS)) {
      const value = state.get(name);
      if (value !== null && (id === "f-search" || [...byId(id).options].some((option) => option.value === value))) byId(id).value = value;
    }
    isMarkingDifferences = state.has("differences");
    list();
    const wanted = wantedId ?? state.get("item");
    const item = wanted === null ? undefined : open.items.find((other) => String(other.id) === wanted);
    if (item) show(item);
    byId(item ? "detail" : "items").scrollIntoView();
    return true;
  }

  addEventListener("hashchange", () => {
    if (location.hash.includes("=")) follow(location.hash);
  });

  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    reset();
    list();
    keepLink();
  });
  byId("filters").addEventListener("change", async (event) => {
    if (event.target.id === "f-search") return; // `input` has said it; a list made anew would swallow the click that left
    await choose(byId("f-task").value);
    list();
    show();
    keepLink();
  });
  byId("f-search").addEventListener("input", () => {
    list();
    keepLink();
  });

  async function start() {
    if (!("DecompressionStream" in window)) {
      byId("found").textContent = t("failed_to_open");
      return;
    }
    if (!await follow(location.hash)) {
      await choose(blocks.keys().next().value);
      list();
    }
    document.documentElement.dataset.ready = "";
  }
  start();
})();
