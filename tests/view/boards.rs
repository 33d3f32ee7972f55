//! Boards in characters: that of a game without one of its own.

use referee_games::catalog;
use referee_record::play::position::Position;
use referee_record::{BotName, Digest, Heading};
use referee_rules::{BySeat, Parameters, Seed};
use referee_show::view::board::Drawn;
use referee_show::view::scene::Scene;
use referee_show::view::screen;

/// A game of the list, under a name that the list does not have.
fn without_a_board() -> Scene {
    let entry = &catalog::GAMES[0];
    let parameters = Parameters::defaults(entry.parameters);
    let game = entry.start(&parameters, Seed(1));
    let bots = BySeat::from_fn(game.info().seats, |_| BotName {
        name: "fox".to_owned(),
        version: 1,
        digest: Digest::of(b"fox"),
    });
    let heading = Heading::new("g", &*game, &parameters, bots);
    Scene {
        heading: Heading { rules: "none".to_owned(), ..heading },
        turns: 0,
        total: None,
        position: Position::of(&*game),
        turn: None,
        outcome: None,
        hidden: false,
    }
}

#[test]
fn a_game_without_a_board_is_a_table_of_its_facts() {
    let text = screen::plain(&without_a_board());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.contains(&"score  0 0 0 0"), "{text}");
    assert!(text.contains("balls  1:1 2:1 3:1"), "{text}");
    assert!(Drawn::within(&without_a_board(), (30, 99)).size().0 <= 30);
}

#[test]
fn a_table_that_does_not_fit_says_how_much_is_missing() {
    let scene = without_a_board();
    let Drawn::Table(whole) = Drawn::within(&scene, (20, usize::MAX)) else { panic!("a table") };
    assert!(whole.len() > 4, "{whole:?}");
    let Drawn::Table(cut) = Drawn::within(&scene, (20, 4)) else { panic!("a table") };
    assert_eq!(cut[..3], whole[..3]);
    assert_eq!(cut[3..], [format!("... {} more lines", whole.len() - 3)]);
}
