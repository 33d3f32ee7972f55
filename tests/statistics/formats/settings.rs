//! `[format]` of a tournament's file: the allowed values, and the errors for others.

use referee_statistics::schedule::format::{FORMAT_KINDS, Format, schema};

use super::{contest, format};

fn parse(text: &str) -> Result<Format, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
}

#[test]
fn a_format_reads_back_what_it_writes() {
    for kind in FORMAT_KINDS {
        let format = Format::new(kind.name).unwrap();
        assert_eq!(parse(&toml::to_string(&format).unwrap()).as_ref(), Ok(&format));
        assert_eq!(serde_json::from_str::<Format>(&serde_json::to_string(&format).unwrap()).unwrap(), format);
    }
    let format = parse("kind = 'rounds'\nrounds = 4\ndeal = 'balanced'\nblock = 12").unwrap();
    assert_eq!(format.to_string(), "rounds rounds=4 deal=balanced block=12 author_seats=0 rank_by=score");
    assert_eq!(parse(&toml::to_string(&format).unwrap()), Ok(format));
    assert_eq!(Format::default().name(), "rounds");
}

#[test]
fn a_switch_is_true_or_false() {
    let paired = |text: &str| parse(text).map(|format| format.to_string().contains("paired_seeds=1"));
    assert_eq!(paired("kind = 'comfoosball'"), Ok(false));
    assert_eq!(paired("kind = 'comfoosball'\npaired_seeds = true"), Ok(true));
    assert_eq!(paired("kind = 'comfoosball'\npaired_seeds = 1"), Ok(true));
    assert_eq!(paired("kind = 'comfoosball'\npaired_seeds = false"), Ok(false));
    let told = paired("kind = 'comfoosball'\ngames = true").unwrap_err();
    assert_eq!(told, "games is a whole number or a word, not true");
}

#[test]
fn what_is_no_format_is_told_with_what_is() {
    let wrong = |text| parse(text).unwrap_err();
    let kinds = "rounds, round-robin, gauntlet, knockout, swiss, comfoosball, exam";
    assert_eq!(wrong("rounds = 3"), format!("the kind is missing: write kind = one of {kinds}"));
    assert_eq!(wrong("kind = 'cup'"), format!("no such kind of format: cup (there are {kinds})"));
    assert_eq!(
        wrong("kind = 'swiss'\ncycles = 2"),
        "no such parameter: cycles (there are rounds, blocks, seeding)"
    );
    assert_eq!(
        wrong("kind = 'round-robin'\ncycles = 0"),
        "cycles must be at least 1, not 0 (number of times that all bots meet)"
    );
    assert_eq!(wrong("kind = 'knockout'\nblocks = 1.5"), "a whole number or a word");
    assert!(
        wrong("kind = 'rounds'\ndeal = 'fair'").starts_with("deal must be uniform or balanced, not fair")
    );
}

#[test]
fn a_format_that_does_not_suit_the_game_or_the_field_says_so() {
    let wrong =
        |format: Format, game, entrants| format.check(&contest(game, entrants, 1)).unwrap_err().to_string();
    assert_eq!(
        wrong(format("knockout", &[]), "football", 8),
        "knockout is for games of two seats; football has 4 (use rounds, round-robin or gauntlet)"
    );
    assert_eq!(
        wrong(format("round-robin", &[]), "target", 8),
        "round-robin is for games with tables of a fixed number of seats; \
         target seats the whole field in one game (use rounds)"
    );
    assert_eq!(
        wrong(format("gauntlet", &[("challenger", "4")]), "football", 3),
        "challenger = 4 is too high: there are 3 entrants"
    );
    assert_eq!(
        wrong(format("rounds", &[("block", "12")]), "push", 3),
        "block = 12 is for tables of four, not for push: leave it out"
    );
    assert_eq!(
        wrong(format("rounds", &[("block", "one-game"), ("deal", "balanced")]), "football", 3),
        "block = \"one-game\" draws seats by lot and is only for deal = \"uniform\""
    );
    assert_eq!(wrong(Format::default(), "football", 0), "a tournament needs entrants");
    assert_eq!(
        wrong(format("exam", &[("panel", "3")]), "football", 3),
        "panel = 3, and there are 3 entrants: an exam has students behind its panel"
    );
}

#[test]
fn the_description_for_readers_is_that_of_the_program() {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let text = include_str!("../../../docs/reference/tournament-files.md");
    let due = schema();
    assert!(
        flat(text).ends_with(&flat(&due)),
        "docs/reference/tournament-files.md should end with:\n\n{due}"
    );
}

#[test]
fn as_many_bots_of_an_author_are_taken_as_can_sit_apart() {
    // A table of four and one bot more, or two: the small table has room for that number of bots of an
    // author, too.
    for (entrants, most, room) in [(5, "2", 3), (6, "2", 4), (6, "1", 2), (8, "1", 2), (4, "3", 3)] {
        let format = format("rounds", &[("author_seats", most)]);
        let check = |bots: usize| {
            let mut contest = contest("football", entrants, 1);
            contest.authors =
                (0..entrants).map(|bot| if bot < bots { "ada" } else { "" }.to_owned()).collect();
            format.check(&contest).map_err(|error| error.to_string())
        };
        assert_eq!(check(room), Ok(()), "{entrants} bots, {most}");
        let told = check(room + 1).expect_err("one too many");
        assert!(told.contains(&format!("ada has {} bots", room + 1)), "{told}");
        assert!(told.contains(&format!("room for {room}")), "{told}");
    }
}
