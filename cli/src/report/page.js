// The timeline: filters, a list that draws only the rows in sight, and the record behind a row.
//
// INVARIANT: what a journal says reaches the page as text content and as nothing else. The page's policy forbids the rest.
"use strict";

const $ = (id) => document.getElementById(id);
const meta = JSON.parse($("meta").textContent);
const blocks = document.querySelectorAll("script.block");

// ---- Text that somebody else chose

/** What cannot be seen, or changes how other text is shown. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu;
const code = (c) => "\\u{" + c.codePointAt(0).toString(16) + "}";
const inert = (text) => String(text).replace(HIDDEN, code);
const short = (text, most = 200) => {
  const shown = inert(String(text).slice(0, most));
  return String(text).length > most ? shown + "…" : shown;
};
/** An element; strings among its children are text, `[name, value]` of `given` are attributes. */
const make = (name, given = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
};
const bdi = (text, most) => make("bdi", {}, short(text, most));
const plural = (count, one, more = one + "s") => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

// ---- Reading a block of records

const parsed = new Map();
/** The records of a block; those looked at last are kept. */
const records = (block) => {
  let found = parsed.get(block);
  if (found) parsed.delete(block);
  else found = JSON.parse(blocks[block].textContent);
  parsed.set(block, found);
  if (parsed.size > 64) parsed.delete(parsed.keys().next().value);
  return found;
};

/** Strings by number, so that a row takes little room. */
class Names {
  constructor() { this.list = [""]; this.by = new Map([["", 0]]); this.counts = [0]; }
  of(text) {
    const name = text ?? "";
    let at = this.by.get(name);
    if (at === undefined) { at = this.list.length; this.by.set(name, at); this.list.push(name); this.counts.push(0); }
    this.counts[at] += 1;
    return at;
  }
}
const names = { kind: new Names(), decision: new Names(), tool: new Names(), session: new Names(), agent: new Names(), rules: new Names() };
const ruleNames = new Names();
const most = meta.rows;
const column = { block: new Uint32Array(most), within: new Uint16Array(most), seq: new Float64Array(most), time: new Float64Array(most) };
for (const name of Object.keys(names)) column[name] = new Uint32Array(most);
const hay = new Array(most);
const agentOf = new Map();
const endOf = new Map();
let count = 0;

const rulesOf = (record) => {
  const findings = Array.isArray(record.findings) ? record.findings.map((finding) => finding.rule) : [];
  if (typeof record.rule === "string") findings.push(record.rule);
  return [...new Set(findings)];
};
/** Takes a record into the columns. */
const take = (record, block, within) => {
  const at = count++;
  const kind = record.kind ?? "unreadable";
  if (kind === "session_start") agentOf.set(record.session, record.agent?.name ?? "");
  if (kind === "outcome") endOf.set(record.decision, record.seq);
  const agent = record.kind === "decision" && typeof record.agent === "string" ? record.agent : agentOf.get(record.session) ?? "";
  const rules = rulesOf(record);
  for (const rule of rules) ruleNames.of(rule);
  column.block[at] = block;
  column.within[at] = within;
  column.seq[at] = record.seq ?? -1;
  column.time[at] = record.at ? Date.parse(record.at) : NaN;
  column.kind[at] = names.kind.of(kind);
  column.decision[at] = names.decision.of(kind === "decision" ? word(record) : "");
  column.tool[at] = names.tool.of(record.tool);
  column.session[at] = names.session.of(record.session);
  column.agent[at] = names.agent.of(agent);
  column.rules[at] = names.rules.of(rules.join("\n"));
  hay[at] = `${record.seq}\n${kind}\n${about(record)}\n${title(record)}\n${record.session ?? ""}\n${agent}\n${record.id ?? ""}\n${record.server ?? ""}\n${record.hash ?? ""}`.toLowerCase();
  if (kind === "session_end") agentOf.delete(record.session);
};

