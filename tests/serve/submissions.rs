//! Submissions: each ends with the verdict of the command line, and none is lost or doubled.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;
use serde_json::Value;

use crate::kills::NO_LIMITS;
use crate::support::{PATIENCE, Place, Reply, Server, program, said};

/// A bot that plays: a house bot, like an author's build.
pub(crate) fn good() -> Vec<u8> {
    fs::read(program("push-random")).expect("the bot")
}

/// A bot that ends at once, with a word on standard error.
pub(crate) const BAD: &[u8] = b"#!/bin/sh\necho no such opening book >&2\nexit 3\n";

pub(crate) fn post(server: &Server, token: &str, name: &str, program: &[u8]) -> Reply {
    let bearer = format!("Bearer {token}");
    server.ask("POST", &format!("/h/api/v1/bots?name={name}"), &[("Authorization", &bearer)], program)
}

pub(crate) fn accepted(reply: &Reply) -> Value {
    assert_eq!(reply.status, 202, "{}", reply.text());
    serde_json::from_slice(&reply.body).expect("JSON")
}

pub(crate) fn verdict(server: &Server, asked: &Value) -> Value {
    let path = format!("/h/api/v1/submissions/{}", asked["receipt"].as_str().expect("a receipt"));
    server.until(&path, |now| now["place"].is_null())
}

/// A form as a browser sends it, with a program from a file of this name.
pub(crate) fn form(fields: &[(&str, &[u8])], file: &str) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let file = if *name == "program" { format!("; filename=\"{file}\"") } else { String::new() };
        body.extend(
            format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend_from_slice(value);
        body.extend(b"\r\n");
    }
    body.extend(b"--cut--\r\n");
    body
}

pub(crate) const FORM: (&str, &str) = ("Content-Type", "multipart/form-data; boundary=cut");

#[test]
fn a_wrong_program_hears_its_cure_and_the_mended_one_plays() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &[]);
    let first = accepted(&post(&server, &token, "mybot", BAD));
    assert_eq!((&first["number"], &first["place"]), (&1.into(), &1.into()));
    let refused = verdict(&server, &first);
    let told = refused["told"].as_str().expect("a verdict");
    assert_eq!(refused["state"], "refused", "{told}");
    for part in ["mybot is not admitted", "no such opening book", "Fix: mend what its standard error says"] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    assert!(!told.contains("referee "), "its author can have no such program: {told}");
    assert!(!told.contains(place.path("").to_str().expect("a path")), "no path of the host: {told}");
    let admitted = verdict(&server, &accepted(&post(&server, &token, "mybot", &good())));
    assert_eq!(admitted["state"], "admitted", "{admitted}");
    assert!(place.referee(&["hill", "bots", "h", "--format", "csv"]).contains("mybot,1,alice,"));
    // A second click says one thing: it plays already.
    let again = accepted(&post(&server, &token, "mybot", &good()));
    let plays = verdict(&server, &again);
    assert_eq!(plays["state"], "plays", "{plays}");
    assert_eq!(plays["told"], "the same program plays already, as version 1 of mybot", "{plays}");
    let receipt = again["receipt"].as_str().expect("a receipt");
    let page = server.get(&format!("/h/submissions/{receipt}")).text();
    for word in ["admitted", "from the next round", "submit again"] {
        assert!(!page.contains(word), "{word}: {page}");
    }
    assert!(page.contains("plays already") && page.contains("Nothing has changed"), "{page}");
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    let told: Vec<&str> = events.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!(
        told,
        ["invited", "uploaded", "refused", "uploaded", "admitted", "uploaded", "plays"],
        "{events}"
    );
    let files = |number: &str| fs::read_dir(place.path("h/inbox").join(number)).expect("the inbox").count();
    assert_eq!(files("000002"), 3, "request, verdict, record of the check: the program is in the store");
    assert_eq!(files("000001"), 2, "the record of an earlier check is removed");
}

