//! Teams: seats of a game that one bot has. Statistics know a team as one seat.

use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_record::{BotName, Share};
use referee_rules::Seat;

/// Makes one row of the rows of each team: the means of its scores and of its shares, the sums of its faults, the
/// longest times.
/// `teams` are the numbers of the seats' teams; empty: the game stays as it is.
#[must_use]
pub fn merged(game: GameResult, teams: &[usize]) -> GameResult {
    if teams.is_empty() {
        return game;
    }
    let count = teams.iter().max().map_or(0, |last| last + 1);
    let mut rows: Vec<ResultRow> = (0..count).map(|team| row_of_team(&game, teams, team)).collect();
    let shares: Vec<Share> = rows.iter().map(|row| row.share).collect();
    for row in &mut rows {
        row.place = 1 + shares.iter().filter(|share| **share > row.share).count();
        row.seats = count;
    }
    GameResult::new(rows)
}

fn row_of_team(game: &GameResult, teams: &[usize], team: usize) -> ResultRow {
    let rows = || game.iter().filter(|row| teams.get(row.seat.index()) == Some(&team));
    let mut merged = rows().next().expect("a team has seats").clone();
    let seats = rows().count() as i64;
    merged.seat = Seat::new(team);
    merged.score = rows().map(|row| row.score).sum::<i64>() / seats;
    merged.share = Share::of_micros(rows().map(|row| row.share.micros()).sum::<i64>() / seats);
    for row in rows().skip(1) {
        for (sum, faults) in merged.faults.iter_mut().zip(row.faults) {
            *sum += faults;
        }
        let (of_team, of_seat) = (&mut merged.thinking, row.thinking);
        of_team.total_us += of_seat.total_us;
        of_team.wall_us += of_seat.wall_us;
        of_team.p99_us = of_team.p99_us.max(of_seat.p99_us);
        of_team.max_us = of_team.max_us.max(of_seat.max_us);
        of_team.wall_max_us = of_team.wall_max_us.max(of_seat.wall_max_us);
    }
    merged
}

/// Names the bot of each team once. `bots` has the bots of a game, by seat; where seats do not count, those are left
/// out.
#[must_use]
pub fn named(bots: Vec<BotName>, teams: &[usize]) -> Vec<BotName> {
    if teams.is_empty() {
        return bots;
    }
    let mut named: Vec<BotName> = Vec::new();
    for bot in bots {
        if !named.contains(&bot) {
            named.push(bot);
        }
    }
    named
}
