//! Runs examples of games through the real rules: questions as they are sent, verdicts on answers.

use referee_games::catalog;
use referee_rules::game::Game;
use referee_rules::wire;
use referee_rules::{Events, Fault, Parameters, Seat, Seed};

use crate::docs::document::Block;

/// Plays an example. The name of the game is followed by parameters; each row is
///
/// - `turn N`: the turn before it is played, and this one begins;
/// - `seat N is sent INTEGERS`: its question; `V*N` stands for N times V, and blanks are free;
/// - `seat N writes INTEGERS -> VERDICT`, or `nothing` for no answer in time. Every seat that is asked must
///   write.
pub(super) fn play_example(block: &Block) {
    let entry = catalog::find(&block.kind).unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    for word in &block.words {
        let (name, value) = word.split_once('=').expect("name=value");
        parameters.set_text(name, value).unwrap();
    }
    let mut game = entry.start(&parameters, Seed(1));
    let mut written = Vec::new();
    for (row, line) in block.text.lines().zip(block.line + 1..) {
        let row = row.trim();
        if let Some(turn) = row.strip_prefix("turn ") {
            if turn != "0" {
                play_turn(&mut *game, &mut written);
            }
            assert_eq!(game.turn().to_string(), turn, "line {line}");
            continue;
        }
        let parts = row.strip_prefix("seat ").and_then(|rest| rest.split_once(' '));
        let (seat, what) = parts.unwrap_or_else(|| panic!("line {line}: {row}"));
        let seat = Seat::new(seat.parse().unwrap());
        if let Some(question) = what.strip_prefix("is sent ") {
            let mut real = Vec::new();
            game.question(seat, &mut real);
            assert_eq!(expand(question) + "\n", String::from_utf8(real).unwrap(), "line {line}");
        } else if let Some((answer, verdict)) =
            what.strip_prefix("writes ").and_then(|rest| rest.split_once("->"))
        {
            assert_eq!(judge(&mut *game, seat, &expand(answer)), verdict.trim(), "line {line}: {row}");
            written.push(seat);
        } else {
            panic!("line {line}: {row}");
        }
    }
    play_turn(&mut *game, &mut written);
}

fn play_turn(game: &mut dyn Game, written: &mut Vec<Seat>) {
    assert_eq!(written, game.asked(), "every seat writes, once a turn, in order");
    written.clear();
    game.resolve(&mut Events::default());
}

fn judge(game: &mut dyn Game, seat: Seat, answer: &str) -> String {
    let mut integers = Vec::new();
    let fault = match answer {
        "nothing" => Some(Fault::Late),
        line => wire::read_integers(line.as_bytes(), &mut integers).err().map(Fault::Malformed),
    };
    let verdict = game.answer(seat, fault.as_ref().map_or(Ok(&integers), Err));
    verdict.map_or("ok".to_owned(), |fault| fault.to_string())
}

/// Expands the short form of integers.
fn expand(short: &str) -> String {
    let words = short.split_whitespace().flat_map(|word| {
        let (value, times) = word.split_once('*').unwrap_or((word, "1"));
        std::iter::repeat_n(value, times.parse().expect("a number of times"))
    });
    words.collect::<Vec<_>>().join(" ")
}
