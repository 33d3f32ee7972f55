//! How often a format finds the best bot, in a model whose figures an independent simulation gave, too.

use super::{contest, format};

#[test]
fn the_best_of_twelve_wins_a_good_half_of_the_cups_of_few_games_and_more_of_longer_ones() {
    let share = |kind: &str, settings: &[(&str, &str)]| {
        let odds = format(kind, settings).odds(&contest("foosball", 12, 3)).expect("short contests");
        println!("{kind} {settings:?}: {odds:?}");
        assert!((100..=1000).contains(&odds.contests), "{odds:?}");
        odds.share
    };
    let drawn = ("seeding", "drawn");
    // A block has two games, one with each side, and a level match goes on. With one game a match, it would be 40 %.
    let knockout = [1, 4, 16].map(|blocks| share("knockout", &[drawn, ("blocks", &blocks.to_string())]));
    assert!((0.52..0.63).contains(&knockout[0]), "{knockout:?}");
    // The guide to cups names these two.
    assert_eq!(
        knockout[..2].iter().map(|share| format!("{:.0}", 100.0 * share)).collect::<Vec<_>>(),
        ["58", "68"]
    );
    assert!(knockout[0] + 0.05 < knockout[1] && knockout[1] + 0.05 < knockout[2], "{knockout:?}");
    let round_robin = share("round-robin", &[]);
    assert!((0.55..0.67).contains(&round_robin), "{round_robin}");
    let swiss = share("swiss", &[drawn]);
    assert!(swiss < round_robin, "{swiss}");
}

#[test]
fn a_contest_of_two_finds_the_better_as_often_as_the_model_says() {
    // One cycle: two games, and a level match is shared.
    let odds = format("round-robin", &[]).odds(&contest("foosball", 2, 9)).expect("short contests");
    assert!((0.69..0.77).contains(&odds.share), "{odds:?}");
    assert_eq!(odds.games, 2.0);
    let alone = format("round-robin", &[]).odds(&contest("foosball", 1, 9)).expect("no game at all");
    assert_eq!((alone.share, alone.games), (1.0, 0.0));
    // The same contest has the same odds.
    assert_eq!(format("round-robin", &[]).odds(&contest("foosball", 2, 9)), Some(odds));
}

#[test]
fn tables_of_four_are_simulated_too_and_what_is_too_long_is_not() {
    let odds = format("round-robin", &[]).odds(&contest("football", 12, 3)).expect("short enough");
    assert!((0.4..0.95).contains(&odds.share) && odds.games > 20.0, "{odds:?}");
    assert_eq!(format("rounds", &[("rounds", "5000")]).odds(&contest("football", 12, 3)), None);
}
