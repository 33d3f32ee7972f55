//! `referee hill log`: the events of a game, read from its log.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use referee_files::beneath::Spot;
use referee_files::source::Source;
use referee_files::{log, standard_error};
use referee_record::error::Error;
use referee_record::row_kind::RowKind;
use referee_record::text::{self, SENTENCE, count, harmless};
use referee_rules::{BySeat, Fault, FaultKind};

use crate::out::{self, Out};
use crate::{replay, say, shell};

/// Maximum number of faults of a seat that are listed. The others are counted.
const FAULTS_MAX: usize = 5;

/// Prints the events of a game of a folder.
pub(super) fn tell(root: &Path, game: &str, raw: bool) -> anyhow::Result<()> {
    let found = replay::found(root, Some(game))?;
    let (rows, spot) = (&found.rows, found.log());
    let log = spot.path();
    let first = rows.shared();
    if raw {
        let file = Source::open(&spot).map_err(Error::system(log, "open the log"))?;
        copy(file).map_err(Error::system(log, "read the log"))?;
        return Ok(());
    }
    say(format!(
        "{} of {}, {}: {} after {}",
        first.rules,
        first.started,
        first.parameters,
        first.end,
        count(first.turns.into(), "turn")
    ));
    let faults_by_seat = faults(&spot, rows.len())?;
    for row in rows {
        say(format!(
            "seat {} {} (version {}): score {}, place {}; p99 {:.1} ms, longest {:.1} ms",
            row.seat,
            row.bot.name,
            row.bot.version,
            row.score,
            row.place,
            row.thinking.p99_us as f64 / 1000.0,
            row.thinking.max_us as f64 / 1000.0
        ));
        let faults = &faults_by_seat[row.seat];
        faults.sentences.iter().for_each(|fault| say(format!("    {fault}")));
        if faults.more > 0 {
            say(format!("    and {} more", count(faults.more as u64, "turn")));
        }
        if let Some(errors) = standard_error::path_for(&spot, row.seat).filter(Spot::exists) {
            say(format!("    standard error: {}", errors.path().display()));
        }
    }
    say(format!("Log: {}    Check it: referee audit {}", log.display(), shell(log)));
    Ok(())
}

/// Copies a log to standard output. On a terminal, control characters are shown as numbers.
fn copy(mut file: Source) -> io::Result<()> {
    if !out::is_terminal() {
        return io::copy(&mut file, &mut Out).map(drop);
    }
    let mut line = Vec::new();
    while file.by_ref().take(AT_ONCE).read_until(b'\n', &mut line)? > 0 {
        write!(Out, "{}", text::visible(&String::from_utf8_lossy(&line)))?;
        line.clear();
    }
    Ok(())
}

/// Maximum part of a line that is shown at once, in bytes.
const AT_ONCE: u64 = 64 << 10;

/// The faults of a seat in a game.
#[derive(Clone, Debug, Default)]
pub(super) struct SeatFaults {
    /// The first faults and dropped lines, in words.
    pub(super) sentences: Vec<String>,
    /// The number of the other ones.
    more: usize,
    /// The first fault of each kind, if the log has its details.
    pub(super) first: Vec<Fault>,
}

/// Lists each seat's first faults and dropped lines, and counts the others.
pub(super) fn faults(log: &Spot, seats: usize) -> anyhow::Result<BySeat<SeatFaults>> {
    let (mut reader, _) = log::reader(log)?;
    let mut faults = BySeat::from_fn(seats, |_| SeatFaults::default());
    while let Some(row) = reader.peek()? {
        if let (Some(kind @ (RowKind::Answer | RowKind::Dropped)), Some(turn), Some(seat)) =
            (row.kind(), row.turn()?, row.seat()?)
            && row.name() != "ok"
            && seat.index() < seats
        {
            let SeatFaults { sentences, more, first } = &mut faults[seat];
            let fault =
                FaultKind::from_name(row.name()).and_then(|kind| Fault::from_parts(kind, row.detail()));
            first.extend(fault.filter(|new| first.iter().all(|known| known.kind() != new.kind())));
            if sentences.len() == FAULTS_MAX {
                *more += 1;
                reader.take();
                continue;
            }
            let text = match kind {
                RowKind::Dropped => {
                    let lines = count(row.values().parse().unwrap_or(0), "line");
                    format!("turn {turn}: {lines} dropped as {}", row.name())
                }
                _ if row.detail().is_empty() => format!("turn {turn}: {}", row.name()),
                _ => format!("turn {turn}: {}: {}", row.name(), row.detail()),
            };
            sentences.push(shown(&text));
        }
        reader.take();
    }
    Ok(faults)
}

/// Returns the start of a text, in one line: a detail can be very long.
fn shown(text: &str) -> String {
    harmless(text, SENTENCE)
}
