//! The table as a picture: nine rows between two goals, men, paler if they are tired, and the ball.

use super::{BALL, FATIGUE};
use referee_rules::board::Situation;
use referee_rules::picture::{Paint, Picture, WIDTH};
use referee_rules::{Seat, Thing};

const HEIGHT: f64 = 0.5 * WIDTH;

/// Width of a row: nine rows, and a goal on either side.
const ROW: f64 = WIDTH / 11.0;

pub(crate) fn draw(situation: &Situation<'_>) -> Picture {
    let position = situation.position;
    let mut picture = Picture::new(HEIGHT);
    let x = |row: f64| (row + 5.5) * ROW;
    picture.rectangle((0.0, 0.0), (WIDTH, HEIGHT), Paint::Card, 1.0);
    picture.rectangle((ROW, 0.0), (9.0 * ROW, HEIGHT), Paint::Field, 1.0);
    let ball = position.get(BALL, None, None).unwrap_or(0) as f64;
    picture.rectangle((x(ball) - ROW / 2.0, 0.0), (ROW, HEIGHT), Paint::Coin, 0.25);
    for row in -4..=4 {
        picture.line((x(row.into()), 0.0), (x(row.into()), HEIGHT), 4.0, Paint::Grid, 1.0);
    }
    for (seat, goal, score) in [(0, 0.82 * ROW, 0.42 * ROW), (1, 10.0 * ROW, WIDTH - 0.42 * ROW)] {
        let seat = Seat::new(seat);
        picture.rectangle((goal, HEIGHT * 0.3), (0.18 * ROW, HEIGHT * 0.4), Paint::Seat(seat), 1.0);
        let goals = position.get(Thing::SCORE, Some(seat), None).unwrap_or(0);
        picture.text((score, HEIGHT / 2.0), ROW * 0.5, goals.to_string(), Paint::Seat(seat));
    }
    for seat in Seat::first(2) {
        for row in -4..=4 {
            let here = |fact: &&referee_rules::Fact| fact.seat == Some(seat) && fact.value == row;
            let men: Vec<_> = position.all(Thing::ROW).iter().filter(here).collect();
            let apart = (HEIGHT / (men.len() + 1) as f64).min(HEIGHT * 0.15);
            for (number, man) in men.iter().enumerate() {
                let aside = if seat.index() == 0 { -0.27 } else { 0.27 } * ROW;
                let down = (number as f64 - (men.len() - 1) as f64 / 2.0) * apart;
                let at = (x(row as f64) + aside, HEIGHT / 2.0 + down);
                let radius = (ROW * 0.18).min(apart * 0.46);
                picture.token(seat, at, radius);
                let fatigue = position.get(FATIGUE, Some(seat), man.index).unwrap_or(0);
                // A tired man is paler.
                let pale = 1.0 - 0.99f64.powi(fatigue.clamp(0, 1000) as i32).max(0.18);
                picture.circle(at, radius * 0.62, Paint::Card, pale);
            }
        }
    }
    picture.circle((x(ball), HEIGHT / 2.0), ROW * 0.15, Paint::CoinInk, 1.0);
    picture.circle((x(ball), HEIGHT / 2.0), ROW * 0.12, Paint::Coin, 1.0);
    picture
}
