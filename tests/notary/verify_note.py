"""Verifies a checkpoint according to the specifications alone: C2SP signed-note and tlog-checkpoint, RFC 8032, RFC 6962.

verify_note.py KEY NOTE [RESULTS]: KEY is the text of a public key, NOTE a file with a checkpoint, RESULTS a results.csv
that has to begin with the games of the checkpoint. It shares no code with the program that signs.
"""

import base64
import csv
import hashlib
import sys

# Ed25519 (RFC 8032, 5.1): the field, the curve, the base point.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover_x(y, sign):
    """Returns the x of a point; None if there is none."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def add(a, b):
    """Adds two points in extended coordinates."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def times(number, point):
    sum_ = (0, 1, 1, 0)
    while number:
        if number & 1:
            sum_ = add(sum_, point)
        point, number = add(point, point), number >> 1
    return sum_


def decoded(data):
    """Returns the point of 32 bytes; None if there is none."""
    number = int.from_bytes(data, "little")
    y = number & (1 << 255) - 1
    x = recover_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % P)


BASE = decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public, text, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    key, r, s = decoded(public), decoded(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + text).digest(), "little") % ORDER
    left, right = times(s, BASE), add(r, times(h, key))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def refuse(why):
    sys.exit(f"refused: {why}")


def opened(key, note):
    """Returns the name of a key and the text of a note that it has signed."""
    name, number, data = key.split("+", 2)
    data = base64.b64decode(data, validate=True)
    if data[:1] != b"\x01" or hashlib.sha256(name.encode() + b"\n" + data).hexdigest()[:8] != number:
        refuse("this is not an Ed25519 key")
    text, empty, signatures = note.rpartition(b"\n\n")
    if not empty or not signatures.endswith(b"\n"):
        refuse("this is not a note")
    text += b"\n"
    known = 0
    for line in signatures[:-1].decode().split("\n"):
        dash, signer, signature = line.split(" ")
        signature = base64.b64decode(signature, validate=True)
        if dash != "\u2014":
            refuse("this is not a note")
        if signer == name and signature[:4].hex() == number:
            known += 1
            if not is_signed(data[1:], text, signature[4:]):
                refuse("the signature is not that of the key")
    if not known:
        refuse("the key has not signed it")
    return name, text.decode()


def root(leaves):
    """Returns the root over the hashes of entries (RFC 6962, 2.1)."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def leaves_of(results):
    """Returns the hash of each game: its rows, as they are in the file."""
    lines = results.splitlines(keepends=True)
    games, before = [], None
    for line in lines[1:]:
        game = next(csv.reader([line]))[0]
        if game != before:
            games.append("")
        games[-1], before = games[-1] + line, game
    return [hashlib.sha256(b"\x00" + game.encode()).digest() for game in games]


def main():
    with open(sys.argv[2], "rb") as file:
        name, text = opened(sys.argv[1].strip(), file.read())
    origin, size, due = text.split("\n")[:3]
    if origin != name:
        refuse("the checkpoint is for another list")
    if str(int(size)) != size:
        refuse("the size is no plain number")
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8", newline="") as file:
            leaves = leaves_of(file.read())
        if len(leaves) < int(size) or root(leaves[: int(size)]) != base64.b64decode(due, validate=True):
            refuse("the results do not begin with the games of the checkpoint")
    print(f"{origin}: {size} games")


main()
