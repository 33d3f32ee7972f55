#!/usr/bin/env python3
"""Submits a program to a hill on the web, and waits for the verdict. It needs Python 3.8 or newer, on any system.

    python submit.py https://HOST/HILL FILE [--name NAME]

The token is in the environment variable REFEREE_TOKEN, or in the file .config/referee/token of your home folder.
The exit status is 0 if the bot is admitted or plays already, 3 if it is refused, and 2 if something else fails.
"""
import argparse, ipaddress, json, os, pathlib, ssl, sys, time
import urllib.error, urllib.parse, urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):  # the token is for this address alone
        return None


def say(what, to=sys.stdout):  # what a server says must not speak to the terminal
    print("".join(each if each.isprintable() or each == "\n" else "?" for each in str(what)), file=to, flush=True)


def fail(why, status=2):
    say(f"error: {why}", sys.stderr)
    sys.exit(status)


def is_private(address):
    parts = urllib.parse.urlsplit(address)
    try:
        return parts.scheme == "https" or ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return parts.hostname == "localhost"


def ask(opener, token, address, program=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/octet-stream"}
    try:
        with opener.open(urllib.request.Request(address, program, headers), timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        text = refused.read().decode(errors="replace")
        fail(f"{refused.code}: " + (json.loads(text)["error"] if text.startswith("{") else "is this a hill?"))
    except (OSError, ValueError) as error:
        fail(f"{address}: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hill", help="the address of the hill")
    parser.add_argument("file", type=pathlib.Path, help="the program")
    parser.add_argument("--name", help="the name of the bot (by default that of the file, without its ending)")
    parser.add_argument("--ca", metavar="FILE", help="trust the authorities in this PEM file, and no others")
    parser.add_argument("--insecure", action="store_true", help="send the token to another machine unencrypted")
    given = parser.parse_args()
    hill = given.hill.rstrip("/")
    if urllib.parse.urlsplit(hill).scheme not in ("http", "https"):
        fail(f"{hill}: an address begins with http:// or https://")
    if not given.insecure and not is_private(hill):
        fail(f"{hill}: everybody on the way could read the token: use https://, or name --insecure")
    kept = pathlib.Path.home() / ".config/referee/token"
    token = os.environ.get("REFEREE_TOKEN") or (kept.read_text() if kept.exists() else None)
    if not token:
        fail(f"no token: put it into the environment variable REFEREE_TOKEN, or into {kept}")
    try:
        program, trust = given.file.read_bytes(), ssl.create_default_context(cafile=given.ca)
    except OSError as error:
        fail(error)
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=trust), NoRedirect)
    name = urllib.parse.quote(given.name or given.file.stem.removesuffix(".tar"))
    file = urllib.parse.quote(given.file.name)
    now = ask(opener, token.strip(), f"{hill}/api/v1/bots?name={name}&file={file}", program)
    say(f"Submission {now['number']}: {now['told']}")
    while now.get("state") in (None, "waiting", "checking"):
        time.sleep(0.5)
        now = ask(opener, token.strip(), f"{hill}/api/v1/submissions/{now['receipt']}")
    say(now["told"]) if now["state"] in ("admitted", "plays") else fail(now["told"], 3)


if __name__ == "__main__":
    main()