#[test]
fn a_fault_in_the_check_game_is_shown_to_its_author_with_question_and_answer_and_as_a_replay() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &[]);
    let strange = b"#!/bin/sh\nwhile read line; do echo '<b>&' ; done\n";
    let asked = accepted(&post(&server, &token, "strange", strange));
    let refused = verdict(&server, &asked);
    let told = refused["told"].as_str().expect("a verdict");
    let lines: Vec<&str> = told.lines().map(str::trim_start).collect();
    for part in ["question: ", "expected: one line within "] {
        assert!(lines.iter().any(|line| line.starts_with(part)), "{part}: {told}");
    }
    let receipt = asked["receipt"].as_str().expect("a receipt");
    let page = server.get(&format!("/h/submissions/{receipt}"));
    assert!(page.text().contains("is not an integer: &lt;b&gt;&amp;"), "{}", page.text());
    let replay = format!("/h/submissions/{receipt}/replay");
    assert!(page.text().contains(&format!("href=\"{replay}\"")), "{}", page.text());
    let watched = server.get(&replay);
    assert_eq!(watched.status, 200);
    assert!(watched.header("content-security-policy").is_some_and(|policy| policy.contains("base-uri")));
    assert!(watched.text().contains("<title>Check game of strange - "), "{}", watched.text());
    // What a program wrote is in its own lines; a long question is folded.
    let page = page.text();
    assert!(page.contains("expected: one line within ") && page.contains("<pre tabindex=\"0\">"), "{page}");
    assert!(!page.contains("question: ") || !page.contains("<summary>The question"), "{page}");
    // Another visitor sees none of it: a bot that never played has no page, and no other receipt leads there.
    assert_eq!(server.get("/h/bots/strange").status, 404);
    assert_eq!(server.get("/h/submissions/1-000000000000000000000000/replay").status, 404);
    // The record of the last check alone is kept. Its author finds it on the bot's page, and nobody else does.
    let admitted = accepted(&post(&server, &token, "strange", &good()));
    assert_eq!(verdict(&server, &admitted)["state"], "admitted");
    let gone = server.get(&replay);
    assert!(gone.status == 404 && gone.text().contains("Only the record of a bot's last check is kept"));
    let receipt = admitted["receipt"].as_str().expect("a receipt");
    let bearer = format!("Bearer {token}");
    server.until("/h/api/v1/bots", |now| now.to_string().contains("strange"));
    let own = || server.ask("GET", "/h/bots/strange", &[("Authorization", &bearer)], b"").text();
    let replay = format!("/h/submissions/{receipt}/replay");
    assert!(own().contains(&replay), "{}", own());
    // A later submission without a check game leaves it: no program, an unknown interpreter, the same program again.
    for bytes in [&b"no program"[..], b"#!/no/such/interpreter\n", &good()] {
        let later = accepted(&post(&server, &token, "strange", bytes));
        let told = verdict(&server, &later);
        let without = format!("/h/submissions/{}/replay", later["receipt"].as_str().expect("a receipt"));
        assert_eq!(server.get(&without).status, 404, "{told}");
        assert_eq!(server.get(&replay).status, 200, "{told}");
        assert!(own().contains(&replay), "{told}: {}", own());
    }
    assert!(!server.get("/h/bots/strange").text().contains("/submissions/"));
}

#[test]
fn the_form_of_the_page_takes_a_program_and_leads_to_its_verdict() {
    let place = Place::new();
    let token = place.token("bob");
    let server = Server::start(&place, &[]);
    let body = form(
        &[("token", token.as_bytes()), ("name", b"formed"), ("program", &good())],
        "../../../../etc/mybot",
    );
    let reply = server.ask("POST", "/h/submit", &[FORM], &body);
    assert_eq!(reply.status, 303, "{}", reply.text());
    let page = reply.header("location").expect("a page").to_owned();
    let receipt = page.rsplit('/').next().expect("a receipt");
    server.until(&format!("/h/api/v1/submissions/{receipt}"), |now| now["state"] == "admitted");
    let page = server.get(&page);
    assert!(page.text().contains("formed version 1 plays from now on"), "{}", page.text());
    assert_eq!(page.header("refresh"), None, "it is over");
    // Without a script, a browser sends several files as they are.
    let several = [
        ("token", token.as_bytes()),
        ("name", b"several"),
        ("program", b"import move"),
        ("program", b"MOVE = 1"),
    ];
    let reply = server.ask("POST", "/h/submit", &[FORM], &form(&several, "bot.py"));
    assert!(reply.status == 400 && reply.text().contains("pack them into one zip"), "{}", reply.text());
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    assert!(!events.contains("several"), "nothing was taken: {events}");
}