/** Blocks are read in slices, so that the page answers from the start. */
const load = (from = 0) => {
  const until = performance.now() + 24;
  let block = from;
  while (block < blocks.length && performance.now() < until) {
    const found = JSON.parse(blocks[block].textContent);
    for (let within = 0; within < found.length; within += 1) take(found[within], block, within);
    block += 1;
  }
  if (block < blocks.length) {
    $("count").textContent = `Reading ${count.toLocaleString("en")} of ${plural(most, "record")} …`;
    setTimeout(load, 0, block);
    if (from === 0) filter();
  } else {
    ready = true;
    options();
    follow();
  }
};
let ready = false;

// ---- What a record says, in a line

/** What became of a call. */
const word = (record) => {
  if (record.ran) return record.decision;
  return record.refusal === "needs_approval" ? "ask" : record.decision === "ask" || record.decision === "block" ? record.decision : "block";
};
const clear = (text) => String(text ?? "").replaceAll("_", " ");
const tag = (record) => {
  switch (record.kind) {
    case "decision": return [word(record), word(record)];
    case "outcome": return [record.status, { ok: "good", failed: "warn", unknown: "warn" }[record.status] ?? ""];
    case "session_start": return [record.resumed ? "resumed" : "start", ""];
    case "session_end": return ["end", record.findings?.length ? "bad" : ""];
    case "approval": return [clear(record.answer), { approved: "good", denied: "bad" }[record.answer] ?? "warn"];
    case "notice": return [clear(record.what), "warn"];
    case "gap": return ["gap", "bad"];
    case "recovery": case "reanchor": return [record.kind, "warn"];
    case undefined: return ["unreadable", "bad"];
    default: return [clear(record.kind), ""];
  }
};
const title = (record) => {
  switch (record.kind) {
    case "decision": case "outcome": return record.server ? `${record.server}::${record.tool}` : record.tool ?? "";
    case "event": return record.name;
    case "session_start": return record.agent ? [record.agent.name, record.agent.version].filter(Boolean).join(" ") : "session";
    case "session_end": return "session";
    case "contract": return record.name;
    case "retirement": return record.rule;
    case "recovery": return record.file;
    case undefined: return `line ${record.line}`;
    default: return "";
  }
};
const about = (record) => {
  const parts = [];
  const rules = rulesOf(record);
  switch (record.kind) {
    case "decision":
      if (!record.ran) parts.push(record.refusal && record.refusal !== "blocked" ? clear(record.refusal) : "did not run");
      else if (record.decision === "block" || (record.decision === "ask" && !record.approved)) parts.push("ran anyway");
      else if (record.approved) parts.push("approved");
      if (record.after_divergence) parts.push("after divergence");
      if (!record.evaluated) parts.push("not evaluated");
      break;
    case "outcome":
      parts.push(`of ${record.decision}`);
      if (record.shown !== "all") parts.push(record.shown);
      break;
    case "session_start": parts.push(`contract ${record.contract?.name ?? "?"}, ${record.mode}`); break;
    case "session_end": {
      const counts = record.counts ?? {};
      parts.push(Object.keys(counts).filter((name) => counts[name]).map((name) => `${counts[name]} ${name}`).join(", "));
      break;
    }
    case "retirement": return `${plural(record.count, "instance")}, ${clear(record.by)}`;
    case "notice": return `${record.text}${record.count === 1 ? "" : `, ${record.count} times`}`;
    case "approval": parts.push(record.request === null ? "" : `of ${record.request}`, record.by ? `by ${record.by}` : ""); break;
    case "recovery": return `a torn end of ${plural(record.bytes, "byte")} was moved away`;
    case "gap": return `${plural(record.missing, "record")} could not be written: ${record.why}`;
    case "reanchor": return `begun anew: ${record.reason}`;
    case "genesis": return `journal ${record.journal}, segment ${record.segment}, ${record.program}`;
    case "contract": return `sha256 ${record.sha256}`;
    case "checkpoint": return String(record.note ?? "").split("\n").slice(0, 2).join(", size ");
    case undefined: return record.problem;
  }
  parts.push(rules.join(", "));
  return parts.filter(Boolean).join(" · ");
};

// ---- Filters

const fields = ["text", "decision", "kind", "tool", "rule", "session", "agent", "since", "until"];
let shown = new Uint32Array(0);
let at = 0;

