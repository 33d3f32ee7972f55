//! Witnesses of a hill on a server, and what they must not see.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::{Place, Server, program, said};

fn witness(place: &Place, server: &Server, options: &[&str]) -> Result<String, String> {
    let address = format!("http://{}/h", server.address);
    let mut words = vec!["witness", &address, "--state", "seen"];
    words.extend(options);
    let output = place.command(&words).output().expect("referee");
    if output.status.success() { Ok(said(&output)) } else { Err(said(&output)) }
}

#[test]
fn a_witness_follows_a_hill_that_is_served_without_its_results() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    let server = Server::start(&place, &[]);
    let key = fs::read_to_string(place.path("h/proof/key")).expect("a key");
    let first = witness(&place, &server, &["--key", key.trim()]).expect("a checkpoint");
    assert!(first.contains("5 entries kept") && first.contains(key.trim()), "{first}");
    for (rounds, due) in [("1", "5 entries as before, 6 now"), ("20", "6 entries as before, 26 now")] {
        place.referee(&["hill", "run", "h", "--rounds", rounds]);
        let seen = witness(&place, &server, &[]).expect("nothing was rewritten");
        assert!(seen.contains(due), "{seen}");
    }
    // Nothing is new, and the note that is kept is that of the hill.
    let seen = witness(&place, &server, &[]).expect("nothing was rewritten");
    assert!(seen.contains("26 entries as before, 26 now"), "{seen}");
    place.referee(&["audit", "h", "--note", "seen"]);
    for (served, file) in [("key", "key"), ("checkpoint", "checkpoints/000000026.note")] {
        let served = server.get(&format!("/h/proof/{served}"));
        let due = fs::read(place.path("h/proof").join(file)).expect("a file");
        assert_eq!((served.status, served.body), (200, due), "{file}");
    }
    // Of three entries, the proof from the first two is the third, and that of all is empty.
    for (path, lines) in [("2/3", 1), ("3/3", 0), ("5/26", 6)] {
        let proof = server.get(&format!("/h/proof/{path}"));
        assert_eq!((proof.status, proof.text().lines().count()), (200, lines), "{path}");
    }
    for none in ["26/27", "0/5", "6/5", "1/18446744073709551615", "seed", "private", "rotations"] {
        assert_eq!(server.get(&format!("/h/proof/{none}")).status, 404, "{none}");
    }
    for wrong in ["x/5", "-1/5", "1/18446744073709551616"] {
        assert_eq!(server.get(&format!("/h/proof/{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn a_signed_hill_is_never_said_to_be_unsigned_and_its_public_files_are_for_other_users_too() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let mode =
        |folder: &str| fs::metadata(place.path(folder)).expect("a folder").permissions().mode() & 0o777;
    assert_eq!((mode("h/proof") & 0o055, mode("h/proof/private")), (0o055, 0o700));
    let server = Server::start(&place, &[]);
    server.until_games();
    assert_eq!(server.get("/h/proof/key").status, 200);
    // What cannot be read is not missing.
    fs::rename(place.path("h/proof"), place.path("elsewhere")).expect("moved");
    symlink(place.path("elsewhere"), place.path("h/proof")).expect("a link");
    for file in ["key", "checkpoint"] {
        let reply = server.get(&format!("/h/proof/{file}"));
        assert!(reply.status >= 500, "{file}: {} {}", reply.status, reply.text());
    }
}

#[test]
#[ignore = "needs root"]
fn a_server_of_another_user_shows_what_it_may_read_and_says_what_it_may_not() {
    let place = Place::new();
    let token = place.token("alice");
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).expect("readable");
    // The seed is the host's, until the host opens it to all users of the machine.
    fs::set_permissions(place.path("h/hill.toml"), Permissions::from_mode(0o644)).expect("readable");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program("referee-serve"));
    command.arg(place.path("h")).args(["--listen", "127.0.0.1:0"]).current_dir("/");
    let server = Server::of(command);
    server.until_games();
    for file in ["key", "checkpoint"] {
        assert_eq!(server.get(&format!("/h/proof/{file}")).status, 200, "{file}");
    }
    let bearer = format!("Bearer {token}");
    let withdrawn = server.ask("POST", "/h/bots/random/withdraw", &[("Authorization", &bearer)], b"");
    assert_eq!(withdrawn.status, 503, "{}", withdrawn.text());
    fs::set_permissions(place.path("h/proof"), Permissions::from_mode(0o700)).expect("as it was");
    let reply = server.get("/h/proof/key");
    assert!(reply.status == 503 && reply.text().contains("may not read"), "{}", reply.text());
}

#[test]
fn a_receipt_says_that_an_author_has_replaced_and_retired_a_bot_through_the_web() {
    let place = Place::new();
    let token = place.token("carol");
    let server = Server::start(&place, &[]);
    let address = format!("http://{}/h", server.address);
    let receipt = |file: &str| {
        fs::write(place.path(file), place.referee(&["proof", "receipt", "h", "fox"])).expect("a note");
    };
    for (bot, file) in [("push-random", "one.note"), ("push-homeward", "two.note")] {
        fs::copy(program(bot), place.path(bot)).expect("a bot");
        let bot = format!("./{bot}");
        let mut command = place.command(&["hill", "submit", &address, &bot, "--name", "fox"]);
        let told = said(&command.env("REFEREE_TOKEN", &token).output().expect("referee"));
        assert!(told.starts_with("Some(0)"), "{told}");
        receipt(file);
    }
    let cookie = server.ask(
        "POST",
        "/h/account",
        &[("content-type", "application/x-www-form-urlencoded")],
        &[b"token=", token.as_bytes()].concat(),
    );
    let cookie =
        cookie.header("set-cookie").expect("a session").split(';').next().expect("a cookie").to_owned();
    let headers = [("cookie", &*cookie), ("content-type", "application/x-www-form-urlencoded")];
    let gone = server.ask("POST", "/h/bots/fox/withdraw", &headers, b"sure=on");
    assert!(gone.status < 400, "{}", gone.text());
    let told = place.referee(&["audit", "h", "--receipt", "one.note", "--receipt", "two.note"]);
    for part in ["version 2 was submitted by carol through the web on ", "Z by its author, through the web"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_host_who_serves_a_second_history_is_told_with_both_notes() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    let copied =
        std::process::Command::new("cp").args(["-r", "h", "other"]).current_dir(place.path("")).status();
    assert!(copied.expect("cp").success());
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    let server = Server::start(&place, &[]);
    witness(&place, &server, &[]).expect("a checkpoint");
    server.stop();
    // The other history continues after the third game, with the same key.
    fs::rename(place.path("h"), place.path("true")).expect("a folder");
    fs::rename(place.path("other"), place.path("h")).expect("a folder");
    let server = Server::start(&place, &[]);
    let older = witness(&place, &server, &[]).expect_err("an older checkpoint");
    assert!(older.contains("size 5 is shown, but one of size 8 is known"), "{older}");
    for (rounds, entries) in [("3", 8), ("2", 10)] {
        place.referee(&["hill", "run", "h", "--rounds", rounds]);
        let fork = witness(&place, &server, &[]).expect_err("a second history");
        assert!(
            fork.starts_with("Some(3)") && fork.contains("seen.fork") && fork.contains("Publish both"),
            "{fork}"
        );
        // Each fork is kept.
        let file = if entries == 8 { "seen.fork" } else { "seen.fork.2" };
        let shown = fs::read_to_string(place.path(file)).expect("a note");
        assert_eq!(shown.lines().nth(1), Some(&*entries.to_string()));
        let kept = fs::read_to_string(place.path("seen")).expect("a note");
        assert!(kept.contains("\n8\n") && !kept.contains(&shown), "{kept}");
    }
    server.stop();
    fs::remove_dir_all(place.path("h/proof")).expect("a folder");
    place.referee(&["proof", "begin", "h"]);
    let server = Server::start(&place, &[]);
    let stranger = witness(&place, &server, &[]).expect_err("another key");
    assert!(stranger.contains("another owner"), "{stranger}");
    server.stop();
    fs::remove_dir_all(place.path("h/proof")).expect("a folder");
    let server = Server::start(&place, &[]);
    let none = witness(&place, &server, &[]).expect_err("no key");
    assert!(none.contains("404") && none.contains("does the hill have a key?"), "{none}");
    server.stop();
    let gone = place.command(&["witness", "http://127.0.0.1:1/h", "--state", "x"]).output().expect("referee");
    assert!(said(&gone).contains("no answer"), "{}", said(&gone));
}

#[test]
fn the_private_key_is_in_no_page_no_archive_and_no_report() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    let secret = |file: &str| fs::read_to_string(place.path("h/proof/private").join(file)).expect("a secret");
    // PRIVATE+KEY+NAME+ID+KEY: the key itself can contain a +.
    let key = secret("key").trim().splitn(5, '+').nth(4).expect("a key").to_owned();
    assert!(key.len() > 40, "{} characters", key.len());
    let salt = secret("seed").lines().nth(3).expect("a salt").to_owned();
    let secrets = [key.into_bytes(), salt.into_bytes()];
    let is_clean = |what: &str, bytes: &[u8]| {
        for secret in &secrets {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{what}");
        }
    };
    let server = Server::start(&place, &[]);
    server.until_games();
    for path in [
        "/",
        "/h",
        "/h/games",
        "/h/rules",
        "/h/account",
        "/h/host",
        "/h/proof/key",
        "/h/proof/checkpoint",
        "/h/proof/private",
        "/h/proof/private/key",
        "/h/proof/private%2fkey",
        "/h/proof/..%2fkey",
        "/h/proof/1/../private/key",
        "/h/proof/1/2/../../private/key",
        "/h/api/v1/records.tar",
        "/h/api/v1/standings",
        "/h/api/v1/bots",
    ] {
        is_clean(path, &server.ask("GET", path, &[], b"").body);
    }
    for words in [
        &["report", "h", "--html", "report", "--replays", "all"][..],
        &["proof", "verify", "h"],
        &["hill", "status", "h"],
    ] {
        let output = place.command(words).output().expect("referee");
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        is_clean(&words.join(" "), &[output.stdout, output.stderr].concat());
    }
    let mut looked = 0;
    let mut folders = vec![place.path("report"), place.path("h/proof/checkpoints")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    is_clean(&entry.path().display().to_string(), &fs::read(entry.path()).expect("a file"))
                }
            }
            looked += 1;
        }
    }
    assert!(looked > 20 && program("referee").exists(), "{looked} files");
}