#[test]
fn sources_are_built_and_their_authors_read_the_log() {
    let place = Place::new();
    let token = place.token("dora");
    let server = Server::start(&place, &[]);
    let send = |name: &str, file: &str, bytes: &[u8]| {
        let bearer = format!("Bearer {token}");
        let path = format!("/h/api/v1/bots?name={name}&file={file}");
        verdict(&server, &accepted(&server.ask("POST", &path, &[("Authorization", &bearer)], bytes)))
    };
    let python = b"import sys\nfor line in sys.stdin: print('30 3', flush=True)\n";
    let admitted = send("snake", "bot.py", python);
    let told = admitted["told"].as_str().expect("a verdict");
    assert!(admitted["state"] == "admitted" && told.contains("built from its source (python"), "{admitted}");
    // An archive is known by its bytes.
    fs::create_dir_all(place.path("bot/data")).expect("made");
    fs::write(place.path("bot/bot.py"), python).expect("written");
    fs::write(place.path("bot/data/w"), "weights").expect("written");
    let packed =
        Command::new("tar").arg("-C").arg(place.path("")).args(["-czf", "-", "bot"]).output().expect("tar");
    let admitted = send("packed", "", &packed.stdout);
    assert_eq!(admitted["state"], "admitted", "{admitted}");
    let refused = send("wrong", "bot.py", b"def f(:\n");
    let told = refused["told"].as_str().expect("a verdict");
    assert!(refused["state"] == "refused" && told.contains("\n  | SyntaxError"), "{told}");
    assert!(!told.contains(place.path("").to_str().expect("a path")), "no path of the host: {told}");
    // The name of a file is no more than its ending, and never that of a file of the server.
    for file in ["asked.json", "../../h/hill.toml", "x/../../y.PY", ".py.", "bot.py%00"] {
        let refused = send("strange", file, python);
        assert_eq!(refused["state"], "refused", "{file}: {refused}");
    }
    let place = place.path("h/inbox");
    for folder in fs::read_dir(&place).expect("the inbox").flatten().filter(|entry| entry.path().is_dir()) {
        let files =
            fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").file_name());
        let known = ["asked.json", "verdict.json", "check.game.csv"];
        let others: Vec<_> = files.filter(|file| !known.iter().any(|known| file == known)).collect();
        assert!(others.is_empty(), "{others:?} in {:?}", folder.path());
    }
}

#[test]
fn what_needs_a_compiler_is_in_the_way_of_nothing_that_plays_at_once() {
    let place = Place::new();
    let slow = "[slow]\nabout = \"slow\"\noffered = true\nendings = [\".slow\"]\ntakes = \"{out}\"\n\
                build = [[\"sh\", \"-c\", \"while :; do :; done\"]]\nversion = [\"sh\", \"-c\", \"echo 1\"]\n";
    fs::write(place.path("h/languages.toml"), slow).expect("languages");
    let [ann, ben, dora] = ["ann", "ben", "dora"].map(|account| format!("Bearer {}", place.token(account)));
    let server = Server::start(&place, &[]);
    let send = |bearer: &str, name: &str, file: &str, bytes: &[u8]| {
        let path = format!("/h/api/v1/bots?name={name}&file={file}");
        accepted(&server.ask("POST", &path, &[("Authorization", bearer)], bytes))
    };
    let builds = [send(&ann, "one", "one.slow", b"1"), send(&ben, "two", "two.slow", b"2")];
    let state = |asked: &Value| {
        let path = format!("/h/api/v1/submissions/{}", asked["receipt"].as_str().expect("a receipt"));
        server.json(&path)["state"].as_str().map(str::to_owned)
    };
    server.until(
        &format!("/h/api/v1/submissions/{}", builds[0]["receipt"].as_str().expect("a receipt")),
        |now| now["state"] == "checking",
    );
    // A source that is interpreted, and a program.
    let python = b"import sys\nfor line in sys.stdin: print('30 3', flush=True)\n";
    for (name, file, bytes) in [("snake", "bot.py", &python[..]), ("same", "", &good()[..])] {
        let came = verdict(&server, &send(&dora, name, file, bytes));
        assert_eq!(came["state"], "admitted", "{came}");
    }
    assert_eq!(builds.each_ref().map(|build| state(build).expect("a state")), ["checking", "waiting"]);
}

