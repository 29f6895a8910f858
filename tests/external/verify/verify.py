"""A second verifier of journals, made from docs/evidence.md alone: whole files in memory, nothing but the standard library
and Ed25519. `verify.py JOURNAL --trust PUB` prints the verdict as JSON; `verify.py --all FOLDER` compares it, for each
case there, with the report that the first verifier left."""

import argparse, base64, calendar, hashlib, json, pathlib, re, sys, unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

sha256 = lambda data: hashlib.sha256(data).digest()
NONE = "0" * 64


class Problem(Exception):
    def __init__(self, code, line=None, seq=None, file=None):
        self.code, self.line, self.seq, self.file = code, line, seq, file


# --- The shapes of values, and the fields of each kind of record -----------------------------------------------------------

def text(value): return isinstance(value, str)
def flag(value): return isinstance(value, bool)
def whole(value): return isinstance(value, int) and not flag(value) and 0 <= value < 2**53
def words(*all): return lambda value: value in all and text(value)
def null(shape): return lambda value: value is None or shape(value)
def many(shape): return lambda value: isinstance(value, list) and all(map(shape, value))
def hexa(size): return lambda value: text(value) and re.fullmatch(f"[0-9a-f]{{{2 * size}}}", value) is not None


def b64(size):
    def shape(value):
        try:
            data = base64.b64decode(value, validate=True)
        except (ValueError, TypeError):
            return False
        return len(data) == size and base64.b64encode(data).decode() == value
    return shape


def obj(**members):
    return lambda value: (isinstance(value, dict) and value.keys() == members.keys()
                          and all(shape(value[name]) for name, shape in members.items()))


