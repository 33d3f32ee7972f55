//! What a stranger with a token, or without one, tries at the door of others: their names, their bots, a host's rights,
//! a ban, and programs that harm who checks them. None of it works.

use std::fs;
use std::process::Command;

use crate::kills::NO_LIMITS;
use crate::submissions::{accepted, good, verdict};
use crate::support::{Place, Reply, Server, said};

/// Names that are, look like, or lead to something else.
const NAMES: [&str; 33] = [
    "apple",
    "Apple",
    "APPLE",
    "app1e",
    "appIe",
    "\u{430}pple",
    "\u{430}\u{440}\u{440}l\u{435}",
    "\u{ff41}\u{ff50}\u{ff50}\u{ff4c}\u{ff45}",
    "apple\u{200b}",
    "ap\u{ad}ple",
    "\u{202e}elppa",
    "rnode",
    "MODE",
    "rn\u{43e}de",
    "random",
    "Random",
    "rand0m",
    "con",
    "NUL",
    "com1",
    "NA",
    "null",
    "NaN",
    "None",
    "-rf",
    "=cmd",
    "1e5",
    "2026-11-29",
    "a b",
    "..",
    "a/b",
    "a\0b",
    "a-name-of-thirty-three-characters-",
];

/// Writes programs that are none, or that harm who opens them.
const PROGRAMS: &str = r"
import gzip, io, os, stat, tarfile, zipfile
os.makedirs('attacks')
def write(name, data): open('attacks/' + name, 'wb').write(data)
PYTHON = b'import sys\nfor line in sys.stdin: print(1, 1, flush=True)\n'
def zipped(name, *entries):
    with zipfile.ZipFile('attacks/' + name, 'w', zipfile.ZIP_DEFLATED) as archive:
        for path, mode, data in entries:
            info = zipfile.ZipInfo(path)
            info.external_attr = mode << 16
            archive.writestr(info, data)
def tarred(name, *entries):
    with tarfile.open('attacks/' + name, 'w:gz') as archive:
        for path, kind, link in entries:
            info = tarfile.TarInfo(path)
            info.type, info.linkname, info.size = kind, link, len(PYTHON) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(PYTHON) if kind == tarfile.REGTYPE else None)
REG = tarfile.REGTYPE
zipped('slip.zip', ('bot.py', 0o100644, PYTHON), ('../../../hill.toml', 0o100644, b'seed = \'1\''))
zipped('link.zip', ('bot.py', 0o100644, PYTHON), ('seed', 0o120777, b'../../../hill.toml'))
zipped('bomb.zip', ('bot.py', 0o100644, PYTHON), ('zeros', 0o100644, bytes(300 << 20)))
zipped('twice.zip', ('bot.py', 0o100644, PYTHON), ('BOT.PY', 0o100644, PYTHON))
tarred('root.tar.gz', ('bot.py', REG, ''), ('/etc/cron.d/bot', REG, ''))
tarred('hard.tar.gz', ('bot.py', REG, ''), ('tokens', tarfile.LNKTYPE, '/etc/passwd'))
tarred('device.tar.gz', ('bot.py', REG, ''), ('null', tarfile.CHRTYPE, ''))
tarred('pipe.tar.gz', ('bot.py', REG, ''), ('pipe', tarfile.FIFOTYPE, ''))
write('none.py', b'')
write('text', b'no program at all')
write('elf', b'\x7fELF\x02\x01\x01' + bytes(9) + b'\x02\x00\xb7\x00' + bytes(200))
write('cut', open('/bin/sh', 'rb').read()[:4000])
write('reads', b'#!/bin/sh\ncat ../../hill.toml /etc/shadow >&2 || exit 7\n')
write('own', b'#!/tmp/own-interpreter\n')
write('forks', b'#!/bin/sh\nwhile :; do sh \x22$0\x22 & done\n')
write('floods', b'#!/bin/sh\nwhile :; do echo 1 1 1 1 1 1 1 1; done\n')
write('macro.c', b'#include \x22/etc/passwd\x22\nint main(void) { return 0; }\n')
write('endless.c', b'#include \x22endless.c\x22\n')
";