#[test]
fn the_command_line_submits_to_an_address_and_says_the_same() {
    let place = Place::new();
    let token = place.token("carol");
    let server = Server::start(&place, &[]);
    let address = format!("http://{}/h", server.address);
    fs::copy(program("push-random"), place.path("walker")).expect("a bot");
    place.script("broken", std::str::from_utf8(BAD).expect("text"));
    let submit = |bot: &str, token: &str| {
        let mut command = place.command(&["hill", "submit", &address, bot]);
        command
            .env("REFEREE_TOKEN", token)
            .env("XDG_CONFIG_HOME", place.path("config"))
            .output()
            .expect("referee")
    };
    let output = submit("./walker", &token);
    assert!(
        output.status.success() && said(&output).contains("walker version 1 plays from now on"),
        "{}",
        said(&output)
    );
    // A folder is packed here, and built there; its name is of any script, and composed.
    fs::create_dir_all(place.path("か\u{3099}狐/data")).expect("a folder");
    place.script("か\u{3099}狐/bot.py", "for line in open(0): print('30 3', flush=True)\n");
    let told = said(&submit("./か\u{3099}狐", &token));
    assert!(told.contains("\u{304c}狐 version 1 plays from now on"), "{told}");
    assert!(told.contains("built from its source (python"), "{told}");
    let output = submit("./broken", &token);
    let told = said(&output);
    assert!(output.status.code() == Some(3) && told.contains("no such opening book"), "{told}");
    let output = submit("./walker", "guess");
    assert!(output.status.code() == Some(2) && said(&output).contains("unknown token"), "{}", said(&output));
    let output = submit("./walker", "");
    assert!(output.status.code() == Some(2) && said(&output).contains("REFEREE_TOKEN"), "{}", said(&output));
    fs::create_dir_all(place.path("config/referee")).expect("a folder");
    place.script("config/referee/token", &token);
    let told = said(&submit("./walker", ""));
    assert!(told.contains("chmod 600"), "{told}");
    let mode = fs::Permissions::from_mode(0o600);
    fs::set_permissions(place.path("config/referee/token"), mode).expect("mode 600");
    assert!(
        said(&submit("./walker", "")).contains("the same program plays already"),
        "the token of the file counts"
    );
}

#[test]
#[ignore = "needs root"]
fn another_user_of_the_machine_submits_by_the_command_line() {
    const SOMEBODY: u32 = 65534;
    let place = Place::new();
    let token = place.token("dave");
    let server = Server::start(&place, &[]);
    // The user can read neither the hill nor the folder of the build.
    let his = tempfile::Builder::new().prefix("referee-somebody-").tempdir().expect("a folder");
    fs::copy(program("referee"), his.path().join("referee")).expect("the program");
    fs::copy(program("push-random"), his.path().join("walker")).expect("a bot");
    for file in ["", "referee", "walker"] {
        chown(his.path().join(file), Some(SOMEBODY), Some(SOMEBODY)).expect("his file");
    }
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o700)).expect("its mode");
    let submit = |words: &[&str]| {
        let mut command = Command::new(his.path().join("referee"));
        command.args(words).current_dir(his.path()).uid(SOMEBODY).gid(SOMEBODY);
        command.env("REFEREE_TOKEN", &token).env("HOME", his.path()).output().expect("referee")
    };
    let address = format!("http://{}/h", server.address);
    let output = submit(&["hill", "submit", &address, "./walker"]);
    let told = said(&output);
    assert!(output.status.success() && told.contains("walker version 1 plays from now on"), "{told}");
    assert!(place.referee(&["hill", "bots", "h", "--format", "csv"]).contains("walker,1,dave,"));
    let hill = place.path("h").display().to_string();
    let output = submit(&["hill", "submit", &hill, "./walker", "--name", "thief"]);
    assert!(!output.status.success() && said(&output).contains("Permission denied"), "{}", said(&output));
}

