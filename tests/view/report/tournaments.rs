//! Reports of tournaments: with several sub-tournaments, before and after they were played, and with a format
//! of rounds.

use std::fs;
use std::path::PathBuf;

use super::folder::assert_links_lead_somewhere;
use super::{table, text};
use crate::called::Calls;
use crate::support::{Place, files_below};

#[test]
fn a_tournament_is_told_by_sub_tournaments_with_the_numbers_that_are_printed() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["report", "T", "--html", "report"]).with_status(0);
    let page = text(&place.path("report/index.html"));
    assert!(page.contains("No game has been played yet") && !page.contains("<ol class=\"podium\">"));
    assert_links_lead_somewhere(&place.path("report"));

    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    place.call(&["report", "T", "--html", "report"]).with_status(0);
    let page = text(&place.path("report/index.html"));
    assert_links_lead_somewhere(&place.path("report"));
    let printed = |more: &[&str]| {
        let words = [&["tournament", "standings", "--dir", "T", "--format", "csv"], more].concat();
        place.call(&words).with_status(0).out
    };
    assert_eq!(text(&place.path("report/overall.csv")), printed(&[]));
    assert!(!page.contains("not final standings"));
    assert!(page.contains("<ol class=\"podium\">"), "the places are final");
    for set in 1..=2 {
        let number = set.to_string();
        let report = place.path(&format!("report/set-{set}"));
        assert_eq!(text(&report.join("standings.csv")), printed(&["--set", &number]));
        assert_eq!(text(&report.join("pairs.csv")), printed(&["--set", &number, "--pairs"]));
        assert!(page.contains(&format!("Sub-tournament {set}: ")), "{page}");
    }
    let overall = table(&page, "Standings, best first");
    assert_eq!(overall.len(), 5);
    // The page of a bot begins with its place over all of them.
    for row in &overall[1..] {
        let all = files_below(&place.path("report/bots"), "html");
        let ends = |path: &&PathBuf| path.to_string_lossy().ends_with(&format!("-{}.html", row[1].trim()));
        let page = text(all.iter().find(ends).expect("its page"));
        let due = format!("<p class=\"lead\">Place {} of 4: ", row[0].trim());
        let told: Vec<&str> = page.split("<p class=\"lead\">").skip(1).collect();
        assert!(told.len() == 3 && page.contains(&due), "{due}: {told:?}");
    }
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn a_knockout_is_told_with_its_rounds_and_how_it_ended() {
    let place = Place::new();
    let entrant = |(name, bot)| {
        let program = place.guest(name, bot);
        format!("[[entrant]]\nname = \"{name}\"\nprogram = {program:?}\n")
    };
    let bots = [("fox", "house chaser"), ("owl", "house still"), ("elk", "house planner")];
    let file = format!(
        "name = \"cup\"\ngame = \"foosball\"\nseed = \"5\"\nsandbox = \"off\"\n[format]\nkind = \"knockout\"\n{}",
        bots.map(entrant).concat()
    );
    fs::write(place.path("cup.toml"), file).expect("a file");
    place.call(&["tournament", "plan", "cup.toml", "--dir", "T"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    place.call(&["report", "T", "--html", "report"]).with_status(0);
    let page = text(&place.path("report/index.html"));
    assert!(page.contains("<h1>cup</h1>"));
    assert_links_lead_somewhere(&place.path("report"));
    let printed = place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]).with_status(0);
    assert_eq!(text(&place.path("report/overall.csv")), printed.out);
    let reason = printed.err.lines().last().expect("how it ended").to_owned();
    assert!(page.contains(&format!("<p>{reason}</p>")), "{reason}");
    // The places are those of the cup, the first three as a podium.
    let podium = page
        .split_once("<ol class=\"podium\">")
        .and_then(|(_, rest)| rest.split_once("</ol>"))
        .expect("a podium")
        .0;
    assert_eq!(podium.matches("<li").count(), 3, "{podium}");
    let places: Vec<String> = printed
        .out
        .lines()
        .skip(1)
        .map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    // Each name leads to its bot: on the podium, in the bracket and in the table of matches.
    let page_of = |name: &str| {
        let number = bots.iter().position(|(bot, _)| *bot == name).expect("a bot") + 1;
        format!("<a href=\"bots/{number}-{name}.html\">")
    };
    for line in &places {
        let (place, name) = line.split_once(' ').expect("a place and a name");
        let (_, row) = podium.split_once(&format!("<li class=\"place{place}\">")).expect("a place");
        assert!(
            row.split("</li>").next().is_some_and(|row| row.contains(&page_of(name))),
            "{line}: {podium}"
        );
    }
    // So says the page of each bot, and nothing that is still open.
    for (number, (name, _)) in bots.iter().enumerate() {
        let page = text(&place.path(&format!("report/bots/{}-{name}.html", number + 1)));
        let due = places.iter().find_map(|line| line.strip_suffix(&format!(" {name}"))).expect("its place");
        assert!(page.contains(&format!("Place {due} of 3: ")) && !page.contains("not yet"), "{name}: {due}");
    }
    // The bracket: three bots, a bye, and the winner in bold in each of its matches and at the end.
    let (_, bracket) = page.split_once("<svg class=\"bracket\"").expect("a bracket");
    let (bracket, _) = bracket.split_once("</svg>").expect("its end");
    let names = |name: &str, text: &str| text.matches(&format!(">{name}</text>")).count();
    assert_eq!((names("Semifinals", bracket), names("Final", bracket), names("bye", bracket)), (1, 1, 1));
    let (_, last) = bracket.split_once(">Winner</text>").expect("the winner");
    let champion = places[0].strip_prefix("1 ").expect("the first place");
    assert_eq!(bracket.matches(&page_of(champion)).count(), 3, "{bracket}");
    let (_, matches) = page.split_once("Matches, in their order</caption>").expect("a table");
    let (matches, _) = matches.split_once("</table>").expect("its end");
    // In the semifinal, the final and the third column of both, as the winner.
    assert_eq!(matches.matches(&page_of(champion)).count(), 4, "{matches}");
    assert_eq!(last.matches("<g font-weight=\"bold\">").count(), 1, "{last}");
    assert_eq!(names(champion, last), 1, "{last}");
    let strong = bracket
        .split("<g font-weight=\"bold\">")
        .skip(1)
        .map(|rest| rest.split_once("</g>").expect("its end").0);
    assert_eq!(strong.filter(|part| names(champion, part) == 1).count(), 3, "{bracket}");
    // Each notable game is one row with all its reasons; the last game of the final is one of them.
    let notable = table(&page, "Notable games, and the latest ones");
    let mut games: Vec<&String> = notable[1..].iter().map(|row| &row[2]).collect();
    let listed = games.len();
    games.sort();
    games.dedup();
    assert_eq!(games.len(), listed, "{notable:?}");
    let of_final: Vec<&Vec<String>> =
        notable[1..].iter().filter(|row| row[1].split(", ").any(|why| why == "the final")).collect();
    assert!(matches!(&of_final[..], [row] if row[2].starts_with("final")), "{notable:?}");
    let reasons = |what: &str| notable[1..].iter().filter(|row| row[1].contains(what)).count();
    assert!(reasons("the closest") == 1 && reasons("the clearest") <= 1, "{notable:?}");
    assert!(page.contains("The matches decide the place"), "why fewer points are ahead");
    // Ranks are for one look, after the last game.
    let heads = table(&page, "All numbers of the standings").remove(0);
    assert!(heads.contains(&"place".to_owned()) && heads.contains(&"likely".to_owned()), "{heads:?}");
    let rounds = text(&place.path("report/rounds.csv"));
    assert!(rounds.lines().any(|line| line.starts_with("2,")), "{rounds}");
    assert!(page.contains("logs of"), "the games of all rounds have their logs");
}
