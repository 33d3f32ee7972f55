//! A class on the web: deadlines of accounts, the roll of the host, and what a student sees.

use std::fs;

use crate::people::FORM;
use crate::submissions::{BAD, accepted, good, post, verdict};
use crate::support::{Place, Server, program};

/// Makes the hill `h` that of a class of two students.
fn of_class(place: &Place, deadline: &str) {
    let class = format!(
        "deadline = \"{deadline}\"\ngrace_minutes = 0\npanel = [\"house:random\", \"house:homeward\", \"house:reader\"]\n"
    );
    fs::write(place.path("h/class.toml"), class).expect("a class");
    let students = "id,name,mail,team,account,format\n7,Żółć,z@x.org,,alice,1\n8,Shaun O'Neil,,,bob,1\n";
    fs::write(place.path("h/students.csv"), students).expect("students");
}

fn page(server: &Server, path: &str, token: &str) -> String {
    let reply = server.ask("POST", "/h/account", &[FORM], format!("token={token}").as_bytes());
    let cookie =
        reply.header("set-cookie").expect("a cookie").split(';').next().expect("a cookie").to_owned();
    server.ask("GET", path, &[("Cookie", &cookie)], b"").text()
}

#[test]
fn a_host_sees_first_who_has_nothing_and_a_student_what_counts() {
    let place = Place::new();
    of_class(&place, "2099-12-15 12:00 UTC");
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    let host = place.referee(&["hill", "invite", "h", "carol", "--host"]).trim().to_owned();
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    assert!(server.get("/h").text().contains("2099-12-15"), "the page of the hill names the deadline");
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "fox", &good())))["state"], "admitted");
    assert_eq!(verdict(&server, &accepted(&post(&server, &bob, "owl", BAD)))["state"], "refused");

    let hosts = page(&server, "/h/host", &host);
    let without = hosts.split_once("Students without a bot that counts").expect("the list").1;
    assert!(
        without.find("Shaun O&#39;Neil").or(without.find("Shaun O'Neil")).expect("the student") < 400,
        "{without}"
    );
    assert!(without.contains("owl is not admitted"), "with the last error");
    assert!(hosts.find("Students without") < hosts.find("<h2>Rounds"), "it comes first");
    assert!(!server.get("/h").text().contains("Żółć"), "nobody else sees people");

    let hers = page(&server, "/h/account", &alice);
    assert!(hers.contains("fox version 1, which came"), "{hers}");
    assert!(hers.contains("random: no game yet") && hers.contains("Next: finish before random"), "{hers}");
    let his = page(&server, "/h/account", &bob);
    assert!(his.contains("Nothing yet: last refused") && his.contains("2099-12-15"), "{his}");
}

#[test]
fn each_student_has_a_deadline_and_a_host_gives_a_later_one() {
    let place = Place::new();
    of_class(&place, "2026-01-01 12:00 UTC");
    let alice = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "carol", "--host"]).trim().to_owned();
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let late = post(&server, &alice, "fox", &good());
    assert_eq!(late.status, 403);
    assert!(
        late.text().contains("submissions of alice have ended at 2026-01-01T12:00:00Z"),
        "{}",
        late.text()
    );

    assert_eq!(post(&server, &alice, "fox", &good()).status, 403);
    let status = place.referee(&["class", "status", "h"]);
    let tried = status.lines().find(|line| line.contains("tried to hand in at ")).expect("a line");
    assert!(tried.contains("Żółć") && tried.ends_with(", after 2026-01-01T12:00:00Z"), "{status}");
    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    assert_eq!(events.matches(",too-late,").count(), 1, "noted once: {events}");

    let reply = server.ask("POST", "/h/account", &[FORM], format!("token={host}").as_bytes());
    let cookie =
        reply.header("set-cookie").expect("a cookie").split(';').next().expect("a cookie").to_owned();
    let extend = |until: &str| {
        let form = format!("act=extend-student&name=7&until={until}");
        server.ask("POST", "/h/host", &[FORM, ("Cookie", &cookie)], form.as_bytes())
    };
    let earlier = extend("2025-01-01+12:00");
    assert!(earlier.status == 400 && earlier.text().contains("a new one is later"), "{}", earlier.text());
    assert_eq!(extend("2099-01-01+12:00+Europe/Berlin").status, 303);
    let taken = verdict(&server, &accepted(&post(&server, &alice, "fox", &good())));
    assert_eq!(taken["state"], "admitted", "{taken}");
    let extensions = fs::read_to_string(place.path("h/extensions.csv")).expect("extensions");
    assert!(extensions.contains(",alice,2099-01-01T11:00:00Z,carol,"), "{extensions}");
    assert_eq!(
        post(&server, &place.token("bob"), "owl", &good()).status,
        403,
        "the other one has the old deadline"
    );
}

/// Returns what a reader sees of a page.
fn visible(page: &str) -> String {
    let body = page.split_once("<body").expect("a body").1;
    body.split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(_, text)| text)
        .collect::<Vec<&str>>()
        .join(" ")
}

#[test]
fn pages_of_a_class_speak_of_practice_and_points() {
    let place = Place::new();
    of_class(&place, "2099-12-15 12:00 UTC");
    fs::copy(program("push-homeward"), place.path("fox")).expect("a bot");
    place.referee(&["hill", "submit", "h", "./fox", "--author", "alice"]);
    place.referee(&["hill", "run", "h", "--rounds", "4"]);
    fs::copy(program("push-random"), place.path("fresh")).expect("a bot");
    place.referee(&["hill", "submit", "h", "./fresh"]);
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let host = place.referee(&["hill", "invite", "h", "carol", "--host"]).trim().to_owned();
    let server = Server::start(&place, &[]);
    server.until_games();
    // A student has practised in all seasons, four rounds and one: another new bot takes nothing away.
    let hers = visible(&page(&server, "/h/account", &place.token("alice")));
    assert!(hers.contains("random: before it in ") && hers.contains(" of 5 games"), "{hers}");
    let home = visible(&server.get("/h").text());
    assert!(home.contains("practice 2"), "{home}");
    let pages = ["/h/bots/fresh", "/h/games"].map(|path| visible(&server.get(path).text()));
    for text in pages.into_iter().chain([home, hers, visible(&page(&server, "/h/host", &host))]) {
        for word in ["season", "share", "alpha"] {
            let found = text.to_lowercase().find(word).map(|at| &text[at.saturating_sub(80)..]);
            assert_eq!(found.map(|found| found.chars().take(160).collect::<String>()), None, "{word}");
        }
    }
}

#[test]
fn a_mistake_in_the_file_of_a_class_is_told_to_the_host_alone_and_can_be_mended() {
    let place = Place::new();
    of_class(&place, "2099-12-15 12:00 UTC");
    let alice = place.token("alice");
    let mut server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    fs::write(place.path("h/class.toml"), "deadline = \"2099-12-15\"\npanel = [\"house:random\"]\n")
        .expect("a class");
    let refused = post(&server, &alice, "fox", &good());
    assert_eq!(refused.status, 500);
    assert!(!refused.text().contains("class.toml"), "{}", refused.text());
    let line = server.next_line();
    assert!(line.starts_with("A request failed: ") && line.contains("class.toml, line 1: "), "{line}");
    of_class(&place, "2099-12-15 12:00 UTC");
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "fox", &good())))["state"], "admitted");
}
