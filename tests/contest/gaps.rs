//! Scheduled games that are missing in the results of a hill.

use tempfile::TempDir;

use referee_contest::fixture::game_id;
use referee_contest::hill::gaps::{GamesPlayed, Gap};
use referee_contest::hill::seasons::{Season, SeasonRow};
use referee_contest::hill::terms::{GameTerms, Terms};
use referee_contest::hill::{Hill, HillSettings};
use referee_files::small;
use referee_games::catalog::GAMES;
use referee_record::results::Scheduled;
use referee_record::{BotName, Digest};
use referee_rules::{Parameters, Seed};
use referee_table::process::Setup;

/// A hill of four bots, which play four games a round in each of its seasons.
fn hill(seasons: u32) -> (TempDir, Hill, Vec<Season>) {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = &GAMES[0];
    let parameters = Parameters::defaults(entry.parameters);
    let hill = Hill::create(&folder.path().join("hill"), entry, parameters, Seed(5), HillSettings::default());
    let hill = hill.expect("a hill");
    let rule = hill.settings().rule();
    let games = GameTerms::new(&Setup::this_program(), "one-seating".to_owned(), 1);
    let terms = Terms::new(games, rule, false);
    let row = |season: u32, name: &str| SeasonRow {
        season,
        date: "2026-01-01T00:00:00Z".to_owned(),
        size: 4,
        bot: BotName { name: name.to_owned(), version: 1, digest: Digest::of(b"bot") },
        terms: terms.to_string(),
        author: String::new(),
    };
    let rows: Vec<SeasonRow> =
        (1..=seasons).flat_map(|season| ["a", "b", "c", "d"].map(|name| row(season, name))).collect();
    std::fs::write(hill.root().join("seasons.csv"), small::text(&rows)).expect("seasons");
    let found = hill.seasons().expect("seasons");
    assert_eq!((found.len(), hill.round_games(4)), (seasons as usize, 4));
    (folder, hill, found)
}

fn place(number: u32) -> Scheduled {
    Scheduled { season: 1, round: 1 + number / 4, table: 1, rotation: 1 + number % 4 }
}

/// The missing games if the first `count` games of the first season were played, except for some.
fn gaps_without(count: u32, without: impl Fn(u32) -> bool, begun: Option<u32>) -> Vec<Gap> {
    gaps_of(1, count, without, begun)
}

/// Likewise, on a hill with this number of seasons.
fn gaps_of(seasons: u32, count: u32, without: impl Fn(u32) -> bool, begun: Option<u32>) -> Vec<Gap> {
    let (_folder, hill, seasons) = hill(seasons);
    let known: Vec<Scheduled> =
        (1..=2).flat_map(|round| hill.games_of(&seasons[0], round)).map(|g| g.scheduled).collect();
    assert_eq!(known, (0..8).map(place).collect::<Vec<Scheduled>>());
    let mut played = GamesPlayed::default();
    (0..count).filter(|game| !without(*game)).for_each(|game| played.add(place(game), 4));
    begun.into_iter().for_each(|game| played.begin(place(game)));
    played.gaps(&hill, &seasons)
}

fn gap(round: u32, missing: &[u32], later: usize, missing_in_all: usize) -> Gap {
    let missing = missing.iter().map(|game| game_id(place(*game))).collect();
    Gap { season: 1, round, missing, games: 4, later, missing_in_all, is_closed: false }
}

#[test]
fn of_whole_rounds_nothing_is_missing() {
    assert_eq!(gaps_without(0, |_| false, None), []);
    assert_eq!(gaps_without(12, |_| false, None), []);
}

#[test]
fn a_round_that_is_cut_off_is_under_way() {
    let gaps = gaps_without(10, |_| false, None);
    assert_eq!(gaps, [gap(3, &[10, 11], 0, 2)]);
    assert!(gaps[0].is_under_way());
    assert_eq!(
        gaps[0].to_string(),
        "season 1, round 3: 2 of 4 games are missing (s001-r00003-t001-g3, s001-r00003-t001-g4); no later game \
         was played"
    );
}

#[test]
fn no_game_is_missing_before_a_listed_one_unless_its_season_is_closed() {
    let gaps = gaps_without(7, |game| game == 5, None);
    assert_eq!(gaps, [gap(2, &[5, 7], 1, 2)]);
    assert!(!gaps[0].is_under_way());
    assert!(gaps[0].to_string().ends_with("; 1 later game was played"), "{}", gaps[0]);
    // A run was stopped, and the next one had other bots: 64 games can have been in flight, and many others ended.
    let closed = |count: u32, missing: u32| gaps_of(2, count, |game| (5..5 + missing).contains(&game), None);
    for missing in [1, 64] {
        let gaps = closed(400, missing);
        assert_eq!(gaps[0].later, 400 - 5 - missing as usize);
        assert!(gaps.iter().all(|gap| gap.is_closed && gap.is_under_way()), "{gaps:#?}");
    }
    assert!(!closed(400, 65)[0].is_under_way(), "more than are in flight at once");
}

#[test]
fn whole_rounds_that_are_cut_off_are_seen_where_a_later_game_was_begun() {
    let gaps = gaps_without(8, |_| false, Some(13));
    assert_eq!(gaps, [gap(3, &[8, 9, 10, 11], 0, 6), gap(4, &[12, 13, 14, 15], 0, 4)]);
    assert!(gaps.iter().all(Gap::is_under_way));
    let gaps = gaps_without(8, |_| false, Some(8 + 64));
    assert_eq!((gaps.len(), gaps[0].missing_in_all), (17, 65), "more than are in flight at once");
    assert!(!gaps[0].is_under_way());
    assert!(gaps[0].to_string().ends_with("; 61 games of later rounds are missing, too"), "{}", gaps[0]);
}

#[test]
fn a_stranger_who_begins_with_the_last_round_of_all_is_not_followed_through_all_rounds() {
    let gaps = gaps_without(0, |_| false, Some(u32::MAX - 8));
    assert_eq!(gaps.len(), 1000, "the most that are listed");
    assert!(!gaps[0].is_under_way());
}
