//! `referee hill log`: tells what happened in a game, from its log.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use referee::record::file::{self, Source};
use referee::record::read::LogReader;
use referee::record::results;
use referee::rules::BySeat;
use referee::tournament::folder;

use super::{Usage, say, shell};

/// So many faults of a seat are told; the rest is counted.
const FAULTS_TOLD: usize = 5;

/// Tells what happened in a game of a folder.
pub(super) fn tell(root: &Path, game: &str, raw: bool) -> anyhow::Result<()> {
    let path = folder::results_of(root);
    if !path.exists() {
        return Err(
            Usage(format!("{}: no results.csv in it: no game has been played", root.display())).into()
        );
    }
    let Some(rows) = results::last_game(&path, Some(game))? else {
        return Err(Usage(format!("{}: no game named {game}", path.display())).into());
    };
    let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    let first = &rows[0];
    let log = file::found(root.join(&first.log));
    if raw {
        let mut file = Source::open(&log).with_context(|| format!("{}: cannot open", log.display()))?;
        // Whoever reads may have had enough.
        let _ = io::copy(&mut file, &mut io::stdout().lock()).and_then(|_| io::stdout().flush());
        return Ok(());
    }
    say(format!(
        "{} of {}, {}: {} after {} turns",
        first.rules, first.started, first.parameters, first.end, first.turns
    ));
    let told = faults(&log, rows.len())?;
    for row in &rows {
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
        let faults = &told[row.seat];
        faults.iter().take(FAULTS_TOLD).for_each(|fault| say(format!("    {fault}")));
        if faults.len() > FAULTS_TOLD {
            say(format!("    and {} turns more", faults.len() - FAULTS_TOLD));
        }
        let errors = errors_of(root, &first.log, row.seat.index());
        if errors.exists() {
            say(format!("    standard error: {}", errors.display()));
        }
    }
    say(format!("Log: {}    Check it: referee audit {}", log.display(), shell(&log)));
    Ok(())
}

/// Lists each seat's turns that were not all right.
fn faults(log: &Path, seats: usize) -> anyhow::Result<BySeat<Vec<String>>> {
    let (mut reader, _) = LogReader::open(log)?;
    let mut faults = BySeat::from_fn(seats, |_| Vec::new());
    while let Some(row) = reader.peek()? {
        if let ("answer" | "dropped", Some(turn), Some(seat)) = (row.kind(), row.turn()?, row.seat()?)
            && row.name() != "ok"
            && seat.index() < seats
        {
            let text = match row.kind() {
                "dropped" => format!("turn {turn}: {} dropped as {}", lines(row.values()), row.name()),
                _ if row.detail().is_empty() => format!("turn {turn}: {}", row.name()),
                _ => format!("turn {turn}: {}: {}", row.name(), row.detail()),
            };
            faults[seat].push(text);
        }
        reader.take();
    }
    Ok(faults)
}

fn lines(count: &str) -> String {
    if count == "1" { "a line".to_owned() } else { format!("{count} lines") }
}

/// The file of a seat's standard error stands where the log stands, below `stderr`.
fn errors_of(root: &Path, log: &str, seat: usize) -> PathBuf {
    let log = Path::new(log);
    let below = log.strip_prefix("logs").unwrap_or(log);
    root.join("stderr").join(below).with_file_name(format!("{}-seat{seat}.txt", file::stem(below)))
}