#[test]
fn who_sends_all_of_a_program_before_it_listens_hears_why_it_is_refused() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &["--upload-mib", "1"]);
    let large = vec![b'.'; 12 << 20];
    for (token, status, told) in [(&*token, 413, "over 1 MiB"), ("guess", 401, "unknown token")] {
        for _ in 0..5 {
            let mut stream = server.connect("127.0.0.1");
            let head = format!(
                "POST /h/api/v1/bots?name=whale HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\
                 Content-Length: {}\r\n\r\n",
                large.len()
            );
            stream.write_all(head.as_bytes()).expect("sent");
            // Browsers and proxies that cannot finish sending report a broken connection, not the answer.
            stream.write_all(&large).expect("the server receives it");
            let reply = Reply::read(&mut stream);
            assert_eq!(reply.status, status, "{}", reply.text());
            assert!(reply.text().contains(told), "{}", reply.text());
        }
    }
}

#[test]
fn who_never_ends_a_program_that_is_refused_is_listened_to_for_a_moment_only() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let mut stream = server.connect("127.0.0.1");
    let head = "POST /h/api/v1/bots?name=whale HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer guess\r\n\
                Content-Length: 1000000\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("sent");
    let clock = Clock::start();
    // The system answers data on a closed connection with a reset.
    while stream.write_all(b".").is_ok() {
        assert!(clock.now().0 < PATIENCE, "it is received for ever");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_name_belongs_to_its_author_and_limits_hold() {
    let place = Place::new();
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    let server = Server::start(&place, &["--hourly", "3", "--upload-mib", "8"]);
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "fox", &good())))["state"], "admitted");
    for (token, name, status, told) in [
        (&bob, "fox", 409, "another author's bot"),
        (&bob, "random", 409, "another author's bot"),
        (&alice, "a%20b", 400, "not a name"),
        (&alice, "", 400, "not a name"),
    ] {
        let reply = post(&server, token, name, BAD);
        assert!(
            reply.status == status && reply.text().contains(told),
            "{name}: {} {}",
            reply.status,
            reply.text()
        );
    }
    // Its length is refused, before any of it is sent.
    let whale = format!(
        "POST /h/api/v1/bots?name=whale HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {alice}\r\nContent-Length: {}\r\n\r\n",
        9 << 20
    );
    assert_eq!(server.send(whale.as_bytes()).status, 413);
    assert_eq!(post(&server, &alice, "empty", b"").status, 400);
    for _ in 0..2 {
        accepted(&post(&server, &alice, "fox", BAD));
    }
    let reply = post(&server, &alice, "fox", BAD);
    assert!(reply.status == 429 && reply.text().contains("came within an hour"), "{}", reply.text());
    accepted(&post(&server, &bob, "hen", BAD));
    let parts = fs::read_dir(place.path("h/inbox")).expect("the inbox").flatten();
    let left = parts.filter(|entry| entry.file_name().to_string_lossy().starts_with(".part")).count();
    assert_eq!(left, 0, "nothing of the refused upload stays");
}

#[test]
fn each_limit_of_an_account_says_itself() {
    let place = Place::new();
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    let file = place.path("h/hill.toml");
    let text = fs::read_to_string(&file).expect("the settings");
    fs::write(&file, text.replace("author_bots = 0", "author_bots = 1")).expect("the settings");
    let server = Server::start(&place, &["--daily", "2", "--waiting", "1"]);
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "one", &good())))["state"], "admitted");
    let second = [&*good(), b"."].concat();
    let refused = verdict(&server, &accepted(&post(&server, &alice, "two", &second)));
    assert!(refused["told"].as_str().is_some_and(|told| told.contains("author_bots = 1")), "{refused}");
    let reply = post(&server, &alice, "one", &second);
    assert!(reply.status == 429 && reply.text().contains("came within a day"), "{}", reply.text());
    // The time of a check is charged to its account.
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let charged = |account: &str| {
        let page = server.ask("GET", "/h/host", &[("Authorization", &format!("Bearer {host}"))], b"").text();
        let row = page.split("<tr>").find(|row| row.contains(account)).expect("a row").to_owned();
        let cells = row.split("</td>").filter_map(|cell| cell.rsplit('>').next()?.parse::<f64>().ok());
        cells.last().expect("seconds")
    };
    assert!(charged("alice") > 0.0);
    // The check of a bot that never answers takes long.
    accepted(&post(&server, &bob, "mute", b"#!/bin/sh\nsleep 1000\n"));
    let reply = post(&server, &bob, "other", BAD);
    assert!(reply.status == 429 && reply.text().contains("wait for their check"), "{}", reply.text());
    server.stop();
    let server = Server::start(&place, &["--check-minutes", "0"]);
    let reply = post(&server, &bob, "third", BAD);
    assert!(
        reply.status == 429 && reply.text().contains("took 0 minutes within an hour"),
        "{}",
        reply.text()
    );
}