def time(value):
    parts = text(value) and re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3}|\d{9})Z", value, re.ASCII)
    if not parts:
        return False
    year, month, day, hour, minute, second = map(int, parts.groups()[:6])
    if not 1 <= month <= 12 or len(parts[7]) == 9 and parts[7].endswith("000000"):
        return False
    days = [31, 28 + calendar.isleap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return 1 <= day <= days and hour < 24 and minute < 60 and second < 60


DECISION, EFFECT = words("allow", "alert", "ask", "block"), words("read", "write", "irreversible")
VERDICT = words("satisfied", "open", "pending", "unestablished", "violated")
CONTENT = obj(digest=hexa(32), form=words("bytes", "jcs", "jcs-exact"), text=null(text))
REFUSAL = words("blocked", "needs_approval", "approval_denied", "approval_expired", "nobody_to_ask", "no_such_request",
                "duplicate_id", "ended")
REASON = words("rule", "unreadable_key", "instances_full", "forgotten", "filter_full", "clause", "no_permit", "unknown_tool",
               "ended", "expired", "guarded", "rewrite", "rewritten", "redacted", "flow", "full", "cell_full", "bad_value",
               "changed")
FINDINGS = many(obj(action=DECISION, clause=null(whole), help=null(text), key=null(hexa(32)), reason=REASON, rule=text,
                    source=null(text), states=null(obj(after=many(whole), before=many(whole))), verdict=VERDICT))
COMMON = dict(at=time, hash=hexa(32), journal=hexa(8), kind=text, prev=hexa(32), seq=whole, session=null(text),
              v=lambda value: whole(value) and value == 1)
KINDS = {
    "genesis": dict(content=words("digest", "captured"), file=text, key=null(b64(32)), program=text, secret=hexa(32),
                    previous=null(obj(file=text, hash=hexa(32), size=whole)), segment=whole,
                    sync=words("every", "checkpoint", "never")),
    "contract": dict(name=text, sha256=hexa(32), source=text),
    "session_start": dict(agent=null(obj(name=text, version=text)), context=null(CONTENT), program=text, resumed=flag,
                          contract=obj(name=text, sha256=hexa(32)), key=null(b64(32)), mode=words("enforce", "shadow"),
                          parent=null(text), surface=null(text)),
    "decision": dict(after_divergence=flag, agent=null(text), approved=flag, args=CONTENT, batch=null(whole), call=whole,
                     decision=DECISION, effect=EFFECT, evaluated=flag, findings=FINDINGS, id=null(text),
                     original=null(CONTENT), ran=flag, server=null(text), tool=text, refusal=null(REFUSAL)),
    "outcome": dict(call=whole, decision=null(whole), evaluated=flag, findings=FINDINGS, result=null(CONTENT), tool=text,
                    shown=words("all", "redacted", "withheld"), status=words("ok", "failed", "unknown")),
    "event": dict(findings=FINDINGS, name=text, value=CONTENT),
    "time": dict(findings=FINDINGS),
    "retirement": dict(by=words("idle", "evicted", "closed"), count=whole, keys=many(hexa(32)), rule=text),
    "approval": dict(answer=words("approved", "denied", "expired", "not_open"), by=null(text), reason=null(CONTENT),
                     request=null(whole)),
    "notice": dict(bytes=null(whole), count=whole, digest=null(hexa(32)), text=text,
                   what=words("refused", "call_without_id", "noise", "unasked", "unreadable", "nobody_asked",
                              "tool_changed", "tool_new", "tool_confusable", "tools_too_many")),
    "session_end": dict(counts=obj(alert=whole, allow=whole, ask=whole, block=whole), findings=FINDINGS,
                        rules=many(obj(blocked=whole, rule=text, verdict=VERDICT))),
    "checkpoint": dict(note=text),
    "key": dict(by=b64(32), key=b64(32), signature=b64(64)),
    "secret": dict(secret=hexa(32)),
    "recovery": dict(bytes=whole, file=text, sha256=hexa(32)),
    "gap": dict(missing=whole, why=text),
    "reanchor": dict(broken=obj(bytes=whole, file=text, line=whole, problem=text, sha256=hexa(32)), key=null(b64(32)),
                     last=null(obj(hash=hexa(32), seq=whole)), reason=text, signature=null(b64(64))),
}


def canonical(value):
    """RFC 8785, of what records hold: all names in records are ASCII, so the order of code points is the one of UTF-16."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def number(digits):
    if digits.startswith("-") or len(digits) > 16:
        raise ValueError
    return int(digits)


def no_number(_):
    raise ValueError


DECODER = json.JSONDecoder(parse_int=number, parse_float=no_number, parse_constant=no_number)


def read(line):
    """The record of a line: its hash is looked at later."""
    try:
        decoded = line.decode("utf-8", "strict")
        record, end = DECODER.raw_decode(decoded)
        if canonical(record) != decoded[:end].encode():
            raise ValueError
        kind = KINDS[record["kind"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Problem("not-canonical")
    if len(line) >= 16 << 20 or not obj(**COMMON, **kind)(record):
        raise Problem("not-canonical")
    if rest := decoded[end:]:
        raise Problem("glued" if rest.startswith("{") else "not-canonical")
    return record


def hash_of(record):
    return sha256(canonical({name: value for name, value in record.items() if name != "hash"})).hex()


# --- The tree, notes and keys ----------------------------------------------------------------------------------------------

def root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + root(leaves[:split]) + root(leaves[split:]))


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def strong(encoded):
    """Whether these 32 bytes are the one encoding of a point (RFC 8032 §5.1.3) that is not of small order."""
    y = int.from_bytes(encoded, "little") & 2**255 - 1
    squared = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    if y >= P or pow(squared, (P - 1) // 2, P) not in (0, 1):
        return False
    for _ in range(3):  # eight times the point; where x² and y² are known, so is y of its double
        product = D * squared * y * y % P
        y, squared = (y * y + squared) * pow(1 - product, -1, P) % P, 4 * squared * y * y * pow(1 + product, -2, P) % P
    return y != 1


def key_of(encoded):
    if not strong(base64.b64decode(encoded)):
        raise Problem("wrong-key")
    return encoded


def holds(key, signature, message):
    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(key)).verify(signature, message)
        return strong(signature[:32])
    except (InvalidSignature, ValueError):
        return False


def signer_name(name):
    return name and not any(c == "+" or c.isspace() or unicodedata.category(c) == "Cc" for c in name)


class Note:
    def __init__(self, note):
        body, separator, signatures = note.rpartition("\n\n")
        lines, signed = body.split("\n"), signatures.split("\n")
        if (len(note.encode()) > 256 << 10 or not separator or len(lines) != 3 or any(c < " " for c in "".join(lines))
                or signed.pop() or not 1 <= len(signed) <= 64):
            raise ValueError
        self.text, self.origin = body + "\n", lines[0]
        if not (1 <= len(self.origin.encode()) <= 255 and re.fullmatch("0|[1-9][0-9]{0,19}", lines[1])
                and int(lines[1]) < 2**64 and b64(32)(lines[2])):
            raise ValueError
        self.size, self.root, self.signatures = int(lines[1]), base64.b64decode(lines[2]), []
        for line in signed:
            name, _, encoded = line.removeprefix("— ").partition(" ")
            data = base64.b64decode(encoded, validate=True)
            if (not line.startswith("— ") or not signer_name(name) or len(data) < 5
                    or base64.b64encode(data).decode() != encoded):
                raise ValueError
            self.signatures.append((name, data))

    def signer(self, keys, origin):
        """The first of these keys that signed; it is wrong to say that a key signed which did not."""
        for key in keys:
            own = sha256(origin.encode() + b"\n\1" + base64.b64decode(key))[:4]
            found = [data[4:] for name, data in self.signatures if name == origin and data[:4] == own]
            if not all(holds(key, signature, self.text.encode()) for signature in found):
                raise Problem("bad-signature")
            if found:
                return key
        return None


# --- The journal -----------------------------------------------------------------------------------------------------------

def files_of(path):
    """The files of a journal and their numbers, oldest first."""
    numbered = ((f.name[len(path.name) + 1:], f) for f in path.parent.iterdir() if f.name.startswith(path.name + "."))
    rotated = sorted((int(n), f) for n, f in numbered if re.fullmatch("[1-9][0-9]*", n))
    return [(f, n) for n, f in rotated] + ([(path, None)] if path.exists() or not rotated else [])


class Verifier:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.trusted, self.own, self.key = list(options["trust"]), [], None
        self.leaves, self.journal, self.last, self.segments, self.sessions = [], None, None, 0, 0
        self.signed, self.attested, self.kept, self.before = None, None, [], []
        self.base = options["as"] or path.name
        self.files = files_of(path)
        self.lines = {}  # of each file: each line, and whether it is whole
        for file, _ in self.files:
            *complete, rest = file.read_bytes().split(b"\n")
            self.lines[file] = complete, bool(rest)

    def run(self):
        if self.options["checkpoint"]:
            self.kept.append((Note(self.options["checkpoint"]), True))
        beside = self.path.with_name(self.path.name + ".checkpoint")
        try:
            self.kept.append((Note(beside.read_bytes().decode()), False))
        except (OSError, ValueError):
            pass
        self.place, problem = self.files[0], None
        try:
            for self.place in self.files:
                self.file(*self.place)
            self.finish()
        except Problem as found:
            problem = found
        attested = self.attested if self.options["trust"] else self.signed
        return {
            "journal": self.journal,
            "file": problem and (problem.file or self.place[0].name) or self.path.name,
            "verdict": "broken" if problem else "holds",
            "problem": problem and problem.code, "line": problem and problem.line, "seq": problem and problem.seq,
            "records": len(self.leaves), "segments": self.segments, "sessions": self.sessions,
            "signed": self.signed is not None, "trusted": self.attested is not None, "attested": attested or 0,
        }

    def file(self, file, number):
        lines, torn = self.lines[file]
        for line, data in enumerate(lines, 1):
            seq = None
            try:
                record = read(data)
                seq = record["seq"]
                if hash_of(record) != record["hash"]:
                    raise Problem("edited")
                self.record(record, file, number, line)
            except Problem as problem:
                if problem.line is None and problem.code != "missing-segment":
                    problem.line, problem.seq = line, seq
                raise
        if not lines:
            raise Problem("truncated", 1)
        if torn and (file, number) != self.files[-1]:
            raise Problem("truncated", len(lines) + 1)

    def record(self, record, file, number, line):
        seq, prev = len(self.leaves), self.last and self.last[0]["hash"] or NONE
        mine = self.journal in (None, record["journal"])
        linked = (record["seq"], record["prev"]) == (seq, prev) and mine
        genesis = record["kind"] == "genesis"
        if line == 1 and genesis and mine:
            rotated = f"{record['file']}.{record['segment'] + 1}"
            actual = self.base if number is None else f"{self.base}.{number}"
            if actual != rotated and not (number is None and actual == record["file"]):
                raise Problem("renamed")
            if not linked and record["segment"] > self.segments:
                raise Problem("missing-segment", None, seq, f"{self.base}.{self.segments + 1}")
        if not linked:
            self.classify(record, file, line, seq, prev)
        if (line == 1) != genesis:
            raise Problem("inserted" if genesis else "removed")
        self.meaning(record, seq)
        self.leaves.append(sha256(b"\0" + bytes.fromhex(record["hash"])))
        self.last = record, file, line
        size = len(self.leaves)
        self.hold_against("bad-checkpoint", lambda note: note.size == size and note.root != root(self.leaves))

    def meaning(self, record, seq):
        kind = record["kind"]
        if kind == "session_start" and self.options["contract"] not in (None, record["contract"]["sha256"]):
            raise Problem("wrong-contract")
        self.sessions += kind == "session_start" and record["session"] is not None
        if kind == "contract" and sha256(record["source"].encode()).hex() != record["sha256"]:
            raise Problem("wrong-contract")
        if kind == "genesis":
            previous = {"file": f"{record['file']}.{self.segments}", "hash": record["prev"], "size": seq}
            if (record["segment"], record["previous"]) != (self.segments, previous if self.segments else None):
                raise Problem("foreign")
            self.segments += 1
            if self.journal is not None and record["key"] != self.key:
                raise Problem("wrong-key")
            if self.journal is None:
                self.journal, self.key = record["journal"], record["key"]
                self.origin, self.own = f"interlock.journal/{self.journal}", [self.key] if self.key else []
                if self.key:
                    key_of(self.key)
                self.hold_against("foreign", lambda note: note.origin != self.origin)
        if kind == "key":
            statement = f"interlock key change v1\n{self.origin}\n{seq}\n{record['prev']}\n{record['key']}\n"
            key_of(record["by"]), key_of(record["key"])
            self.statement(record["by"], record["signature"], statement)
            self.trusted += [record["key"]] if record["by"] in self.trusted else []
            self.own.append(record["key"])
            self.key = record["key"]
        if kind == "reanchor" and (record["key"], record["signature"], self.key) != (None, None, None):
            broken, quoted = record["broken"], lambda value: canonical(value).decode()
            self.statement(record["key"], record["signature"] or "", (
                f"interlock reanchor v1\n{self.origin}\n{seq}\n{record['prev']}\n{quoted(broken['file'])}\n{broken['sha256']}\n"
                f"{broken['bytes']}\n{broken['line']}\n{broken['problem']}\n{quoted(record['reason'])}\n"))
        if kind == "reanchor":
            self.before.append(record["broken"])
        if kind == "checkpoint":
            try:
                note = Note(record["note"])
            except ValueError:
                raise Problem("bad-checkpoint")
            if (note.origin, note.size, note.root) != (self.origin, seq, root(self.leaves)):
                raise Problem("bad-checkpoint")
            outside = [key for key in self.trusted if key not in self.own]
            signer = note.signer([self.key] * bool(self.key) + outside, self.origin)
            if not signer:
                raise Problem("wrong-key" if note.signer(self.own, self.origin) else "unknown-signer")
            self.attest(signer, note.size)

    def statement(self, key, signature, statement):
        if key != self.key or not key:
            raise Problem("wrong-key" if key else "bad-signature")
        if not holds(key, base64.b64decode(signature), statement.encode()):
            raise Problem("bad-signature")

    def known(self, note, given):
        """The key that signed a checkpoint kept elsewhere, of those known by now."""
        try:
            return note.signer(self.trusted + self.own, note.origin)
        except Problem:
            if given:
                raise
            return None

    def hold_against(self, code, wrong, *place):
        """What a checkpoint kept elsewhere shows. The one beside the journal only counts if a known key signed it."""
        for note, given in [kept for kept in self.kept if wrong(kept[0])]:
            if given or self.known(note, given):
                raise Problem(code, *place)
            self.kept.remove((note, given))

    def attest(self, signer, size):
        self.signed = max(self.signed or 0, size)
        if signer in self.trusted:
            self.attested = max(self.attested or 0, size)

    def finish(self):
        self.place = self.path, None
        records = len(self.leaves)
        self.hold_against("truncated", lambda note: note.size > records, None, records)
        for note, given in self.kept:
            signer = self.known(note, given)
            if signer:
                self.attest(signer, note.size)
            elif given and self.options["trust"]:
                raise Problem("unknown-signer")
        if (self.options["expect_at_least"] or 0) > records:
            raise Problem("truncated", None, records)
        if self.options["trust"] and self.attested is None:
            raise Problem("wrong-key", 1, 0, self.files[0][0].name)
        for broken in self.before[:16]:
            whole = re.sub(r"\.(0|[1-9][0-9]*)\Z", "", broken["file"])
            if pathlib.PurePosixPath(broken["file"]).name != broken["file"]:
                continue
            files = [file for file, _ in files_of(self.path.with_name(whole)) if file.exists()]
            data = b"".join(file.read_bytes() for file in files)
            if files and (len(data), sha256(data).hex()) != (broken["bytes"], broken["sha256"]):
                raise Problem("edited", None, None, broken["file"])

    def classify(self, found, file, line, seq, prev):
        """What kind of break it is, by what stands before and after it."""
        everything = []
        for other, _ in self.files:
            for at, data in enumerate(self.lines[other][0], 1):
                try:
                    everything.append(((other, at), read(data)))
                except Problem:
                    everything.append(((other, at), None))
        here = next(index for index, (place, _) in enumerate(everything) if place == (file, line))
        following = everything[here + 1][1] if here + 1 < len(everything) else None
        before = [record for _, record in everything[:here] if record]
        after = [record for _, record in everything[here + 1:] if record]
        at_last = lambda code: Problem(code, self.last[2], self.last[0]["seq"], self.last[1].name)
        if self.last and self.last[0]["journal"] != found["journal"]:
            alone = self.last[0]["seq"] == 0 and following and following["journal"] == found["journal"]
            raise at_last("foreign") if alone else Problem("foreign")
        if not self.last and following and following["journal"] != found["journal"]:
            raise Problem("foreign")
        if any(record["hash"] == found["hash"] for record in before + after):
            raise Problem("duplicated")
        if found["prev"] == prev:
            raise Problem("edited")
        if any(record["hash"] == found["prev"] for record in before) or self.last and (found["seq"], found["prev"]) == (0, NONE):
            raise Problem("forked")
        if any((record["seq"], record["prev"]) == (seq, prev) for record in after):
            raise Problem("reordered" if any(record["hash"] == found["prev"] for record in after) else "inserted")
        if found["seq"] != seq:
            raise Problem("removed" if found["seq"] > seq else "inserted")
        anew = not self.last or following and following["prev"] != found["hash"]
        raise Problem("edited") if anew else at_last("edited")


def public_key(given):
    """A public key as records have it: from a PEM file, or base64 as it is."""
    path = pathlib.Path(given)
    if not path.exists():
        return given
    key = load_pem_public_key(path.read_bytes())
    return base64.b64encode(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def main():
    arguments = argparse.ArgumentParser(description="Verifies a journal with all its files; prints the verdict as JSON.")
    arguments.add_argument("journal", nargs="?", type=pathlib.Path)
    arguments.add_argument("--trust", action="append", default=[], type=public_key, help="a public key: its PEM file, or base64")
    arguments.add_argument("--checkpoint", type=lambda path: pathlib.Path(path).read_text(), help="one that was kept elsewhere")
    arguments.add_argument("--expect-at-least", type=int, help="how many records there must be")
    arguments.add_argument("--contract", help="the SHA-256 of the contract that all sessions must have used")
    arguments.add_argument("--as", help="the name under which the journal was written")
    arguments.add_argument("--all", type=pathlib.Path, metavar="FOLDER", help="compare with the first verifier's reports")
    given = arguments.parse_args()
    if given.all:
        compare(given.all)
    if not given.journal:
        arguments.error("name a journal")
    try:
        verdict = Verifier(given.journal, vars(given)).run()
    except OSError as error:
        sys.exit(print(error, file=sys.stderr) or 2)
    print(json.dumps(verdict))
    sys.exit(0 if verdict["verdict"] == "holds" else 1)


def compare(cases):
    folders = sorted(folder for folder in cases.iterdir() if folder.is_dir())
    wrong = 0
    for folder in folders:
        options = json.loads((folder / "options.json").read_text())
        other = json.loads((folder / "report.json").read_text())
        mine = Verifier(folder / options["journal"], options).run()
        differs = {name: (value, other[name]) for name, value in mine.items() if value != other[name]}
        if differs:
            wrong += 1
            print(f"{folder.name}: (this verifier, the other): {differs}")
    print(f"the second verifier agrees on {len(folders) - wrong} of {len(folders)} journals")
    sys.exit(1 if wrong or not folders else 0)


main()
