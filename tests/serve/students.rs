//! A class hands in: thirty-two students, three ways, and what each of them hears.

use std::fs;
use std::process::Command;
use std::thread;

use crate::kills::NO_LIMITS;
use crate::submissions::{FORM, form, verdict};
use crate::support::{Place, Server, program, said};

/// How a program is handed in.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// By the form of the page, without a script.
    Form,
    /// By the command that the page shows.
    Curl,
    /// By `referee hill submit`.
    Cli,
}

use Way::{Cli, Curl, Form};

/// Writes what the students have, with Python: each in a folder of its own.
const WRITES: &str = include_str!("students.py");

/// The students: what each has, how it is handed in, and what is said of it.
const STUDENTS: [(&str, Way, &str, &str); 32] = [
    ("plain/bot.py", Form, "admitted", "plays from now on"),
    ("crlf/bot.py", Form, "admitted", "plays from now on"),
    ("mark/bot.py", Form, "admitted", "byte order mark"),
    ("utf16/bot.py", Form, "refused", "UTF-16"),
    ("shebang/bot", Curl, "admitted", "line ends"),
    ("java/MyBot.java", Form, "admitted", "plays from now on"),
    ("other/Fox.java", Curl, "admitted", "plays from now on"),
    ("package/Player.java", Cli, "admitted", "plays from now on"),
    ("eclipse/PushBot.zip", Form, "admitted", "plays from now on"),
    ("cpp/bot.cpp", Curl, "admitted", "plays from now on"),
    ("broken/bot.cpp", Form, "refused", "bot.cpp:3"),
    ("c/bot.c", Cli, "admitted", "plays from now on"),
    ("cpp/dynamic", Cli, "admitted", "plays from now on"),
    ("cpp/static", Curl, "admitted", "plays from now on"),
    ("folder", Cli, "admitted", "plays from now on"),
    ("venv", Cli, "admitted", "plays from now on"),
    ("windows/bot.zip", Form, "admitted", "plays from now on"),
    ("locked.zip", Form, "refused", "without a password"),
    ("exe/bot.exe", Form, "refused", "Windows"),
    ("mac/bot", Form, "refused", "macOS"),
    ("bat/bot.bat", Form, "refused", "Windows"),
    ("notebook/bot.ipynb", Form, "refused", "notebook"),
    ("page/bot.py", Form, "refused", "a page of the web"),
    ("lfs/bot.py", Form, "refused", "a pointer of Git LFS"),
    ("numpy/bot.py", Form, "refused", "no_such_numpy"),
    ("typed/bot.py", Form, "refused", "np.int64(30)"),
    ("one/bot.py", Curl, "refused", "expected"),
    ("silent/bot.py", Form, "refused", "no answer"),
    ("ends/bot.py", Form, "refused", "until the input ends"),
    ("plain/bot.py", Curl, "admitted", "plays from now on"),
    ("typed/bot.py", Cli, "refused", "np.int64(30)"),
    ("c/bot.c", Form, "admitted", "plays from now on"),
];

/// The name of a student, as a class list has it.
fn student(number: usize) -> String {
    let names = ["\u{17b}\u{f3}\u{142}\u{107}", "\u{674e}\u{96f7}", "Shaun O'Neil", "Zo\u{eb} \u{d8}st"];
    names.get(number).map_or_else(|| format!("student{number}"), |name| (*name).to_owned())
}

#[test]
#[ignore = "needs compilers and interpreters"]
fn each_of_a_class_plays_or_hears_what_to_mend_in_each_of_three_ways() {
    let place = Place::new();
    made(&place);
    let tokens: Vec<String> = (0..STUDENTS.len()).map(|number| place.token(&student(number))).collect();
    let server = Server::start(&place, &NO_LIMITS);
    server.until_status("/h", 200);
    let heard: Vec<(String, String)> = thread::scope(|scope| {
        let hears = |number: usize| {
            let (file, way, ..) = STUDENTS[number];
            hand_in(&place, &server, way, file, (&format!("bot{number}"), &tokens[number]))
        };
        let threads: Vec<_> = (0..STUDENTS.len()).map(|number| scope.spawn(move || hears(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a student")).collect()
    });
    let mut wrong = Vec::new();
    for ((file, way, state, word), (found, told)) in STUDENTS.iter().zip(&heard) {
        println!("{way:?} {file}: {found}: {told}\n");
        if found != state || !told.contains(word) {
            wrong.push(format!("{way:?} {file}: {found}, not {state} with {word:?}: {told}"));
        }
        // A remedy is one that a student can follow: commands of the host are none.
        for command in ["referee hill", "referee languages", "referee doctor"] {
            if *found == "refused" && told.contains(command) {
                wrong.push(format!("{way:?} {file}: {command} is the host's: {told}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // All who were admitted play in the next round, under the names of the class list.
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    server.until_games();
    let admitted = STUDENTS.iter().enumerate().filter(|(_, (_, _, state, _))| *state == "admitted");
    let page = server.get("/h").text();
    for (number, (file, ..)) in admitted {
        assert!(page.contains(&format!("/h/bots/bot{number}\"")), "{file}: {page}");
    }
    assert!(page.contains("\u{17b}\u{f3}\u{142}\u{107}") && page.contains("\u{674e}\u{96f7}"), "{page}");
}

/// Makes what the students have.
pub(crate) fn made(place: &Place) {
    let made = Command::new("python3").args(["-c", WRITES]).current_dir(place.path("")).output();
    let made = made.expect("python3");
    assert!(made.status.success(), "{}", said(&made));
}

/// Hands a program in, and returns the state of the submission and what was said.
fn hand_in(
    place: &Place,
    server: &Server,
    way: Way,
    file: &str,
    (name, token): (&str, &str),
) -> (String, String) {
    let short = file.rsplit('/').next().expect("a name");
    let of = |verdict: &serde_json::Value| {
        let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
        (text("state"), text("told"))
    };
    match way {
        Form => {
            let program = fs::read(place.path(file)).expect("a program");
            let fields: [(&str, &[u8]); 3] =
                [("token", token.as_bytes()), ("name", name.as_bytes()), ("program", &program)];
            let reply = server.ask("POST", "/h/submit", &[FORM], &form(&fields, short));
            let page = reply.header("location").unwrap_or_else(|| panic!("{file}: {}", reply.text()));
            let receipt = page.rsplit('/').next().expect("a receipt");
            of(&verdict(server, &serde_json::json!({ "receipt": receipt })))
        }
        Curl => {
            let address = format!("http://{}/h/api/v1/bots?name={name}&file={short}", server.address);
            let curl = Command::new("curl")
                .args(["--silent", "-H", &format!("Authorization: Bearer {token}")])
                .args(["--data-binary", &format!("@{}", place.path(file).display()), &address])
                .output()
                .expect("curl");
            let asked = serde_json::from_slice(&curl.stdout);
            of(&verdict(server, &asked.unwrap_or_else(|error| panic!("{file}: {error}: {}", said(&curl)))))
        }
        Cli => {
            let output = Command::new(program("referee"))
                .args(["hill", "submit", &format!("http://{}/h", server.address), &format!("./{file}")])
                .args(["--name", name])
                .env("REFEREE_TOKEN", token)
                .current_dir(place.path(""))
                .output()
                .expect("referee");
            let state = if output.status.success() { "admitted" } else { "refused" };
            (state.to_owned(), said(&output))
        }
    }
}
