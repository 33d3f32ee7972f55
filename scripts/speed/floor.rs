//! The floor: a bare poll loop around the same bots, with the same bytes, no rules and no record.

use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use referee_games::catalog::{self, Entry};
use referee_rules::game::Game;
use referee_rules::{Parameters, Seed};
use rustix::event::{PollFd, PollFlags, poll};

use crate::Outcome;

/// The bot of both: reads a line, writes a line that was prepared. In every turn half of its players kick a ball
/// onto their own cell, the others step to and fro, so that the rules and the record have work.
pub(crate) fn be_a_bot(players: usize) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut question = Vec::new();
    let seat = std::env::var("REFEREE_SEAT").ok().and_then(|seat| seat.parse().ok()).unwrap_or(0);
    let lines = trivial_lines(seat, players);
    for turn in 0.. {
        question.clear();
        if input.read_until(b'\n', &mut question)? == 0 {
            break;
        }
        let line = if turn == 0 { 0 } else { 2 - turn % 2 };
        output.write_all(lines[line].as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// Returns the lines of the trivial bot of a seat: the first, and those that alternate afterwards.
pub(crate) fn trivial_lines(seat: usize, players: usize) -> [String; 3] {
    let join = |orders: Vec<usize>| orders.iter().map(usize::to_string).collect::<Vec<_>>().join(" ") + "\n";
    let cell = move |player: usize| 33 + 240 * seat + 2 * player;
    let orders =
        |step: usize| (0..players).map(move |player| if player % 2 == 0 { 9 + cell(player) } else { step });
    [join((0..players).map(cell).collect()), join(orders(3).collect()), join(orders(5).collect())]
}

pub(crate) fn game(players: u32, turns: u32) -> (Parameters, Box<dyn Game>) {
    game_of(catalog::find("football").expect("the game"), players, turns)
}

pub(crate) fn game_of(entry: &Entry, players: u32, turns: u32) -> (Parameters, Box<dyn Game>) {
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("p", players.into()), ("max_turns", turns.into()), ("stall_turns", 0)] {
        parameters.set(name, value).expect("a value in range");
    }
    let game = entry.start(&parameters, Seed(1));
    (parameters, game)
}

/// Returns the microseconds a turn of a bare loop: write four lines, poll, read four lines.
pub(crate) fn floor(players: u32, turns: u32) -> Outcome<f64> {
    let (_, mut game) = game(players, turns);
    let mut bots: Vec<(Child, OwnedFd, OwnedFd)> = Vec::new();
    let mut lines = Vec::new();
    for &seat in &game.asked().to_vec() {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--bot", &players.to_string()])
            .env("REFEREE_SEAT", seat.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("a pipe")?.into();
        let stdout = child.stdout.take().ok_or("a pipe")?.into();
        bots.push((child, stdin, stdout));
        let mut line = Vec::new();
        game.question(seat, &mut line);
        lines.push(line);
    }
    let mut buffer = [0; 16 * 1024];
    let mut start = Instant::now();
    for turn in 0..=turns {
        for ((_, stdin, _), line) in bots.iter().zip(&lines) {
            let written = rustix::io::write(stdin, line)?;
            assert_eq!(written, line.len());
        }
        let mut waited_for: Vec<usize> = (0..bots.len()).collect();
        while !waited_for.is_empty() {
            let mut polled: Vec<PollFd<'_>> = waited_for
                .iter()
                .map(|&bot| PollFd::from_borrowed_fd(bots[bot].2.as_fd(), PollFlags::IN))
                .collect();
            poll(&mut polled, None)?;
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            let mut index = 0;
            let mut ended = false;
            waited_for.retain(|&bot| {
                index += 1;
                if !ready[index - 1] {
                    return true;
                }
                let count = rustix::io::read(&bots[bot].2, &mut buffer[..]).unwrap_or(0);
                ended |= count == 0;
                count == 0 || buffer[count - 1] != b'\n'
            });
            if ended {
                return Err("a bot has ended".into());
            }
        }
        if turn == 0 {
            start = Instant::now();
        }
    }
    let elapsed = start.elapsed();
    for (mut child, stdin, _) in bots {
        drop(stdin);
        child.wait()?;
    }
    Ok(per_turn(elapsed, turns))
}

pub(crate) fn per_turn(elapsed: Duration, turns: u32) -> f64 {
    elapsed.as_secs_f64() * 1e6 / f64::from(turns)
}
