//! Pages of authors and hosts: who sees what, and how a browser shows a token.

use std::fs;

use crate::submissions::{BAD, accepted, post, verdict};
use crate::support::{Place, Reply, Server, said};

pub(crate) const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// Signs in, and returns the cookie.
fn signed_in(server: &Server, token: &str) -> String {
    let reply = server.ask("POST", "/h/account", &[FORM], format!("token={token}").as_bytes());
    assert_eq!(reply.status, 303, "{}", reply.text());
    let line = reply.header("set-cookie").expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/h"] {
        assert!(line.contains(part), "{line}");
    }
    line.split(';').next().expect("a cookie").to_owned()
}

fn get(server: &Server, path: &str, cookie: &str) -> Reply {
    server.ask("GET", path, &[("Cookie", cookie)], b"")
}

/// A hill with a bot of alice's that has played.
pub(crate) fn played() -> Place {
    let place = Place::new();
    let bot = place.slow("talks", 0).display().to_string();
    place.referee(&["hill", "submit", "h", &bot, "--name", "talks", "--author", "alice"]);
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    place
}

#[test]
fn a_bots_page_has_its_history_and_for_its_author_alone_what_it_wrote() {
    let place = played();
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    let server = Server::start(&place, &[]);
    server.until_games();
    let page = server.get("/h/bots/talks").text();
    for part in [
        "polyline points",
        "Its place since the field changed",
        "longest ms",
        "Against each opponent",
        "finished before it",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let (hers, his) = (signed_in(&server, &alice), signed_in(&server, &bob));
    for (cookie, sees) in [("referee=guess", false), (&*his, false), (&*hers, true)] {
        let page = get(&server, "/h/bots/talks", cookie).text();
        assert_eq!(page.contains("For you, its author"), sees, "{cookie}");
        let link = page.split('"').find(|word| word.contains("/stderr/"));
        assert_eq!(link.is_some(), sees, "{cookie}");
        if let Some(link) = link {
            assert!(get(&server, link, cookie).text().contains("a secret of mine"));
            assert_eq!(get(&server, link, &his).status, 403);
            assert_eq!(server.get(link).status, 401);
        }
    }
    // The page of a game leads its author to what the bot wrote there, and to nothing of others.
    let first = server.json("/h/api/v1/games?bot=talks&limit=1")["rows"][0]["game"]
        .as_str()
        .expect("a game")
        .to_owned();
    for (cookie, seats) in [(&*his, 0), (&*hers, 1)] {
        let page = get(&server, &format!("/h/games/{first}"), cookie).text();
        assert_eq!(page.matches("/stderr/").count(), seats, "{page}");
    }
    let versions = page.split_once("Each program under this name").expect("the versions").1;
    assert!(versions.contains("<time datetime=\""), "{versions}");
    // Her author looks at faults first, then at what was lost; nobody else is led there.
    let hers_alone = get(&server, "/h/bots/talks", &hers).text();
    assert!(!get(&server, "/h/bots/talks", &his).text().contains("Games to look at first"));
    let games = server.json("/h/api/v1/games?bot=talks&limit=1000");
    let rows = games["rows"].as_array().expect("rows");
    let number = |row: &serde_json::Value, name: &str| row[name].as_u64().expect("a number");
    let mut due: Vec<(u64, String)> = Vec::new();
    for row in rows.iter().filter(|row| row["bot"] == "talks") {
        let seats = rows.iter().filter(|other| other["game"] == row["game"]);
        let last = seats.map(|row| number(row, "place")).max().expect("seats");
        let (faults, place) = (number(row, "faults"), number(row, "place"));
        if faults > 0 || place > 1 && place == last {
            due.push((faults, row["game"].as_str().expect("a name").to_owned()));
        }
    }
    due.sort_by_key(|(faults, _)| std::cmp::Reverse(*faults));
    due.truncate(10);
    let section = hers_alone.split_once("Games to look at first").map(|(_, rest)| rest);
    assert_eq!(section.is_some(), !due.is_empty());
    let section = section.unwrap_or_default().split("Standard error").next().unwrap_or_default();
    let listed: Vec<&str> =
        section.split("title=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let listed: Vec<&str> = listed.into_iter().filter(|title| title.starts_with("s001-")).collect();
    assert_eq!(listed, due.iter().map(|(_, game)| &**game).collect::<Vec<_>>());
    // No other account withdraws it.
    let withdraw = |cookie: &str, more: (&str, &str)| {
        server.ask("POST", "/h/bots/talks/withdraw", &[("Cookie", cookie), more], b"")
    };
    assert_eq!(withdraw("referee=guess", FORM).status, 401);
    assert_eq!(withdraw(&his, FORM).status, 403);
    assert_eq!(withdraw(&hers, ("Origin", "http://elsewhere.example")).status, 403, "another site's form");
    assert!(place.referee(&["hill", "bots", "h", "--format", "csv"]).contains("talks,"));
    assert_eq!(withdraw(&hers, FORM).status, 303);
    assert!(fs::read_to_string(place.path("h/entrants.csv")).expect("entrants").contains(",retired,talks,"));
    assert!(fs::read_to_string(place.path("h/events.csv")).expect("events").contains(",alice,withdrawn,"));
}

#[test]
fn an_author_reads_why_a_bot_lost_with_the_question_of_its_first_fault() {
    let place = Place::new();
    place.set("sandbox = \"auto\"", "sandbox = \"off\"");
    let spoil = place.path("spoil");
    let bot = place.spoiled("talks", &spoil, 7).display().to_string();
    place.referee(&["hill", "submit", "h", &bot, "--name", "talks", "--author", "alice"]);
    fs::write(&spoil, "").expect("a file");
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let (alice, bob) = (place.token("alice"), place.token("bob"));
    let server = Server::start(&place, &[]);
    server.until_games();
    let page = |token| get(&server, "/h/bots/talks", &signed_in(&server, token)).text();
    assert!(!page(&bob).contains("Why it lost"));
    let page = page(&alice);
    let why = page.split_once("Why it lost").expect("the reason").1;
    let first = why.split_once("<ul><li>").expect("its faults").1;
    // The faults of the first of its games: each turn from the seventh on has one.
    assert!(first.contains("#turn=7\">Turn 7</a>: ") && first.contains("#turn=8\">Turn 8</a>: "), "{first}");
    assert!(first.contains("Its answer: <code>999</code>"), "{first}");
    assert!(first.contains("And 10 faults more in this game."), "{first}");
    // The question is that of the turn: 82 integers, the turn, the number of turns.
    let question = first.split_once("<pre class=\"wrapped\"").expect("a question").1;
    let question = question.split_once('>').expect("its start").1.split_once('<').expect("its end").0;
    assert!(question.starts_with("82 7 20 ") && question.split(' ').count() == 83, "{question}");
}

#[test]
fn a_session_ends_with_its_token_and_is_of_one_hill() {
    let place = Place::new();
    let alice = place.token("alice");
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let reply = server.ask("POST", "/h/account", &[FORM], b"token=guess");
    assert!(reply.status == 401 && reply.header("set-cookie").is_none(), "{}", reply.text());
    let elsewhere = [FORM, ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(server.ask("POST", "/h/account", &elsewhere, format!("token={alice}").as_bytes()).status, 403);
    // A browser does not cover the form by a dialogue of its own, unless it has asked before.
    assert_eq!(reply.header("www-authenticate"), Some("Bearer realm=\"referee\""));
    let basic = server.ask("GET", "/h/account", &[("Authorization", "Basic YW55Ym9keTphYmM=")], b"");
    assert!(basic.header("www-authenticate").is_some_and(|how| how.starts_with("Basic ")), "{}", basic.head);
    let cookie = signed_in(&server, &alice);
    assert!(!cookie.contains(&alice), "the token itself is no cookie");
    let reply = server.ask("POST", "/h/account", &[FORM], format!("token={alice}").as_bytes());
    assert!(reply.header("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=43200;")), "12 hours");
    assert!(get(&server, "/h/account", &cookie).text().contains("Sign out"));
    let by_header = server.ask("GET", "/h/account", &[("Authorization", &format!("Bearer {alice}"))], b"");
    let page = by_header.text();
    assert!(page.contains("<h2>alice</h2>") && !page.contains("Sign out"), "nobody has signed in: {page}");
    server.ask("POST", "/h/account/leave", &[("Cookie", &cookie)], b"");
    assert!(get(&server, "/h/account", &cookie).text().contains("Sign in"), "after signing out");
    let cookie = signed_in(&server, &alice);
    place.referee(&["hill", "invite", "h", "alice", "--revoke"]);
    assert!(get(&server, "/h/account", &cookie).text().contains("Sign in"), "the token was withdrawn");
}

#[test]
fn the_hosts_page_is_for_hosts_alone_and_says_how_the_hill_is() {
    let place = played();
    let alice = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let server = Server::start(&place, &["--hourly", "7"]);
    server.until_games();
    assert_eq!(server.get("/h/host").status, 401);
    let bearer =
        |token: &str| server.ask("GET", "/h/host", &[("Authorization", &format!("Bearer {token}"))], b"");
    assert_eq!(bearer(&alice).status, 403);
    let page = bearer(&host).text();
    for part in [
        "12 rounds complete",
        "7 an hour",
        "Load of the machine",
        "alice",
        "host",
        "talks",
        "0 void attempts",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let page = get(&server, "/h/account", &signed_in(&server, &host)).text();
    assert!(page.contains("/h/host"), "{page}");
}

#[test]
fn accounts_that_have_done_nothing_are_a_number_on_the_hosts_page() {
    let place = played();
    place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let file = place.path("h/tokens.csv");
    let mut tokens = fs::read_to_string(&file).expect("tokens");
    let last = tokens.lines().last().expect("a row").to_owned();
    for number in 0..20_000 {
        let row = last.replace(",host,", ",invited,").replace(",zoe,", &format!(",crowd{number},"));
        let is_digest = |cell: &&str| cell.len() == 64;
        let digest = row.split(',').find(is_digest).expect("a digest").to_owned();
        tokens += &(row.replace(&digest, &format!("{number:064x}")) + "\n");
    }
    fs::write(&file, tokens).expect("tokens");
    let server = Server::start(&place, &[]);
    server.until_games();
    let page = server.ask("GET", "/h/host", &[("Authorization", &format!("Bearer {host}"))], b"").text();
    assert!(page.contains("20000 accounts of authors without a bot or a submission"), "{page}");
    for account in ["alice", "zoe"] {
        assert!(page.contains(&format!(">{account}<")), "{account}");
    }
    assert!(!page.contains("crowd7") && page.len() < 100_000, "{} bytes", page.len());
}

#[test]
fn a_bot_that_was_refused_at_its_first_submission_has_a_page_for_its_author_alone() {
    let place = Place::new();
    let [alice, bob] = ["alice", "bob"].map(|name| place.token(name));
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    assert_eq!(verdict(&server, &accepted(&post(&server, &alice, "fox", BAD)))["state"], "refused");
    let (hers, his) = (signed_in(&server, &alice), signed_in(&server, &bob));
    let page = get(&server, "/h/bots/fox", &hers).text();
    for part in ["It has not been admitted yet", "no such opening book", "For you, its author"] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert!(!page.contains("Withdraw"), "{page}");
    for cookie in [&*his, "referee=guess"] {
        assert_eq!(get(&server, "/h/bots/fox", cookie).status, 404, "{cookie}");
    }
    assert_eq!(get(&server, "/h/bots/owl", &hers).status, 404);
}

#[test]
fn a_server_that_only_shows_a_hill_changes_nothing_and_has_no_forms() {
    let place = played();
    let alice = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let first = Server::start(&place, &[]);
    first.until_games();
    let second = Server::start(&place, &[]);
    second.until_games();
    let (hers, hosts) = (signed_in(&second, &alice), signed_in(&second, &host));
    let before = fs::read_to_string(place.path("h/entrants.csv")).expect("entrants");
    for (path, cookie, form) in [
        ("/h/bots/talks/withdraw", &hers, "sure=on"),
        ("/h/host", &hosts, "act=pause"),
        ("/h/host", &hosts, "act=retire&name=talks"),
    ] {
        let reply = second.ask("POST", path, &[FORM, ("Cookie", cookie)], form.as_bytes());
        assert!(
            reply.status == 503 && reply.text().contains("another one takes"),
            "{path}: {}",
            reply.text()
        );
    }
    let bearer = format!("Bearer {alice}");
    let reply = second.ask("POST", "/h/api/v1/bots?name=fox", &[("Authorization", &bearer)], b"#!/bin/sh\n");
    assert_eq!(reply.status, 503, "{}", reply.text());
    for (path, cookie) in [("/h/bots/talks", &hers), ("/h/submit", &hers), ("/h/host", &hosts)] {
        let page = get(&second, path, cookie);
        assert!(page.status == 200 && !page.text().contains("<form"), "{path}: {}", page.text());
    }
    assert_eq!(fs::read_to_string(place.path("h/entrants.csv")).expect("entrants"), before);
    // The first one has the forms.
    assert!(get(&first, "/h/bots/talks", &signed_in(&first, &alice)).text().contains("Withdraw it"));
}

#[test]
fn a_host_does_on_the_page_what_a_host_does_and_each_action_is_an_event() {
    let place = played();
    let alice = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let server = Server::start(&place, &["--until", "2099-01-01T00:00:00Z", "--run", "14", "--jobs", "1"]);
    server.until_games();
    let (hers, his) = (signed_in(&server, &host), signed_in(&server, &alice));
    let act_as = |cookie: &str, form: &str| {
        server.ask("POST", "/h/host", &[FORM, ("Cookie", cookie)], form.as_bytes())
    };
    let act = |form: &str| act_as(&hers, form);
    assert_eq!(act_as(&his, "act=pause").status, 403);
    assert_eq!(server.ask("POST", "/h/host", &[FORM], b"act=pause").status, 401);
    let elsewhere = [FORM, ("Cookie", &*hers), ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(server.ask("POST", "/h/host", &elsewhere, b"act=pause").status, 403, "another site's form");

    let is_done = |form: &str| assert_eq!(act(form).status, 303, "{form}");
    is_done("act=pause");
    server.until("/h/api/v1/running", |now| now["runners"] == 0);
    server.until_reply("/h", |reply| reply.text().contains("a host has paused them"));
    is_done("act=message&text=Lunch+%3Cb%3E+until+one");
    assert!(server.get("/h").text().contains("Lunch &lt;b&gt; until one"));
    is_done("act=extend&until=2099-02-01T12:30");
    assert!(server.get("/h").text().contains("2099-02-01T12:30:00Z"));
    let made = act("act=invite&name=bob").text();
    let token =
        made.split("<pre tabindex=\"0\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a token");
    assert!(get(&server, "/h/account", &signed_in(&server, token)).text().contains("bob"));
    // A name of any class list: pages show it, and records have the account.
    let made = act("act=invite&name=Ru%CC%8A%C5%BEa+O%27Neil").text();
    let person = "R\u{16f}\u{17e}a O&#39;Neil";
    assert!(made.contains(person) || made.contains("R\u{16f}\u{17e}a O'Neil"), "{made}");
    let hers_too =
        made.split("<pre tabindex=\"0\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a token");
    let page = get(&server, "/h/account", &signed_in(&server, hers_too)).text();
    assert!(page.contains("R\u{16f}\u{17e}a O"), "{page}");
    let page = get(&server, "/h/host", &hers).text();
    assert!(page.contains("R\u{16f}\u{17e}a O") && page.contains("Neil (p1)"), "{page}");
    is_done("act=ban&name=talks");
    server.until("/h/api/v1/bots", |now| !now.to_string().contains("talks"));
    is_done("act=lift&name=talks");
    // Her tokens stay, and are ended with a ban if the host says so.
    is_done("act=ban-author&name=talks");
    assert_eq!(act_as(&his, "act=pause").status, 403);
    is_done("act=lift&name=talks");
    is_done("act=ban-account&name=talks");
    assert_eq!(act_as(&his, "act=pause").status, 401);
    is_done("act=revoke&name=bob");
    assert_eq!(server.ask("POST", "/h/account", &[FORM], format!("token={token}").as_bytes()).status, 401);

    for (form, status, told) in [
        ("act=extend&until=2001-01-01T00:00:00Z", 400, "give a later time"),
        // Later than now, but before the end that authors were told.
        ("act=extend&until=2099-01-15T00:00:00Z", 400, "give a later time"),
        ("act=extend&until=2099-02-01T12:30", 400, "give a later time"),
        ("act=extend&until=tomorrow", 400, "2026-12-31T23:59:59Z"),
        ("act=revoke&name=zoe", 400, "your own account"),
        ("act=revoke&name=nobody", 400, "nobody"),
        ("act=ban&name=nobody", 400, "nobody"),
        ("act=invite&name=a%07b", 400, "cannot be seen"),
        ("act=dance", 400, "the form"),
    ] {
        let reply = act(form);
        assert!(
            reply.status == status && reply.text().contains(told),
            "{form}: {} {}",
            reply.status,
            reply.text()
        );
    }
    assert_eq!(act(&format!("act=message&text={}", "x".repeat(201))).status, 400);

    let events = fs::read_to_string(place.path("h/events.csv")).expect("events");
    for event in [
        "zoe,paused,",
        "zoe,message,Lunch <b> until one",
        "zoe,extended,2099-02-01T12:30:00Z",
        "zoe,gave a token,bob",
        "zoe,gave a token,p1",
        "zoe,banned,talks",
        "zoe,ended tokens,bob",
        "zoe,ended tokens,alice",
    ] {
        assert_eq!(events.matches(event).count(), 1, "{event}: {events}");
    }
    for event in ["zoe,lifted,talks", "zoe,banned the author of,talks"] {
        assert_eq!(events.matches(event).count(), 2, "{event}: {events}");
    }
    // What holds is what the events say: another server shows it, too.
    drop(server);
    let server = Server::start(&place, &["--until", "2099-01-01T00:00:00Z", "--run", "14", "--jobs", "1"]);
    server.until_games();
    let page = server.get("/h").text();
    assert!(page.contains("Lunch &lt;b&gt;") && page.contains("2099-02-01T12:30:00Z"), "{page}");
    server.until_reply("/h", |reply| reply.text().contains("a host has paused them"));
    let hers = signed_in(&server, &host);
    assert_eq!(server.ask("POST", "/h/host", &[FORM, ("Cookie", &hers)], b"act=continue").status, 303);
    server.until("/h/api/v1/standings", |now| now["round"].as_u64() >= Some(13) || now["season"] == 2);
}

#[test]
fn commands_to_copy_have_the_address_that_the_visitor_has_written() {
    let place = Place::new();
    let server = Server::start(&place, &["--proxy", "127.0.0.1"]);
    server.until_status("/h", 200);
    let page = |headers: &[(&str, &str)]| server.ask("GET", "/h/submit", headers, b"").text();
    assert!(page(&[]).contains(&format!("referee hill submit http://{}/h ./mybot", server.address)));
    let forwarded = [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "192.0.2.1")];
    assert!(page(&forwarded).contains("referee hill submit https://"));
    let bad = server.send(b"GET /h/submit HTTP/1.1\r\nHost: a$(reboot)\r\nConnection: close\r\n\r\n").text();
    assert!(!bad.contains("reboot"), "{bad}");
    // The address that the host has named decides, whatever a proxy says.
    let alice = place.token("alice");
    server.stop();
    for (address, is_secure) in [("https://bots.example.org", true), ("http://10.0.0.1:8080", false)] {
        let named = Server::start(&place, &["--address", address]);
        named.until_status("/h", 200);
        for headers in [&forwarded[..], &[]] {
            let page = named.ask("GET", "/h/submit", headers, b"").text();
            assert!(page.contains(&format!("referee hill submit {address}/h ./mybot")), "{page}");
        }
        let reply = named.ask("POST", "/h/account", &[FORM], format!("token={alice}").as_bytes());
        let cookie = reply.header("set-cookie").expect("a cookie");
        assert_eq!(cookie.ends_with("; Secure"), is_secure, "{cookie}");
    }
}

#[test]
fn what_is_known_already_is_not_sent_again() {
    let place = played();
    let server = Server::start(&place, &[]);
    server.until_games();
    for path in
        ["/h", "/h/api/v1/standings", "/h/api/v1/standings?format=csv", "/h/games/s001-r00001-t001-g1/replay"]
    {
        let first = server.get(path);
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path} has no tag")).to_owned();
        let again = server.ask("GET", path, &[("If-None-Match", &tag)], b"");
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let packed = server.ask("GET", path, &[("Accept-Encoding", "gzip")], b"");
        assert_eq!(
            (packed.header("content-encoding"), packed.header("etag")),
            (Some("gzip"), Some(&*tag)),
            "{path}"
        );
        assert!(packed.body.starts_with(&[0x1f, 0x8b]) && packed.body.len() < first.body.len(), "{path}");
    }
    let before = server.get("/h");
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    server.until("/h/api/v1/standings", |now| now["round"] == 13);
    let tag = before.header("etag").expect("a tag");
    assert_eq!(server.ask("GET", "/h", &[("If-None-Match", tag)], b"").status, 200, "new results are sent");
}

#[test]
fn an_address_with_a_slash_at_its_end_leads_to_the_one_without() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    for (path, led) in [
        ("/h/", "/h"),
        ("/h//", "/h"),
        ("/h/games/?bot=random", "/h/games?bot=random"),
        ("/h/api/v1/standings/", "/h/api/v1/standings"),
    ] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("location")), (308, Some(led)), "{path}");
    }
    assert_eq!(server.get("/g/").status, 404);
    assert_eq!(server.ask("POST", "/h/submit/", &[], b"x").status, 404);
}

