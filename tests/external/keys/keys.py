"""Keys and notes of `interlock`, read by programs that are not ours: OpenSSL, Python's `cryptography`, node.

usage: keys.py INTERLOCK
"""

import base64
import hashlib
import json
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

INTERLOCK = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments, code=0, folder=None, **more):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, **more)
    assert done.returncode == code, (arguments, done)
    return done.stdout


def open_note(note, vkey):
    """The text of a signed note, if the key signed it (C2SP signed-note)."""
    name, key_id, key = vkey.split("+", 2)
    key = base64.b64decode(key, validate=True)
    assert hashlib.sha256(name.encode() + b"\n" + key).hexdigest()[:8] == key_id
    text, signatures = note.rsplit("\n\n", 1)
    for line in signatures.splitlines():
        dash, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded, validate=True)
        if (dash, signer, signature[:4].hex()) == ("—", name, key_id):
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature[4:], f"{text}\n".encode())
            return f"{text}\n"
    raise InvalidSignature


def root_of(leaf, index, size, path):
    """RFC 9162, 2.1.3.2."""
    node = lambda left, right: hashlib.sha256(b"\x01" + left + right).digest()
    last, result = size - 1, leaf
    for sibling in path:
        if index & 1 or index == last:
            result = node(sibling, result)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            result = node(result, sibling)
        index, last = index >> 1, last >> 1
    assert last == 0
    return result


def check_keys(folder):
    run(INTERLOCK, "keygen", "-o", "key", folder=folder)
    private, public = folder / "key", folder / "key.pub"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    key = serialization.load_pem_private_key(private.read_bytes(), None)
    assert isinstance(key, Ed25519PrivateKey)
    assert key.public_key() == serialization.load_pem_public_key(public.read_bytes())
    (folder / "message").write_text("message")
    checked = ["cryptography"]
    if shutil.which("openssl"):
        assert run("openssl", "pkey", "-in", "key", "-pubout", folder=folder) == public.read_text()
        run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", "key", "-in", "message", "-out", "signature", folder=folder)
        assert (folder / "signature").read_bytes() == key.sign(b"message")
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", "theirs", folder=folder)
        assert private.read_text().splitlines()[0] == (folder / "theirs").read_text().splitlines()[0]
        checked.append(run("openssl", "version").split(" (")[0].strip())
    if shutil.which("node"):
        script = """
            const crypto = require("crypto"), fs = require("fs");
            const key = crypto.createPrivateKey(fs.readFileSync("key"));
            const signature = crypto.sign(null, Buffer.from("message"), key);
            const fine = crypto.verify(null, Buffer.from("message"), fs.readFileSync("key.pub"), signature);
            process.stdout.write(`${fine} ${signature.toString("hex")}`);
        """
        assert run("node", "-e", script, folder=folder) == f"true {key.sign(b'message').hex()}"
        checked.append("node " + run("node", "--version").strip())
    print(f"keys: read by {', '.join(checked)}")


def check_notes(folder):
    """A journal of our own making, of which `interlock` proves a record."""
    def line(seq, previous):
        common = {"at": "1970-01-01T00:00:00.000Z", "journal": "1b" * 8, "prev": previous, "seq": seq, "session": None, "v": 1}
        genesis = {
            "content": "digest", "file": "j", "key": None, "kind": "genesis", "previous": None, "program": "test",
            "secret": "0" * 64, "segment": 0, "sync": "every",
        }
        gap = {"kind": "gap", "missing": seq, "why": "tëst"}
        record = common | (gap if seq else genesis)
        dump = lambda: json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        record["hash"] = hashlib.sha256(dump()).hexdigest()
        return dump(), record["hash"]

    lines, hashes, previous = [], [], "0" * 64
    for seq in range(21):
        text, previous = line(seq, previous)
        lines.append(text)
        hashes.append(bytes.fromhex(previous))
    (folder / "j").write_bytes(b"".join(text + b"\n" for text in lines))

    def tree(leaves):
        if len(leaves) == 1:
            return leaves[0]
        split = 1 << (len(leaves) - 1).bit_length() - 1
        return hashlib.sha256(b"\x01" + tree(leaves[:split]) + tree(leaves[split:])).digest()

    leaves = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in hashes]
    name = "interlock.journal/" + "1b" * 8
    key = serialization.load_pem_private_key((folder / "key").read_bytes(), None)
    raw = key.public_key().public_bytes_raw()
    key_id = hashlib.sha256(name.encode() + b"\n\x01" + raw).digest()[:4]

    def checkpoint(size):
        text = f"{name}\n{size}\n{base64.b64encode(tree(leaves[:size])).decode()}\n"
        return f"{text}\n— {name} {base64.b64encode(key_id + key.sign(text.encode())).decode()}\n"

    (folder / "j.checkpoint").write_text(checkpoint(21))
    (folder / "old.checkpoint").write_text(checkpoint(13))
    vkey = f"{name}+{key_id.hex()}+{base64.b64encode(bytes([1]) + raw).decode()}"
    for seq in range(21):
        proof = run(INTERLOCK, "prove", "j", "--seq", str(seq), folder=folder)
        head, note = proof.split("\n\n", 1)
        kind, extra, index, *path = head.splitlines()
        assert (kind, index) == ("c2sp.org/tlog-proof@v1", f"index {seq}")
        assert base64.b64decode(extra.removeprefix("extra ")) == lines[seq]
        root = root_of(leaves[seq], seq, 21, [base64.b64decode(hash) for hash in path])
        assert open_note(note, vkey) == f"{name}\n21\n{base64.b64encode(root).decode()}\n"
        (folder / "proof").write_text(proof)
        run(INTERLOCK, "prove", "--check", "proof", "--trust", "key.pub", folder=folder)
    run(INTERLOCK, "checkpoint", "j", "--key", "key", "-o", "new.checkpoint", folder=folder)
    assert (folder / "new.checkpoint").read_text() == checkpoint(21)
    run(INTERLOCK, "prove", "j", "--from", "old.checkpoint", "-o", "proof", folder=folder)
    run(INTERLOCK, "prove", "--check", "proof", "--from", "old.checkpoint", "--trust", vkey, folder=folder)
    print("notes and proofs: as an independent reading of the specifications makes and checks them")


with tempfile.TemporaryDirectory() as name:
    check_keys(pathlib.Path(name))
    check_notes(pathlib.Path(name))