/** The choices of a list, the most frequent first. */
const options = () => {
  const fill = (id, of, label = (name) => name) => {
    const entries = of.list.map((name, n) => [name, of.counts[n]]).filter(([name, n]) => name !== "" && n > 0);
    entries.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const list = $("f-" + id);
    for (const [name, n] of entries.slice(0, 500)) list.append(make("option", { value: name }, `${short(label(name), 80)} (${n.toLocaleString("en")})`));
    if (entries.length > 500) list.append(make("option", { disabled: "" }, `and ${entries.length - 500} more: write one under Text`));
  };
  fill("decision", names.decision);
  fill("kind", names.kind, clear);
  fill("tool", names.tool);
  fill("rule", ruleNames);
  fill("session", names.session);
  fill("agent", names.agent);
};

/** A chosen name as its number; undefined if nothing is chosen, -1 if there is no such name. */
const chosen = (id, of) => ($("f-" + id).value === "" ? undefined : of.by.get($("f-" + id).value) ?? -1);
const instant = (id) => ($("f-" + id).value === "" ? undefined : Date.parse($("f-" + id).value + "Z"));

const filter = () => {
  const began = performance.now();
  const text = $("f-text").value.trim().toLowerCase();
  const wanted = ["decision", "kind", "tool", "session", "agent"].map((name) => [column[name], chosen(name, names[name])]).filter(([, number]) => number !== undefined);
  const rule = $("f-rule").value;
  const sets = rule === "" ? null : names.rules.list.map((joined) => joined.split("\n").includes(rule));
  const [since, until] = [instant("since"), instant("until")];
  const found = new Uint32Array(count);
  let size = 0;
  rows: for (let n = 0; n < count; n += 1) {
    for (const [of, number] of wanted) if (of[n] !== number) continue rows;
    if (sets && !sets[column.rules[n]]) continue;
    if (since !== undefined && !(column.time[n] >= since)) continue;
    if (until !== undefined && !(column.time[n] <= until)) continue;
    if (text !== "" && !hay[n].includes(text)) continue;
    found[size++] = n;
  }
  shown = found.subarray(0, size);
  for (const name of fields) $("f-" + name).classList.toggle("set", $("f-" + name).value !== "");
  at = 0;
  list.scrollTop = 0;
  tall.style.height = `${shown.length * height()}px`;
  if (ready) {
    $("count").replaceChildren(make("b", {}, size.toLocaleString("en")), ` of ${plural(count, "record")}`);
    $("said").textContent = `${plural(size, "record")} shown`;
  }
  $("empty").hidden = size > 0 || !ready;
  document.body.dataset.filtered = (performance.now() - began).toFixed(1);
  draw(true);
};

/** The filters stand in the address, so that a link can set them. */
const remember = () => {
  const kept = new URLSearchParams();
  for (const name of fields) if ($("f-" + name).value !== "") kept.set(name, $("f-" + name).value);
  history.replaceState(null, "", kept.size > 0 ? `#${kept}` : "#timeline");
};
const follow = () => {
  const hash = location.hash.slice(1);
  const asked = new URLSearchParams(hash.includes("=") ? hash : "");
  for (const name of fields) {
    const field = $("f-" + name);
    const value = asked.get(name) ?? "";
    if (value !== "" && field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) field.append(make("option", { value }, short(value, 80)));
    field.value = value;
  }
  filter();
  if (hash.includes("=")) $("timeline").scrollIntoView();
  if (asked.has("seq")) go(Number(asked.get("seq")));
};

// ---- The list

const list = $("rows");
const tall = $("tall");
const height = () => (matchMedia("(max-width: 760px)").matches ? 54 : 34);
const pool = [];
let first = -1;

