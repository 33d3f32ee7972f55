//! A cup for viewers: matches and games by name, and the bracket.

use referee_statistics::schedule::deal::Pairing;

use super::{better_wins, contest, format, play_out, two, won_by};

#[test]
fn the_bracket_of_a_knockout_has_names_scores_and_byes() {
    let (format, contest) = (format("knockout", &[]), contest("foosball", 5, 1));
    let course = play_out(&format, &contest, better_wins);
    let names = ["ada", "bob", "cid", "dan", "eve"];
    let drawn = |rounds| course.cup(&format, &contest, rounds).drawing(&names).join("\n");
    assert_eq!(
        drawn(0),
        "\
ada ┐
    ├ ? ┐
-   ┘   │
        ├ ? ┐
dan ┐   │   │
    ├ ? ┘   │
eve ┘       │
            ├ ?
bob ┐       │
    ├ ? ┐   │
-   ┘   │   │
        ├ ? ┘
cid ┐   │
    ├ ? ┘
-   ┘"
    );
    assert_eq!(
        drawn(course.rounds.len()),
        "\
ada   ┐
      ├ ada 2 ┐
-     ┘       │
              ├ ada 2 ┐
dan 2 ┐       │       │
      ├ dan 0 ┘       │
eve 0 ┘               │
                      ├ ada
bob   ┐               │
      ├ bob 2 ┐       │
-     ┘       │       │
              ├ bob 0 ┘
cid   ┐       │
      ├ cid 0 ┘
-     ┘"
    );
}

#[test]
fn a_game_of_a_cup_is_named_by_its_place() {
    // Seeds 1 and 2 are level for a block.
    let (format, contest) = (format("knockout", &[]), contest("foosball", 4, 1));
    let course = play_out(&format, &contest, |pairing| match (two(pairing), pairing.scheduled.round) {
        ((1, 2) | (2, 1), 1) => vec![0.5, 0.5],
        _ => better_wins(pairing),
    });
    let cup = course.cup(&format, &contest, course.rounds.len());
    let told: Vec<Vec<String>> = course
        .rounds
        .iter()
        .map(|round| round.iter().map(|game| cup.name_of(game.scheduled).unwrap()).collect())
        .collect();
    assert_eq!(told[0][..3], ["semifinal 1, game 1", "semifinal 1, game 2", "semifinal 2, game 1"]);
    assert_eq!(told[1], ["semifinal 2, game 3", "semifinal 2, game 4"], "the match goes on");
    let last = &told[2];
    assert_eq!((&*last[0], &*last[2]), ("final, game 1", "match for the third place, game 1"));
    let line = cup.matches.iter().find(|line| line.name == "semifinal 2").unwrap();
    assert_eq!((line.winner, line.wins(), line.share_sums()), (Some(1), (2, 0, 2), (3.0, 1.0)));
    let open = &course.cup(&format, &contest, 1).matches[1];
    assert_eq!((open.winner, open.games.len()), (None, 4), "two were played, two come next");
}

#[test]
fn the_points_that_are_ranked_by_are_told() {
    let told = |kind: &str, entrants, result: fn(&Pairing) -> Vec<f64>| {
        let (format, contest) = (format(kind, &[]), contest("foosball", entrants, 1));
        let course = play_out(&format, &contest, result);
        let cup = course.cup(&format, &contest, course.rounds.len());
        (course.ranking.points, cup.matches)
    };
    let (points, matches) = told("comfoosball", 4, better_wins);
    assert_eq!(points, Some(vec![6, 4, 2, 0]));
    assert_eq!((&*matches[0].name, &*matches[6].name), ("round 1, match 1", "final"));
    assert!(matches.iter().all(|line| line.winner == Some(line.pair.0.min(line.pair.1))));
    let (_, matches) = told("comfoosball", 3, |pairing| won_by(|_, _| None)(pairing));
    let names: Vec<&str> = matches.iter().map(|line| &*line.name).collect();
    assert!(names.contains(&"play-off 3, round 3, match 1"), "{names:?}");
    assert!(names.contains(&"sudden death 50, round 1, match 1"), "{names:?}");
    assert_eq!(told("swiss", 4, better_wins).0, Some(vec![4, 2, 2, 0]));
    let (points, matches) = told("round-robin", 4, better_wins);
    assert!(points.is_none() && matches.is_empty());
}
