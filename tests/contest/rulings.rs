//! Rulings on void games.

use referee_contest::rulings::Ruling;

#[test]
fn a_ruling_gives_each_bot_its_share_also_where_a_bot_has_a_team() {
    let shares = |ruling: &Ruling, bots: &[&str], players| ruling.shares(bots, players).as_slice().to_vec();
    let lost = Ruling::LostBy("fox".to_owned());
    assert_eq!(shares(&Ruling::Level, &["fox", "owl", "gnu"], 3), [1.0 / 3.0; 3]);
    assert_eq!(shares(&lost, &["fox", "owl", "gnu"], 3), [0.0, 0.5, 0.5]);
    // Two teams of two seats, and the same game with a team as one seat.
    assert_eq!(shares(&Ruling::Level, &["fox", "owl", "fox", "owl"], 2), [0.5; 4]);
    assert_eq!(shares(&lost, &["fox", "owl", "fox", "owl"], 2), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(shares(&lost, &["fox", "owl"], 2), [0.0, 1.0]);
}
