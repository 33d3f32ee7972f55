"""Verifies a checkpoint from the specifications alone: C2SP signed-note, C2SP tlog-checkpoint, RFC 8032, RFC 6962.

verify_note.py KEY NOTE [HILL]: KEY is the text of a public key, NOTE a file with a checkpoint, HILL the folder of a
hill whose list has to begin with the list of the checkpoint. It shares no code with the program that signs.
"""

import base64
import csv
import hashlib
import pathlib
import sys

# Ed25519 (RFC 8032, 5.1): the field, the order of the base point, the curve.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def point(data):
    """Returns the point of 32 bytes, in extended coordinates."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    roots = [pow(square, (P + 3) // 8, P) * factor % P for factor in (1, pow(2, (P - 1) // 4, P))]
    x = next(x for x in roots if x * x % P == square)
    x = x if x & 1 == sign else -x % P
    assert y < P and x & 1 == sign, "not a point"
    return x, y, 1, x * y % P


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def times(number, a):
    half = times(number >> 1, add(a, a)) if number else (0, 1, 1, 0)
    return add(half, a) if number & 1 else half


def is_signed(key, text, signature):
    """Tells whether the equation of RFC 8032, 5.1.7 holds."""
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % ORDER
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), add(point(signature[:32]), times(k, point(key)))
    is_same = all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
    return len(signature) == 64 and s < ORDER and is_same


def opened(key, note):
    """Returns the name of a key, and the text of a note that it has signed."""
    name, number, data = key.split("+", 2)
    data = base64.b64decode(data, validate=True)
    assert data[0] == 1 and hashlib.sha256(name.encode() + b"\n" + data).digest()[:4].hex() == number, "not a key"
    text, empty, signatures = note.rpartition(b"\n\n")
    assert empty and signatures.endswith(b"\n"), "not a note"
    known = 0
    for line in signatures[:-1].decode().split("\n"):
        dash, signer, signature = line.split(" ")
        signature = base64.b64decode(signature, validate=True)
        assert dash == "\u2014", "not a note"
        if (signer, signature[:4].hex()) == (name, number):
            known += 1
            assert is_signed(data[1:], text + b"\n", signature[4:]), "the signature is not that of the key"
    assert known, "the key has not signed it"
    return name, text.decode().split("\n")


def root(leaves):
    """Returns the root over the hashes of entries (RFC 6962, 2.1)."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else hashlib.sha256().digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def leaves_of(hill):
    """Returns the hashes of the entries of a hill: its beginning, each season, and the rows of each game."""
    entries, game, seasons = [(hill / "proof/beginning").read_bytes()], None, set()
    for line in (hill / "results.csv").read_bytes().splitlines(keepends=True)[1:]:
        name = next(csv.reader([line.decode()]))[0]
        season = name[1:4]
        if season not in seasons:
            entries.append((hill / "proof/seasons" / season).read_bytes())
        entries, game = [*entries[:-1], entries[-1] + line] if name == game else [*entries, line], name
        seasons.add(season)
    return [hashlib.sha256(b"\x00" + entry).digest() for entry in entries]


def main():
    name, lines = opened(sys.argv[1].strip(), pathlib.Path(sys.argv[2]).read_bytes())
    origin, size, due = lines[:3]
    assert origin == name, "the checkpoint is for another list"
    assert str(int(size)) == size, "the size is no plain number"
    if len(sys.argv) > 3:
        leaves = leaves_of(pathlib.Path(sys.argv[3]))[: int(size)]
        is_root = len(leaves) == int(size) and root(leaves) == base64.b64decode(due, validate=True)
        assert is_root, "the results do not begin with the entries of the checkpoint"
    print(f"{origin}: {size} entries")


main()