#[test]
fn what_the_host_does_holds_on_the_web_at_once_and_is_written_down() {
    let place = Place::new();
    let alice = place.token("alice");
    let server = Server::start(&place, &[]);
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "fox", &good())))["state"], "admitted");
    server.until_reply("/h", |page| page.text().contains("/h/bots/fox"));
    place.referee(&["hill", "ban", "h", "fox"]);
    server.until_reply("/h", |page| !page.text().contains("/h/bots/fox"));
    let told = verdict(&server, &accepted(&post(&server, &alice, "fox", &good())));
    assert!(
        told["state"] == "refused" && told["told"].as_str().is_some_and(|told| told.contains("banned")),
        "{told}"
    );
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    for part in [",host,banned,fox", ",alice,refused,"] {
        assert!(events.contains(part), "no {part} in {events}");
    }
}

#[test]
fn after_a_deadline_nothing_is_taken() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &["--until", "2020-01-01T00:00:00Z"]);
    let reply = post(&server, &token, "late", &good());
    assert!(reply.status == 403 && reply.text().contains("have ended at 2020"), "{}", reply.text());
    assert_eq!(reply.header("retry-after"), None, "it is for good");
    let kind = ("Content-Type", "multipart/form-data; boundary=c");
    let form = server.ask("POST", "/h/submit", &[kind], b"--c\r\nContent-Disp");
    assert_eq!(form.status, 403, "before anything of a form is read: {}", form.text());
    let page = server.get("/h/submit").text();
    assert!(page.contains("Submissions have ended") && !page.contains("<form"), "{page}");
}

#[test]
fn what_was_taken_is_checked_though_the_server_is_killed_again_and_again() {
    let place = Place::new();
    let token = place.token("alice");
    let options = ["--hourly", "1000", "--daily", "1000", "--waiting", "1000"];
    let (mut receipts, mut program) = (Vec::new(), good());
    for number in 0..12 {
        let server = Server::start(&place, &options);
        program.push(b'.'); // another program each time
        receipts.push(accepted(&post(&server, &token, &format!("bot{number}"), &program)));
        // Half a program is no program: the connection is cut during the upload.
        let mut cut = server.connect("127.0.0.1");
        let head = format!(
            "POST /h/api/v1/bots?name=half HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: 9999\r\n\r\nhalf"
        );
        std::io::Write::write_all(&mut cut, head.as_bytes()).expect("sent");
        server.kill();
    }
    let server = Server::start(&place, &options);
    for receipt in &receipts {
        let state = verdict(&server, receipt)["state"].clone();
        // It can have been admitted just before the kill.
        assert!(["admitted", "plays"].iter().any(|due| state == *due), "{receipt}: {state}");
    }
    let csv = place.referee(&["hill", "bots", "h", "--format", "csv"]);
    for number in 0..12 {
        assert_eq!(csv.matches(&format!("\nbot{number},1,alice,")).count(), 1, "{csv}");
    }
    assert!(!csv.contains("half"), "{csv}");
    let entrants = fs::read_to_string(place.path("h/entrants.csv")).expect("entrants");
    assert_eq!(entrants.lines().count(), 1 + 3 + 12, "no submission stands there twice: {entrants}");
}

