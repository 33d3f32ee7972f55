//! The terms of a season: read in the one form in which they are written.

use referee_contest::hill::terms::{GameTerms, Terms};
use referee_sandbox::{Limits, Tier};
use referee_statistics::rank_by::RankBy;
use referee_statistics::stop_rule::{StopRule, Until};
use referee_table::process::{Setup, Timekeeping};

const WINNER: &str = "sandbox=strict clock=charged cpu_seconds=0 data_mib=512 descriptors=64 file_mib=16 folder_mib=16 \
                      stack_mib=8 tasks=32 block=one-seating rules=1 seed=entrants method=betting edition=6 \
                      alpha=0.05 epsilon=0.01";

const RANKED: &str = "sandbox=off clock=wall tasks=32 block=12 rules=3 method=betting edition=6 alpha=0.5 epsilon=0 \
                      until=ranked rank_by=win racing=true";

fn read(text: &str) -> Terms {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn terms_are_written_as_they_were_read() {
    let limits = Limits::default();
    let setup = Setup { sandbox: Tier::Strict, limits, ..Setup::this_program() };
    let games = GameTerms::new(&setup, "one-seating".to_owned(), 1);
    // How many rounds are played is not part of the terms, and only ranks have a race.
    let rule = StopRule { min_rounds: 3, max_rounds: 4, ..StopRule::default() };
    let terms = Terms::new(games, rule, true);
    assert_eq!((terms.to_string(), &terms), (WINNER.to_owned(), &read(WINNER)));

    let terms = read(RANKED);
    let games = GameTerms {
        sandbox: Tier::Off,
        clock: Timekeeping::Wall,
        limits: [("tasks".to_owned(), 32)].into(),
        block: "12".to_owned(),
        rules: 3,
    };
    let rule = StopRule {
        until: Until::Ranked,
        rank_by: RankBy::Win,
        alpha: 0.5,
        epsilon: 0.0,
        ..StopRule::default()
    };
    assert_eq!(terms, Terms { has_own_seed: false, ..Terms::new(games, rule, true) });
    assert_eq!(terms.to_string(), RANKED);
}

#[test]
fn terms_in_another_form_are_refused() {
    let form = "terms: not in the form and order in which they are written";
    for (text, from, to, due) in [
        (WINNER, "clock=charged ", "", "its terms name no clock, of a version before 0.3"),
        (WINNER, " rules=1", "", "its terms name no rules, of a version before 0.3"),
        (WINNER, " edition=6", "", "its terms name no rule of a verdict, of a version before 0.3"),
        (WINNER, " alpha=0.05", "", "its terms name no alpha"),
        (WINNER, "seed=entrants", "seed=moon", "its terms name a seed of moon"),
        (WINNER, "edition=6", "edition=7", "terms: edition 7 of the stop rule, of a later version"),
        (WINNER, "method=betting", "method=guessing", "terms: method: "),
        (WINNER, "sandbox=strict clock=charged", "clock=charged sandbox=strict", form),
        (WINNER, "sandbox=strict", "sandbox=wasm", form),
        (WINNER, "clock=charged", "clock=units-1", form),
        (WINNER, "tasks=32", "tasks=032", form),
        (WINNER, "tasks=32", "tasks=many", form),
        (WINNER, "tasks=32", "tasks=32 tasks=32", form),
        (WINNER, "stack_mib=8 tasks=32", "tasks=32 stack_mib=8", form),
        (WINNER, "block=one-seating rules=1", "rules=1 block=one-seating", form),
        (WINNER, "alpha=0.05", "alpha=0.050", form),
        (WINNER, "epsilon=0.01", "epsilon=0.01 more=1", form),
        (WINNER, "epsilon=0.01", "epsilon=0.01 until=winner", form),
        (WINNER, "epsilon=0.01", "epsilon=0.01 racing=true", form),
        (RANKED, "racing=true", "racing=false", form),
        (RANKED, "rank_by=win racing=true", "racing=true rank_by=win", form),
        (WINNER, "epsilon=0.01", "epsilon=0.01 ", "terms: not words `key=value`"),
    ] {
        assert!(text.contains(from), "{from}");
        let found = text.replace(from, to).parse::<Terms>().expect_err(to);
        assert!(found.starts_with(due), "{to:?}: {found}\nis not\n{due}");
    }
}

#[test]
fn a_season_goes_on_if_only_more_limits_are_named() {
    let terms = read(WINNER);
    assert!(terms.go_on_as(&terms));
    assert!(read(&WINNER.replace(" tasks=32", "")).go_on_as(&terms));
    assert!(!terms.go_on_as(&read(&WINNER.replace(" tasks=32", ""))));
    for (from, to) in [
        ("tasks=32", "tasks=64"),
        ("sandbox=strict", "sandbox=off"),
        ("rules=1", "rules=2"),
        (" seed=entrants", ""),
        ("alpha=0.05", "alpha=0.1"),
        ("epsilon=0.01", "epsilon=0.01 rank_by=win"),
    ] {
        assert!(!read(&WINNER.replace(from, to)).go_on_as(&terms), "{to}");
    }
}