const fillRow = (row, n, place) => {
  const record = records(column.block[n])[column.within[n]];
  const [what, colour] = tag(record);
  const [date, time] = String(record.at ?? "").split("T");
  row.className = "row" + (place === at ? " at" : "") + (meta.broken !== null && n >= meta.broken ? " after-break" : "");
  row.id = `row-${n}`;
  row.setAttribute("aria-setsize", shown.length);
  row.setAttribute("aria-posinset", place + 1);
  row.setAttribute("aria-selected", place === at);
  row.style.transform = `translateY(${place * height()}px)`;
  row.replaceChildren(
    make("span", { class: "seq" }, record.seq === undefined ? "–" : String(record.seq)),
    make("span", { class: "time" }, make("span", { class: "date" }, (date ?? "") + " "), make("b", {}, (time ?? "").replace("Z", ""))),
    make("span", { class: "session" }, bdi(record.session ?? "–", 60)),
    make("span", {}, make("span", { class: `tag ${colour}` }, short(what, 20))),
    make("span", { class: "name" }, bdi(title(record), 120)),
    make("span", { class: "about" }, bdi(about(record), 300)),
  );
  // On a narrow screen the tag is a cell of its own.
  row.children[3].replaceWith(row.children[3].firstChild);
  row.hidden = false;
};
const draw = (anew = false) => {
  const step = height();
  const from = Math.max(0, Math.floor(list.scrollTop / step) - 6);
  if (from === first && !anew) return;
  first = from;
  const many = Math.min(shown.length - from, Math.ceil(list.clientHeight / step) + 12);
  while (pool.length < many) {
    const row = make("div", { role: "option" });
    pool.push(row);
    tall.append(row);
  }
  pool.forEach((row, n) => {
    if (n < many) fillRow(row, shown[from + n], from + n);
    else { row.hidden = true; row.removeAttribute("id"); }
  });
  if (shown.length > 0) list.setAttribute("aria-activedescendant", `row-${shown[at]}`);
  else list.removeAttribute("aria-activedescendant");
};
/** Moves to a row, and brings it into sight. */
const move = (to) => {
  if (shown.length === 0) return;
  at = Math.min(shown.length - 1, Math.max(0, to));
  const step = height();
  const [top, bottom] = [at * step, (at + 1) * step];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  draw(true);
  if (!detail.hidden) open();
};
/** Opens the record with a number. */
const go = (seq) => {
  let place = shown.findIndex((n) => column.seq[n] === seq);
  if (place < 0 && column.seq.subarray(0, count).includes(seq)) {
    for (const name of fields) $("f-" + name).value = "";
    filter();
    place = shown.findIndex((n) => column.seq[n] === seq);
  }
  if (place < 0) return;
  move(place);
  list.scrollTop = Math.max(0, (place - 4) * height());
  draw(true);
  open();
};

// ---- The record behind a row

