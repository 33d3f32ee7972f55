//! A bot is its program with its arguments: house bots share one program, and so may six others, and each has
//! its own rating.

use std::collections::BTreeSet;
use std::fs;

use referee_contest::hill::Hill;
use referee_record::{Digest, identity};

use crate::called::Calls;
use crate::support::{Place, faulty, results_in, rows_of_json};

const QUICK: [&str; 10] =
    ["-p", "2", "--max-turns", "40", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5"];

#[test]
fn bots_of_one_program_have_a_rating_each() {
    let place = Place::new();
    let one = faulty("honest");
    let other = faulty("honest --more");
    let bots =
        [("still", "still"), ("random", "random"), ("greedy", "greedy"), ("one", &*one), ("other", &*other)];
    let root = place.hill("hill", &QUICK, &[]);
    for (name, words) in bots {
        place.referee(&["hill", "submit", "hill", words, "--name", name]).with_status(0);
    }
    let owned = place.referee(&["hill", "submit", "hill", "still", "--name", "owned", "--author", "ada"]);
    owned.with_status(2).complaining(&["a house bot has no author"]);
    // Who plays when depends on the digests of the programs: each plays within five rounds.
    place.referee(&["hill", "run", "hill", "--rounds", "5"]).with_status(0);
    let told = place.referee(&["hill", "standings", "hill", "--format", "json"]).with_status(0);
    let standings = rows_of_json(&told.out);
    let rating = |name: &str| {
        standings
            .iter()
            .find(|bot| bot["bot"] == name)
            .and_then(|bot| bot["rating"].as_f64())
            .expect("a rating")
    };
    // One of three house bots wins: the others do not rise with it.
    let others = ["still", "random", "one", "other"].map(rating);
    assert!(others.iter().all(|other| rating("greedy") > other + 1.0), "{standings:?}");
    let rows = results_in(&root);
    let digests: BTreeSet<&Digest> = rows.iter().map(|row| &row.bot.digest).collect();
    assert_eq!(digests.len(), bots.len());

    // A house bot is the same in every build, and its call is recorded.
    let house = ["bot", "football", "greedy"].map(str::to_owned);
    let version = rows[0].rules_version;
    let due = identity::of_house("football", version, &house).expect("a house bot");
    let greedy = rows.iter().find(|row| row.bot.name == "greedy").expect("its row");
    assert_eq!((&greedy.bot.digest, &*greedy.arguments), (&due, "bot football greedy"));
    let log = fs::read_to_string(root.join(&greedy.log)).expect("a log");
    assert!(log.contains(&format!("\narguments,,{},,,,,,bot football greedy\n", greedy.seat)), "{log}");
    place.referee(&["audit", "hill"]).with_status(0);

    // The identity of a bot is checked.
    let entrants = root.join("entrants.csv");
    let text = fs::read_to_string(&entrants).expect("entrants");
    fs::write(&entrants, text.replace(due.as_str(), Digest::of(b"other").as_str())).expect("entrants");
    place.referee(&["audit", "hill"]).with_status(3).complaining(&["entrants.csv, line 4", "identity"]);
    fs::write(&entrants, text).expect("entrants");
    fs::write(root.join(&greedy.log), log.replace(",bot football greedy", ",bot football still"))
        .expect("a log");
    place.referee(&["audit", "hill"]).with_status(3);
}

#[test]
fn the_same_bot_is_admitted_once_under_a_name_and_other_arguments_make_another() {
    let place = Place::new();
    place.hill_of_guests("hill", &QUICK, &[("bot", "says 4 4")]);
    let one = place.path("bot.guest").display().to_string();
    let other = format!("{one} --more");
    let again = place.call(&["hill", "submit", "hill", &one, "--name", "bot"]).with_status(2);
    again.complaining(&["bot"]);
    place.call(&["hill", "submit", "hill", &other, "--name", "bot"]).with_status(0);
    let hill = Hill::open(&place.path("hill")).expect("a hill");
    let entrants = hill.entrants().expect("entrants");
    let versions: Vec<Digest> = (1..=2)
        .map(|version| entrants.submission("bot", version).expect("a bot").bot.bot_name().digest)
        .collect();
    assert_ne!(versions[0], versions[1]);
}

#[test]
fn arguments_with_blanks_are_stored_as_a_shell_quotes_them() {
    let place = Place::new();
    let root = place.hill_of_guests("hill", &QUICK, &[]);
    let guest = place.guest("guest", "says 4 4");
    let submit = |arguments: &str, name: &str| {
        place.call(&["hill", "submit", "hill", &format!("{guest} {arguments}"), "--name", name])
    };
    submit("honest --more 'two words' '' \"it's\"", "bot").with_status(0);
    submit("honest --more it\\'s", "plain").with_status(0);
    let hill = Hill::open(&root).expect("a hill");
    let entrants = hill.entrants().expect("entrants");
    let stored = |name| &entrants.submission(name, 1).expect("a bot").bot;
    assert_eq!(stored("bot").arguments, ["honest", "--more", "two words", "", "it's"]);
    assert_eq!(stored("bot").arguments_cell(), " honest --more 'two words' '' \"it's\"");
    // Without blanks and empty ones, a quotation mark stands for itself.
    assert_eq!(
        (stored("plain").arguments.clone(), &*stored("plain").arguments_cell()),
        (vec!["honest".to_owned(), "--more".to_owned(), "it's".to_owned()], "honest --more it's")
    );
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);
    let refused = submit("honest --more 'a\tb'", "tab").with_status(2);
    refused.complaining(&["an argument with an invisible character: \"a\\tb\""]);
}