/// An attack of somebody, and what became of it.
type Attack = (String, Reply, &'static [u16]);

#[test]
#[ignore = "slow: dozens of attacks"]
fn no_attack_at_the_door_changes_what_others_have() {
    let place = Place::new();
    let eve = place.script("eve-bot", "#!/bin/sh\nwhile read -r q; do echo 1 1; done\n");
    for (bot, name, author) in [
        (place.path("eve-bot"), "evil", "eve"),
        (crate::support::program("push-random"), "apple", "alice"),
        (crate::support::program("push-random"), "mode", "alice"),
    ] {
        let bot = bot.display().to_string();
        let words = ["hill", "submit", "h", &bot, "--name", name, "--author", author];
        let output = place.command(&words).output().expect("referee");
        assert!(output.status.success() || name == "evil", "{}", said(&output));
    }
    let is_banned = place.command(&["hill", "ban", "h", "evil", "--with-author"]).output().expect("referee");
    assert!(is_banned.status.success(), "{}", said(&is_banned));
    let [alice, eve_token, mallory, gone] = ["alice", "eve", "mallory", "gone"].map(|name| place.token(name));
    let zoe = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    place.referee(&["hill", "invite", "h", "gone", "--revoke"]);
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let made = Command::new("python3").args(["-c", PROGRAMS]).current_dir(place.path("")).output();
    let made = made.expect("python3");
    assert!(made.status.success(), "{}", said(&made));
    let server = Server::start(&place, &NO_LIMITS);
    server.until_games();
    let own = accepted(&send(&server, &alice, "apple", "", &good()));
    verdict(&server, &own);
    let receipt = own["receipt"].as_str().expect("a receipt").to_owned();
    // All that belongs to somebody.
    let held = || {
        ["entrants.csv", "tokens.csv", "hill.toml", "seasons.csv"]
            .map(|file| fs::read_to_string(place.path("h").join(file)).unwrap_or_default())
    };
    let before = held();

    let mut attacks: Vec<Attack> = Vec::new();
    for name in NAMES {
        let escaped = name.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        let reply = send(&server, &mallory, &escaped, "", &good());
        attacks.push((format!("the name {name:?}"), judged(&server, reply), &[400, 409]));
    }
    let mut files: Vec<_> = fs::read_dir(place.path("attacks")).expect("files").flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let reply = send(&server, &mallory, "harm", &name, &fs::read(file.path()).expect("a program"));
        attacks.push((format!("the program {name}"), judged(&server, reply), &[400, 413]));
    }
    // A ban is one of the name, the program and the author.
    let program = fs::read(&eve).expect("a program");
    let longer = [&program, &b"\n# another\n"[..]].concat();
    for (who, token, name, bytes) in [
        ("the author", &eve_token, "evil", &program),
        ("the author, by another name", &eve_token, "good", &longer),
        ("the program, by another account", &mallory, "kind", &program),
        ("the name, by another account", &mallory, "evil", &good()),
    ] {
        let reply = judged(&server, send(&server, token, name, "", bytes));
        attacks.push((format!("a ban of {who}"), reply, &[400, 409]));
    }
    let bearer = |token: &str| format!("Bearer {token}");
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for (act, words) in [
        ("invite", "name=mallory&host=on"),
        ("revoke", "name=alice"),
        ("ban", "name=apple"),
        ("ban-author", "name=apple"),
        ("lift", "name=evil"),
        ("retire", "name=mode"),
        ("pause", ""),
        ("message", "text=mallory+leads"),
        ("extend", "until=2099-01-01T00:00:00Z"),
    ] {
        let body = format!("act={act}&{words}");
        let reply =
            server.ask("POST", "/h/host", &[("Authorization", &bearer(&mallory)), form], body.as_bytes());
        attacks.push((format!("as a host: {act}"), reply, &[403]));
    }
    let log = "/h/api/v1/games/s001-r00001-t001-g1/stderr";
    for (what, method, path, token, due) in [
        ("a rival's bot is withdrawn", "POST", "/h/bots/apple/withdraw", &mallory, &[403][..]),
        ("a house bot is withdrawn", "POST", "/h/bots/random/withdraw", &mallory, &[403]),
        ("the host's page", "GET", "/h/host", &mallory, &[403]),
        ("a token that was withdrawn", "GET", "/h/account", &gone, &[401]),
        ("a token that was withdrawn submits", "POST", "/h/api/v1/bots?name=late", &gone, &[401]),
        ("standard error of others", "GET", &format!("{log}/0"), &mallory, &[403]),
        ("standard error of a seat that is none", "GET", &format!("{log}/99"), &mallory, &[400, 404]),
        ("a submission by its number", "GET", "/h/submissions/1", &mallory, &[404]),
        (
            "a submission by a wrong receipt",
            "GET",
            "/h/submissions/1-000000000000000000000000",
            &mallory,
            &[404],
        ),
        ("the inbox", "GET", "/h/inbox", &mallory, &[404]),
        ("sources of others", "GET", "/h/builds", &mallory, &[404]),
        ("the names of accounts", "GET", "/h/people.csv", &mallory, &[404]),
    ] {
        let sure = if method == "POST" { &b"sure=on"[..] } else { b"" };
        let reply = server.ask(method, path, &[("Authorization", &bearer(token)), form], sure);
        attacks.push((what.to_owned(), reply, due));
    }
    let seen = server.get(&format!("/h/submissions/{receipt}")).text();
    assert!(seen.contains("apple"), "who has the receipt sees it: {seen}");

    let worked: Vec<String> = attacks
        .iter()
        .filter(|(_, reply, due)| !due.contains(&reply.status))
        .map(|(what, reply, due)| format!("{what}: {}, not {due:?}: {:.300}", reply.status, reply.text()))
        .collect();
    println!("{} attacks, {} worked", attacks.len(), worked.len());
    assert!(attacks.len() >= 60 && worked.is_empty(), "{}", worked.join("\n"));
    assert_eq!(held(), before, "nothing has changed hands");
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    let of_mallory = events.lines().filter(|line| line.contains(",mallory,"));
    let strange: Vec<&str> = of_mallory
        .filter(|line| ![",invited,", ",uploaded,", ",refused,"].iter().any(|word| line.contains(word)))
        .collect();
    assert!(strange.is_empty(), "{strange:#?}");
    for secret in ["root:", "seed ="] {
        let told = attacks.iter().find(|(_, reply, _)| reply.text().contains(secret));
        assert!(told.is_none(), "{secret} in {:?}", told.map(|(what, reply, _)| (what, reply.text())));
    }
    // A host is still one.
    let body = b"act=message&text=still+here";
    assert_eq!(server.ask("POST", "/h/host", &[("Authorization", &bearer(&zoe)), form], body).status, 303);
    place.referee(&["audit", "h"]);
}

fn send(server: &Server, token: &str, name: &str, file: &str, program: &[u8]) -> Reply {
    let file = if file.is_empty() { String::new() } else { format!("&file={file}") };
    let bearer = format!("Bearer {token}");
    server.ask("POST", &format!("/h/api/v1/bots?name={name}{file}"), &[("Authorization", &bearer)], program)
}

/// Waits for the verdict on what was taken, and returns a refusal of the check as one of the request.
fn judged(server: &Server, reply: Reply) -> Reply {
    if reply.status != 202 {
        return reply;
    }
    let verdict = verdict(server, &accepted(&reply));
    let status = if verdict["state"] == "refused" { 400 } else { reply.status };
    Reply { status, body: verdict.to_string().into_bytes(), ..reply }
}
