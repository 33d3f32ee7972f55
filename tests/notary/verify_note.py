"""verify_note.py KEY NOTE HILL [WITNESS ...]: verifies a checkpoint of a hill, and its cosignatures, from the
specifications alone: C2SP signed-note, tlog-checkpoint and tlog-cosignature; RFC 8032; RFC 6962; proof.md."""

import hashlib, itertools, pathlib, sys
from base64 import b64decode

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def point(data):
    y, sign = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    roots = (pow(square, (P + 3) // 8, P) * factor % P for factor in (1, pow(2, (P - 1) // 4, P)))
    x = next(x for x in roots if x * x % P == square and y < P)
    return x if x & 1 == sign else -x % P, y

def add(a, b):
    (x, y), (u, v), k = a, b, D * a[0] * a[1] * b[0] * b[1]
    return (x * v + u * y) * pow(1 + k, -1, P) % P, (y * v + x * u) * pow(1 - k, -1, P) % P

def times(number, a):
    half = times(number >> 1, add(a, a)) if number else (0, 1)
    return add(half, a) if number & 1 else half

def is_signed(key, text, signature):
    r, s, base = signature[:32], int.from_bytes(signature[32:], "little"), 4 * pow(5, -1, P) % P
    k = int.from_bytes(hashlib.sha512(r + key + text).digest(), "little")
    is_equal = times(s, point(base.to_bytes(32, "little"))) == add(point(r), times(k, point(key)))
    return is_equal and s < ORDER and len(signature) == 64

def opened(key, note):
    name, number, data = key.split("+", 2)
    public = b64decode(data, validate=True)
    assert hashlib.sha256(f"{name}\n".encode() + public).digest()[:4].hex() == number, "not a key"
    text, empty, lines = note.rpartition("\n\n")
    lines = [line.split(" ") for line in lines.split("\n")]
    assert empty and lines.pop() == [""] and all(dash == "\u2014" for dash, _, _ in lines), "not a note"
    signed = [b64decode(data, validate=True) for _, signer, data in lines if signer == name]
    signed = [data[4:] for data in signed if data[:4].hex() == number]
    assert signed and public[0] in (1, 4), f"not signed by {key}"
    for data in signed:
        time, data = (data[:8], data[8:]) if public[0] == 4 else (b"", data)
        stated = f"cosignature/v1\ntime {int.from_bytes(time, 'big')}\n{text}\n" if time else f"{text}\n"
        assert is_signed(public[1:], stated.encode(), data), f"the signature is not that of {key}"
    return [name, *text.split("\n")]

def root(leaves):
    split = 1 << (len(leaves) - 1).bit_length() - 1 if len(leaves) > 1 else 0
    return hashlib.sha256(b"\1" + root(leaves[:split]) + root(leaves[split:])).digest() if split else leaves[0]

key, note, hill = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), pathlib.Path(sys.argv[3])
name, origin, size, due, *_ = [opened(by, note) for by in [key, *sys.argv[4:]]][0]
assert origin == name and str(int(size)) == size, "the checkpoint is for another list"
entries = [(hill / "proof/beginning").read_bytes()]
for season, rows in itertools.groupby((hill / "results.csv").read_bytes().splitlines(True)[1:], lambda row: row[1:4]):
    entries.append((hill / "proof/seasons" / season.decode()).read_bytes())
    entries += [b"".join(rows) for _, rows in itertools.groupby(rows, lambda row: row.split(b",")[0])]
leaves = [hashlib.sha256(b"\0" + entry).digest() for entry in entries[: int(size)]]
assert (len(leaves), root(leaves)) == (int(size), b64decode(due)), "they do not begin with the entries of the note"
print(f"{origin}: {size} entries")