#[test]
fn a_hill_has_a_name_that_no_other_address_and_no_other_hill_has() {
    let place = Place::new();
    for (name, told) in [
        ("assets", "/assets is an address of the server itself"),
        ("openapi.json", "/openapi.json is an address"),
        ("OpenAPI.json", "/OpenAPI.json is an address"),
        ("H", "has the same name, but for case at most"),
    ] {
        place.referee(&["hill", "new", name, "push"]);
        let output =
            place.command(&["serve", "h", name, "--listen", "127.0.0.1:0"]).output().expect("referee");
        assert!(!output.status.success() && said(&output).contains(told), "{name}: {}", said(&output));
    }
}

#[test]
fn a_host_hears_that_tokens_travel_in_the_clear_where_they_do() {
    let place = Place::new();
    let listening = |address: &str, more: &[&str]| {
        let mut command = place.command(&["serve", "h", "--listen", address]);
        command.args(more);
        Server::of(command)
    };
    let mut open = listening("0.0.0.0:0", &[]);
    let told = open.next_line();
    assert!(told.contains("nothing is encrypted") && told.contains("--proxy"), "{told}");
    // Only one server starts rounds on a hill.
    drop(open);
    // The line of the rounds is the next where there is nothing to say.
    for (address, more) in
        [("127.0.0.1:0", &["--run", "1"][..]), ("0.0.0.0:0", &["--run", "1", "--proxy", "127.0.0.1"][..])]
    {
        let told = listening(address, more).next_line();
        assert!(told.contains("Rounds on h"), "{address}: {told}");
    }
}

#[test]
fn a_command_of_the_web_in_a_wrong_place_is_not_called_missing() {
    let place = Place::new();
    let wrong = place.command(&["invite", "h", "ann"]).output().expect("referee");
    let told = said(&wrong);
    assert!(told.contains("there is `referee hill invite`") && !told.contains("built without"), "{told}");
}