const detail = $("detail");
const link = (seq) => make("a", { href: `#seq=${seq}` }, String(seq));
const content = (value) => {
  if (value === null || value === undefined) return null;
  const digest = make("span", {}, make("code", {}, short(value.digest, 64)), make("span", { class: "muted" }, ` ${short(value.form)}`));
  return value.text === null ? digest : make("div", {}, digest, make("pre", {}, inert(value.text)));
};
const finding = (of) => {
  const known = Object.hasOwn(meta.rules, of.rule) ? meta.rules[of.rule] : null;
  const states = of.states ? `states ${of.states.before.join(" or ")} → ${of.states.after.join(" or ")}` : "";
  return make("li", {},
    make("span", { class: "what" },
      make("span", { class: "rule" }, known?.anchor ? make("a", { href: `#${known.anchor}` }, short(of.rule)) : bdi(of.rule)), " ",
      make("span", { class: `tag ${of.verdict}` }, short(of.verdict)), " ",
      make("span", { class: "muted small" }, [short(of.action), clear(short(of.reason)), of.clause === null ? "" : `clause ${of.clause}`, of.source ? `from ${short(of.source)}` : "", states].filter(Boolean).join(" · "))),
    known ? make("p", {}, short(known.says, 600)) : null,
    of.help ? make("p", { class: "help" }, short(of.help, 600)) : null,
    of.key ? make("p", { class: "small" }, "key ", make("code", {}, short(of.key, 64))) : null);
};
const open = () => {
  if (shown.length === 0) return;
  const n = shown[at];
  const record = records(column.block[n])[column.within[n]];
  const facts = [];
  const fact = (name, value) => { if (value !== null && value !== undefined && value !== "") facts.push(make("dt", {}, name), make("dd", {}, value instanceof Node ? value : bdi(value, 2000))); };
  if (meta.broken !== null && n >= meta.broken) fact("Chain", make("span", { class: "alarm" }, "nothing vouches for this record: the journal is broken before it or at it"));
  fact("Time", record.at);
  fact("Session", record.session);
  fact("Agent", column.agent[n] ? names.agent.list[column.agent[n]] : "");
  fact("Server", record.server);
  fact("Tool", record.tool);
  if (record.kind === "decision") {
    fact("Decision", record.decision);
    fact("Ran", record.ran ? "yes" : `no: ${clear(record.refusal ?? "stopped")}`);
    fact("Effect", record.effect);
    fact("Call", `${record.call} of the session${record.id ? `, id ${record.id}` : ""}`);
    if (record.after_divergence) fact("Divergence", "an earlier call ran that would have been stopped");
    if (!record.evaluated) fact("Evaluated", "no: on_error decided");
    fact("Outcome", endOf.has(record.seq) ? link(endOf.get(record.seq)) : record.ran ? "none in this page" : "");
    fact("Arguments", content(record.args));
    fact("As given", content(record.original));
  } else if (record.kind === "outcome") {
    fact("Status", record.status);
    fact("Decision", link(record.decision));
    fact("Agent sees", record.shown === "all" ? "the result as it came" : `the result ${record.shown}`);
    fact("Result", content(record.result));
  } else {
    fact("Says", about(record));
    fact("Request", typeof record.request === "number" ? link(record.request) : "");
    fact("Value", content(record.value));
    fact("Context", content(record.context));
  }
  fact("Hash", record.hash ? make("code", {}, short(record.hash)) : "");
  const findings = Array.isArray(record.findings) && record.findings.length > 0 ? make("div", {}, make("h4", {}, "What rules say"), make("ul", { class: "why" }, ...record.findings.map(finding))) : null;
  const whole = JSON.stringify(record, null, 2);
  $("detail-title").replaceChildren(`${record.seq ?? "Line " + record.line} · ${clear(record.kind ?? "unreadable")} `, bdi(title(record), 120));
  $("detail-in").replaceChildren(...[make("dl", {}, ...facts), findings, make("div", {}, make("h4", {}, record.kind ? "The record" : "What was read"), make("pre", { tabindex: "0" }, whole.length > 400000 ? inert(whole.slice(0, 400000)).replaceAll("\\u{a}", "\n") + " …" : inert(whole).replaceAll("\\u{a}", "\n")))].filter(Boolean));
  detail.hidden = false;
  $("split").classList.add("with");
  detail.scrollTop = 0;
  first = -1;
  draw(true);
};
const close = () => {
  if (detail.hidden) return;
  detail.hidden = true;
  $("split").classList.remove("with");
  draw(true);
  list.focus();
};

// ---- Hands

let asked = 0;
const changed = () => {
  cancelAnimationFrame(asked);
  asked = requestAnimationFrame(() => { filter(); remember(); });
};
for (const name of fields) $("f-" + name).addEventListener("input", changed);
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("reset").addEventListener("click", () => { for (const name of fields) $("f-" + name).value = ""; changed(); });
list.addEventListener("scroll", () => draw(), { passive: true });
list.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row) return;
  at = Number(row.getAttribute("aria-posinset")) - 1;
  open();
});
list.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const page = Math.max(1, Math.floor(list.clientHeight / height()) - 1);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 };
  if (Object.hasOwn(steps, event.key)) move(steps[event.key]);
  else if (event.key === "Enter") { open(); detail.focus(); }
  else return;
  event.preventDefault();
});
$("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  else if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")) {
    $("f-text").focus();
    event.preventDefault();
  }
});
// A link that was followed before changes no address.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash.includes("=") && link.hash === location.hash) follow();
});
addEventListener("hashchange", () => { if (/^#(?:[a-z]+=|$)/.test(location.hash)) follow(); });
addEventListener("resize", () => { tall.style.height = `${shown.length * height()}px`; draw(true); });

$("tools").hidden = false;
load();
