"""Makes a journal of any length: hash-chained, unsigned, the same bytes each time.

`python3 journal.py RECORDS > FILE`. Names in it are as hostile as an agent can make them.
"""

import hashlib
import json
import random
import sys

CONTRACT = {
    "name": "payments",
    "rules": [
        {
            "id": "verify-first",
            "must_precede": {"first": "ok(verify_payee)", "then": "send_payment"},
            "per": {"verify_payee": "args.payee", "send_payment": "args.payee"},
            "instances": {"max": 10000},
        },
        {
            "id": "once-per-invoice",
            "at_most_n_times": {"call": "send_payment", "n": 1},
            "per": "args.invoice",
            "instances": {"max": 10000},
        },
        {
            "id": "receipt",
            "must_be_followed_by": {"after": "ok(send_payment)", "then": "ok(send_receipt)"},
        },
        {
            "id": "review-then-test-then-deploy",
            "sequence": {"steps": ["ok(review)", "ok(run_tests)", "deploy"]},
        },
        {"forbid": "bash", "id": "no-shell"},
    ],
    "tools": {
        "verify_payee": {"effect": "read"},
        "send_payment": {"effect": "irreversible"},
        "send_receipt": {"effect": "write"},
    },
    "version": 1,
}

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "\u202etxt.exe\u202c \u200b\u2066x\u2069",
    "\x1b]0;owned\x07\x1b[31mred\x00\x7f",
    "a\u2028b\u2029c&amp;&lt;\"'`${1}",
    "x" * 3000,
    "__proto__",
    "constructor",
]


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def contract_text():
    """Sorted, except for mappings whose order counts."""

    def write(value, ordered):
        if isinstance(value, dict):
            keys = list(value) if ordered else sorted(value)
            inner = (json.dumps(k) + ":" + write(value[k], k in ("tools", "per", "of", "let")) for k in keys)
            return "{" + ",".join(inner) + "}"
        if isinstance(value, list):
            return "[" + ",".join(write(v, False) for v in value) + "]"
        return json.dumps(value)

    return write(CONTRACT, False)


class Journal:
    def __init__(self, out):
        self.out, self.seq, self.prev, self.clock = out, 0, "0" * 64, 1_767_261_600_000

    def write(self, kind, session, **fields):
        self.clock += 137
        seconds, millis = divmod(self.clock, 1000)
        import time

        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03}Z"
        record = dict(fields, at=at, journal="00c0ffee00c0ffee", kind=kind, prev=self.prev, seq=self.seq, session=session, v=1)
        self.prev = record["hash"] = hashlib.sha256(canonical(record).encode()).hexdigest()
        self.out.write(canonical(record).encode() + b"\n")
        self.seq += 1
        return self.seq - 1


def content(of):
    return {"digest": hashlib.sha256(str(of).encode()).hexdigest(), "form": "jcs", "text": None}


def finding(rule, before=None, after=None, verdict="violated", action="block", reason="rule", help=None, key=None):
    states = None if before is None else {"after": after, "before": before}
    key = None if key is None else hashlib.sha256(key.encode()).hexdigest()
    return dict(action=action, clause=None, help=help, key=key, reason=reason, rule=rule, source=None, states=states, verdict=verdict)


def make(records, out, seed=1):
    pick = random.Random(seed)
    journal = Journal(out)
    text = contract_text()
    digest = hashlib.sha256(text.encode()).hexdigest()
    journal.write("genesis", None, content="digest", file="agent.journal", key=None, previous=None, program="contract-runtime 0.1.0",
                  secret="5" * 64, segment=0, sync="every")
    journal.write("contract", None, name="payments", sha256=digest, source=text)
    number = 0
    while journal.seq < records:
        session = f"s{journal.seq}" if number % 9 else HOSTILE[number // 9 % len(HOSTILE)] + str(number)
        agent = pick.choice(["support-bot", "billing-bot", "release-bot"])
        shadow = number % 5 == 3
        number += 1
        journal.write("session_start", session, agent={"name": agent, "version": "1.4"}, context=None,
                      contract={"name": "payments", "sha256": digest}, key=None, mode="shadow" if shadow else "enforce", parent=None,
                      program="contract-runtime 0.1.0", resumed=False, surface="my-loop")
        counts, diverged, paid, blocked = dict(alert=0, allow=0, ask=0, block=0), False, False, 0
        for call in range(pick.randint(3, 24)):
            tool = pick.choices(["verify_payee", "send_payment", "send_receipt", "search", "bash", "deploy", "hostile"],
                                [30, 22, 14, 40, 3, 3, 1])[0]
            if tool == "hostile":
                tool = pick.choice(HOSTILE)
            payee = f"payee-{pick.randint(1, 9)}"
            findings, decision, refusal = [], "allow", None
            if tool == "send_payment" and pick.random() < 0.2:
                findings = [finding("verify-first", [0], [2], help="first make a call that matches `ok(verify_payee)` and succeeds, with the same key", key=payee)]
            elif tool == "send_payment" and pick.random() < 0.08:
                findings = [finding("once-per-invoice", help="nothing in this session for this key", key=payee)]
            elif tool == "bash":
                findings = [finding("no-shell", [0], [1])]
            elif tool == "deploy":
                findings = [finding("review-then-test-then-deploy", [pick.choice([0, 1])], [2])]
            elif tool == "search" and pick.random() < 0.02:
                findings = [finding("default", action="alert", verdict="unestablished", reason="no_permit")]
            if findings:
                decision = findings[0]["action"]
                if decision == "block" and pick.random() < 0.06:
                    decision = findings[0]["action"] = "ask"
            ran = decision in ("allow", "alert") or shadow
            diverged = diverged or (ran and decision in ("ask", "block"))
            if not ran:
                refusal = "needs_approval" if decision == "ask" else "blocked"
            counts[decision] += 1
            seq = journal.write("decision", session, after_divergence=diverged, agent=None, approved=False, args=content((tool, payee, call)),
                                batch=None, call=call, decision=decision, effect="read" if tool in ("search", "verify_payee") else "irreversible",
                                evaluated=True, findings=findings, id=f"call_{journal.seq:06}", original=None, ran=ran, refusal=refusal,
                                server=None, tool=tool)
            if not ran:
                blocked += 1
                if decision == "ask":
                    journal.write("approval", session, answer=pick.choice(["approved", "denied"]), by="ann", reason=None, request=seq)
                continue
            paid = paid or tool == "send_payment"
            if tool == "send_receipt":
                paid = False
            if pick.random() < 0.0005:
                continue
            status = pick.choices(["ok", "failed", "unknown"], [94, 5, 1])[0]
            journal.write("outcome", session, call=call, decision=seq, evaluated=True, findings=[], result=content((seq, "r")),
                          shown=pick.choices(["all", "redacted", "withheld"], [990, 9, 1])[0], status=status, tool=tool)
        if pick.random() < 0.003:
            journal.write("gap", None, missing=pick.randint(1, 4), why="no space left on device")
        if pick.random() < 0.003:
            journal.write("recovery", None, bytes=417, file="agent.journal.torn", sha256="7" * 64)
        if pick.random() < 0.01:
            continue
        end = [finding("receipt", [1], [1], reason="ended")] if paid and pick.random() < 0.4 else []
        journal.write("session_end", session, counts=counts, findings=end,
                      rules=[dict(blocked=blocked, rule="verify-first", verdict="satisfied")])


if __name__ == "__main__":
    make(int(sys.argv[1]), sys.stdout.buffer)