#[test]
fn what_a_bot_has_written_is_for_its_author_alone() {
    let place = Place::new();
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    place.referee(&["new", "talks", "--game", "push", "--lang", "python"]);
    let built = Command::new("./build").current_dir(place.path("talks")).output().expect("build");
    assert!(built.status.success(), "{}", said(&built));
    let bot = fs::read_to_string(place.path("talks/bot")).expect("the bot");
    let (first, rest) = bot.split_once('\n').expect("lines");
    let talks =
        format!("{first}\nimport sys; print('a secret of mine', file=sys.stderr, flush=True)\n{rest}");
    place.script("talks/bot", &talks);
    place.referee(&["hill", "submit", "h", "./talks/bot", "--name", "talks", "--author", "alice"]);
    place.referee(&["hill", "run", "h", "--rounds", "6"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let games = server.json("/h/api/v1/games?limit=100");
    let mut seen = 0;
    for row in games["rows"].as_array().expect("rows") {
        let path =
            format!("/h/api/v1/games/{}/stderr/{}", row["game"].as_str().expect("a game"), row["seat"]);
        let status = |token: &str| {
            server.ask("GET", &path, &[("Authorization", &format!("Bearer {token}"))], b"").status
        };
        assert_eq!(server.get(&path).status, 401);
        assert_eq!(status(&bob), 403, "{path}");
        let is_hers = row["bot"] == "talks";
        assert_eq!(status(&alice), if is_hers { 200 } else { 403 }, "{path}");
        if is_hers {
            seen += 1;
            let bearer = format!("Bearer {alice}");
            let text = server.ask("GET", &path, &[("Authorization", &bearer)], b"").text();
            assert!(text.contains("a secret of mine"), "{text}");
            let game = row["game"].as_str().expect("a game");
            let page = server.get(&format!("/h/games/{game}/replay"));
            place.referee(&["replay", "h", game, "--html", "whole.html"]);
            let whole = fs::read_to_string(place.path("whole.html")).expect("a page");
            let tape = |page: &str| {
                let (_, rest) = page.split_once("id=\"tape\">").expect("a tape");
                rest.split_once('<').expect("its end").0.len()
            };
            assert!(tape(&page.text()) < tape(&whole), "nor is it in the replay");
        }
    }
    assert!(seen > 0, "it has played");
}

/// A program that fills its standard error is ended by its own limits, and holds up one check of each other author at
/// most. What counts is the order of verdicts, not how long they took.
#[test]
fn a_flood_on_standard_error_is_the_flooders_time() {
    let place = Place::new();
    let settings = place.path("h/hill.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    assert!(text.contains("first_ms = 5000"), "{text}");
    fs::write(&settings, text.replace("first_ms = 5000", "first_ms = 1000")).expect("written");
    let (flooder, other) = (place.token("flooder"), place.token("other"));
    let server = Server::start(&place, &NO_LIMITS);
    let flood = "#!/usr/bin/env python3\nimport sys\nwhile True: sys.stderr.write('flood' * 10000)\n";
    let answers = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    \
                   sys.stderr.write('flood' * 100000 + '\\n')\n    print('30 3', flush=True)\n";
    let programs = [flood, answers].map(str::as_bytes);
    let floods: Vec<Value> = ["one", "two"]
        .iter()
        .zip(&programs)
        .map(|(name, program)| accepted(&post(&server, &flooder, name, program)))
        .collect();
    let asked = accepted(&post(&server, &other, "good", &good()));
    assert_eq!(verdict(&server, &asked)["state"], "admitted");
    let verdicts: Vec<Value> = floods.iter().map(|asked| verdict(&server, asked)).collect();
    let told = |verdict: &Value| verdict["told"].as_str().expect("a verdict").to_owned();
    assert_eq!(verdicts[0]["state"], "refused", "{}", verdicts[0]);
    // The first question was enough, and little of the flood is kept.
    assert!(told(&verdicts[0]).contains("failed its check game in turn 0: late"), "{}", verdicts[0]);
    assert!(verdicts.iter().all(|verdict| told(verdict).len() < 4000), "{verdicts:?}");
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    let ended: Vec<&str> =
        events.lines().filter(|line| line.contains(",refused,") || line.contains(",admitted,")).collect();
    let at = ended.iter().position(|line| line.contains(",other,")).expect("a verdict");
    assert!(at <= 1 && ended.len() == 3, "{ended:#?}");
}
