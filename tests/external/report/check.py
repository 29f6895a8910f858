"""The report of a journal with 100,000 records, in a real browser.

`python3 check.py INTERLOCK [SCREENSHOTS]`: the program, and a folder for pictures of the page.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

from browser import Browser
from journal import HOSTILE, make

RECORDS = 100_000
READY = "!document.getElementById('count').textContent.startsWith('Reading')"
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
passed = 0


def check(what, holds, found=None):
    global passed
    if not holds:
        raise AssertionError(f"{what}: {found}")
    passed += 1


def chromium():
    """A browser, installed if it is missing."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None and shutil.which("apt-get"):
        quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["apt-get", "update"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], **quiet)
        found = shutil.which("chromium")
    return found


def shown(browser):
    """How many records the timeline shows."""
    browser.run(FRAMES)
    return int(browser.run("document.getElementById('count').textContent.split(' of ')[0].replaceAll(',', '')"))


def choose(browser, **fields):
    browser.run("document.getElementById('reset').click()")
    for name, value in fields.items():
        browser.run(f"(() => {{ const field = document.getElementById('f-{name}'); "
                    f"if (field.tagName === 'SELECT' && ![...field.options].some((o) => o.value === {json.dumps(value)})) field.append(new Option('', {json.dumps(value)})); "
                    f"field.value = {json.dumps(value)}; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
    return shown(browser)


def filters(browser, records):
    """Each filter shows what a look at the journal itself finds."""
    rules = lambda record: {finding["rule"] for finding in record.get("findings", [])}
    decided = [record for record in records if record["kind"] == "decision"]
    check("all", choose(browser) == len(records), len(records))
    for decision, count in Counter(r["decision"] for r in decided).items():
        check(f"decision {decision}", choose(browser, decision=decision) == count, count)
    for field, of in (("kind", "kind"), ("tool", "tool"), ("session", "session")):
        values = Counter(r.get(of) for r in records if r.get(of) is not None)
        for value, count in values.most_common(3) + [(name, values[name]) for name in values if name.startswith(tuple(HOSTILE))][:10]:
            check(f"{field} {value}", choose(browser, **{field: value}) == count, count)
    agents = Counter(r["agent"]["name"] for r in records if r["kind"] == "session_start")
    for agent in agents:
        sessions = {r["session"] for r in records if r["kind"] == "session_start" and r["agent"]["name"] == agent}
        count = sum(r["session"] in sessions for r in records)
        check(f"agent {agent}", choose(browser, agent=agent) == count, count)
    for rule in ("verify-first", "receipt", "default"):
        count = sum(rule in rules(r) for r in records)
        check(f"rule {rule}", choose(browser, rule=rule) == count, count)
    since, until = records[1000]["at"][:19], records[5000]["at"][:19]
    count = sum(since <= r["at"] and r["at"][:23] <= until + ".000" for r in records)
    check("time", choose(browser, since=since, until=until) == count, count)
    both = sum(r["tool"] == "deploy" and r["decision"] == "block" for r in decided)
    check("two filters", choose(browser, tool="deploy", decision="block") == both, both)
    call = decided[1234]
    check("text: call id", choose(browser, text=call["id"].upper()) == 1)
    check("text: hash", choose(browser, text=call["hash"]) == 1)
    check("text: nothing", choose(browser, text="no such thing") == 0)
    check("empty", browser.run("!document.getElementById('empty').hidden"))
    choose(browser)


def keyboard(browser, records):
    active = "document.activeElement.id"
    at = "document.querySelector('[aria-selected=true]').getAttribute('aria-posinset')"
    browser.run("document.getElementById('verdict').focus(); document.activeElement.blur()")
    browser.run("window.scrollTo(0, 0)")
    browser.key("Tab")
    check("the first stop skips to the timeline", browser.run("document.activeElement.className") == "skip")
    check("it can be seen", browser.run("document.activeElement.getBoundingClientRect().left >= 0"))
    check("focus can be seen", browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none")
    browser.key("Enter")
    browser.key("/", "/")
    check("/ searches", browser.run(active) == "f-text", browser.run(active))
    for _ in range(40):
        if browser.run(active) == "rows":
            break
        browser.key("Tab")
    check("Tab comes to the list", browser.run(active) == "rows", browser.run(active))
    for key, place in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("End", len(records)), ("ArrowDown", len(records)), ("Home", 1), ("ArrowUp", 1)):
        browser.key(key)
        check(key, browser.run(at) == str(place), browser.run(at))
    browser.key("PageDown")
    check("PageDown", int(browser.run(at)) > 5)
    seen = "(() => { const row = document.querySelector('[aria-selected=true]').getBoundingClientRect(), list = document.getElementById('rows').getBoundingClientRect(); return row.top >= list.top - 1 && row.bottom <= list.bottom + 1; })()"
    check("the row is in sight", browser.run(seen))
    check("the list names its row", browser.run("document.getElementById(document.getElementById('rows').getAttribute('aria-activedescendant')).getAttribute('aria-selected')") == "true")
    place = int(browser.run(at)) - 1
    browser.key("Enter")
    check("Enter opens", browser.run("!document.getElementById('detail').hidden") and browser.run(active) == "detail")
    raw = browser.run("[...document.querySelectorAll('#detail pre')].at(-1).textContent")
    check("the record as it stands", json.loads(raw) == records[place], raw)
    browser.key("Escape")
    check("Escape closes", browser.run("document.getElementById('detail').hidden") and browser.run(active) == "rows")


PROBLEMS = r"""(() => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) found.push("an id is there twice");
  for (const field of document.querySelectorAll("input, select")) if (field.labels.length === 0) say("no label", field);
  for (const button of document.querySelectorAll("button, a[href]")) if (button.textContent.trim() === "") say("no name", button);
  for (const name of ["aria-labelledby", "aria-activedescendant"])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(" ")) if (!document.getElementById(id)) say(`${name} leads nowhere`, element);
  for (const svg of document.querySelectorAll("svg:not([aria-hidden])")) if (!svg.querySelector("title")) say("no title", svg);
  for (const region of document.querySelectorAll("[role=region]")) if (!region.hasAttribute("aria-label") && !region.hasAttribute("aria-labelledby")) say("no name", region);
  if (!document.documentElement.lang || !document.title) found.push("no language or title");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) say("a heading is skipped", heading);
    level = next;
  }
  for (const link of document.querySelectorAll("a[href]")) {
    const to = link.getAttribute("href").slice(1);
    if (!to.includes("=") && !document.getElementById(to)) say("leads nowhere", link);
  }
  const parse = (text) => {
    const numbers = text.match(/[\d.]+(?:e-?\d+)?/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, numbers[3] ?? 1];
  };
  const over = (top, below) => [0, 1, 2].map((n) => top[n] * top[3] + below[n] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(parse(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => ((part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (seen.has(element) || walker.currentNode.data.trim() === "" || /^(SCRIPT|STYLE|OPTION|NOSCRIPT)$/.test(element.tagName)) continue;
    seen.add(element);
    if (element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const below = behind(element);
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(over(colour, below)), luminance(below)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 600);
    if (contrast < (large ? 3 : 4.5)) say(`contrast ${contrast.toFixed(2)}`, element);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push(`wider than the window: ${document.documentElement.scrollWidth} > ${innerWidth}`);
  return found;
})()"""


def looks(browser, page, pictures):
    """The page at both widths, light and dark."""
    for width, height in ((1440, 900), (390, 844)):
        for dark in (False, True):
            browser.size(width, height, dark)
            browser.run("window.scrollTo(0, 0)")
            browser.run(FRAMES)
            found = browser.run(PROBLEMS)
            check(f"{width} wide, {'dark' if dark else 'light'}", found == [], "\n".join(found))
            browser.run("document.querySelector('.calls a[href^=\"#seq=\"]').click()")
            browser.wait("!document.getElementById('detail').hidden")
            found = browser.run(PROBLEMS)
            check(f"{width} wide, {'dark' if dark else 'light'}, with a record", found == [], "\n".join(found))
            check("nothing of it is cut off", browser.run("document.getElementById('detail').scrollWidth <= document.getElementById('detail').clientWidth"))
            if pictures:
                name = pictures / f"{width}-{'dark' if dark else 'light'}"
                browser.screenshot(f"{name}-record.png")
            browser.run("document.getElementById('close').click()")
            if pictures:
                browser.screenshot(f"{name}-timeline.png")
                browser.run("window.scrollTo({ top: 0, behavior: 'instant' })")
                browser.screenshot(f"{name}-top.png")
    browser.size(1440, 900, media="print")
    check("the timeline is not printed", browser.run("getComputedStyle(document.getElementById('timeline')).display") == "none")
    browser.size(1440, 900)


def inert(browser):
    """What the journal says did nothing, and what a script would do is refused."""
    check("the title is ours", browser.run("document.title").endswith("Interlock report"))
    check("no element of the journal's", browser.run("document.querySelectorAll('img, iframe, object, embed, link, base, [onerror], [style]:not(.row, .tall)').length") == 0)
    check("few rows", browser.run("document.querySelectorAll('.row').length") < 120)
    shown_text = browser.run("document.body.innerText")
    check("nothing hidden", not any(c in shown_text for c in "\u202e\u2066\u200b\x1b\x07\u2028"))
    browser.run("window.refused = []; addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective)); 0")
    check("markup is refused", browser.run("(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch (error) { return error instanceof TypeError; } })()"))
    browser.run("(() => { const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; const style = document.createElement('style'); style.textContent = '*{}'; document.head.append(style); })()")
    browser.wait("refused.includes('img-src') && refused.includes('style-src-elem')", 10)
    failed = [event["params"] for event in browser.events if event.get("method") == "Network.loadingFailed"]
    check("the picture was not asked for", [of.get("blockedReason") for of in failed] == ["csp"], failed)


def without_scripts(program, page, summary):
    browser = Browser(program)
    browser.size(1440, 900)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.navigate", url=page)
    deadline = time.time() + 60
    text = ""
    while "The timeline is drawn by a script" not in text and time.time() < deadline:
        time.sleep(0.2)
        root = browser.call("DOM.getDocument", depth=1)["root"]["nodeId"]
        main = browser.call("DOM.querySelector", nodeId=root, selector="main")["nodeId"]
        if main:
            text = browser.call("DOM.getOuterHTML", nodeId=main)["outerHTML"]
    browser.close()
    check("the badge", summary["says"] in text)
    check("why calls were stopped", "is allowed only after" in text and "What helps" not in summary["says"] and 'class="help"' in text)
    check("an automaton", "<svg role=\"img\"" in text)


def main():
    interlock, pictures = sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    program = chromium()
    if program is None:
        print("SKIPPED: the report was not looked at in a browser, because Chromium cannot be installed here")
        return
    with tempfile.TemporaryDirectory() as folder:
        journal, page = pathlib.Path(folder, "agent.journal"), pathlib.Path(folder, "report.html")
        with open(journal, "wb") as out:
            make(RECORDS, out)
        records = [json.loads(line) for line in journal.read_bytes().split(b"\n") if line]
        made = subprocess.run([interlock, "report", journal, "-o", page, "--format", "json"], capture_output=True, text=True)
        check("the report", made.returncode == 0, made.stderr)
        summary = json.loads(made.stdout)
        check("its records", summary["records"] == len(records))
        check("its badge", summary["standing"] == "unsigned")
        address = page.as_uri()
        browser = Browser(program)
        try:
            browser.size(1440, 900)
            began = time.time()
            browser.open(address)
            browser.wait(READY)
            ready = time.time() - began
            filters(browser, records)
            choose(browser, text="payee")
            slowest = float(browser.run("document.body.dataset.filtered"))
            choose(browser)
            check("a filter is quick", slowest < 5000, slowest)
            keyboard(browser, records)
            looks(browser, address, pictures)
            asked = [event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
            # The browser draws its own date fields with pictures that it has inside.
            check("no request but for the page", [url for url in asked if url != address and not url.startswith("data:image/svg")] == [], asked)
            inert(browser)
            said = [event for event in browser.events if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled")
                    or event.get("method") == "Log.entryAdded" and "Content Security Policy" not in str(event) and "TrustedHTML" not in str(event)]
            check("no word on the console", said == [], said)
        finally:
            browser.close()
        without_scripts(program, address, summary)
        print(f"report: {passed} checks of a page of {page.stat().st_size >> 20} MiB with {len(records)} records; "
              f"ready after {ready:.1f} s, a search takes {slowest:.0f} ms")


if __name__ == "__main__":
    main()
