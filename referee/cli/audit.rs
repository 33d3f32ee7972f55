//! The commands `referee audit` and `referee export`, which need nothing but a record.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};
use referee_contest::audit as tournament_audit;
use referee_contest::audit::Audited;
use referee_contest::audit::bots::{AuditedBots, audit_hill_bots, audit_tournament_bots};
use referee_contest::audit::builds::{AuditedBuilds, audit_builds};
use referee_contest::fixture::check_unscheduled_names;
use referee_contest::folder;
use referee_contest::hill::{Audited as HillAudited, Hill};
use referee_contest::node;
use referee_contest::plan;
use referee_files::altered;
use referee_files::audit::{self, Counts};
use referee_files::beneath::Spot;
use referee_files::export::{self, Positions};
use referee_files::source::Source;
use referee_record::error::{Error, ErrorKind};
use referee_record::results::{Header, NumberedRow};
use referee_record::text::count;

use crate::addition::Event;
use crate::context::Context;
use crate::judge::JudgeOption;
use crate::progress::Task;
use crate::{note, replay, say};

/// Replay recorded games by the rules and compare byte for byte.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// A log, a results file, a folder of games, a hill or a tournament
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also play the games of a hill or a tournament again with its bots in WebAssembly: each answer, fault and unit
    /// must be as recorded
    #[arg(long)]
    bots: bool,
    /// Also build the sources of a hill's bots again: each program must be the same, where the compiler is
    #[arg(long)]
    builds: bool,
    #[command(flatten)]
    _judge: JudgeOption,
}

impl Audit {
    /// Audits each path. `matches` are those of the command, with the options of parts.
    pub(super) fn run(self, matches: &ArgMatches, context: &Context) -> anyhow::Result<()> {
        for path in &self.paths {
            let Agreement { sentence, is_whole } = audit_one(path).map_err(|error| cause_of(path, error))?;
            // Signatures are checked even if games are missing: such a record can have been changed, too.
            let notices = check_signatures(path, matches, context).map_err(|error| cause_of(path, error))?;
            if is_whole {
                say(format!("{}: {sentence}", path.display()));
            }
            notices.iter().for_each(say);
            if !is_whole {
                return Err(Error::new(ErrorKind::Failed, format!("{}: {sentence}", path.display())).into());
            }
            if self.bots {
                let repeated = repeat_bots(path, context)?;
                say(format!("{}: {repeated}", path.display()));
            }
            if self.builds {
                say(format!("{}: {}", path.display(), build_again(path, context)?));
            }
        }
        Ok(())
    }
}

/// The result of an audit of records that agree.
struct Agreement {
    sentence: String,
    /// Whether no part of a tournament is missing.
    is_whole: bool,
}

impl From<String> for Agreement {
    fn from(sentence: String) -> Agreement {
        Agreement { sentence, is_whole: true }
    }
}

/// Has the part that signs records check the signatures beside the records of a path. Returns lines to say.
fn check_signatures(path: &Path, matches: &ArgMatches, context: &Context) -> anyhow::Result<Vec<String>> {
    let mut notices = Vec::new();
    context.tell(path, Event::Audited(matches, &mut notices))?;
    if notices.is_empty() && is_signed(path)? {
        notices.push(format!(
            "{}: its signatures were not checked, since this program was built without the part `proof`",
            path.display()
        ));
    }
    Ok(notices)
}

/// Tells whether a hill's settings or a tournament's plan say that everything is signed, or a key is there.
fn is_signed(path: &Path) -> Result<bool, Error> {
    if path.join("proof/key").exists() {
        return Ok(true);
    }
    if Hill::is_at(path) {
        return Ok(Hill::open(path)?.host().signed);
    }
    Ok(plan::is_there(path, path) && plan::open(path)?.contents.host.signed)
}

/// Plays the games of a hill or a tournament again with its own copies of the bots.
fn repeat_bots(path: &Path, context: &Context) -> anyhow::Result<String> {
    let setup = context.setup()?;
    let audited = if Hill::is_at(path) {
        audit_hill_bots(&Hill::open(path).map_err(super::usage)?, &setup)
    } else if path.is_dir() && tournament_audit::is_tournament(path) {
        audit_tournament_bots(path, &setup)
    } else {
        let what = "--bots is for hills and tournaments, which keep their bots: name the folder of one";
        return Err(Error::input(format!("{}: {what}", path.display())).into());
    };
    let AuditedBots { games, answers, programs, other_costs, stopped } =
        audited.map_err(|error| error.or(ErrorKind::Failed))?;
    let mut sentence =
        format!("{} in {} repeated by the bots themselves", count(answers, "answer"), count(games, "game"));
    if other_costs > 0 {
        let seats = count(other_costs, "seat");
        let what =
            "were charged by another table of instruction costs: audit them with the program that has it";
        return Err(
            Error::input(format!("{}: cannot tell: {sentence}; {seats} {what}", path.display())).into()
        );
    }
    for (seats, why) in [
        (programs, "of native programs cannot be repeated"),
        (stopped, "were stopped for using too much processor time, which cannot be repeated"),
    ] {
        if seats > 0 {
            sentence += &format!("; {} {why}", count(seats, "seat"));
        }
    }
    Ok(sentence)
}

/// Builds the sources of a hill's bots again.
fn build_again(path: &Path, context: &Context) -> anyhow::Result<String> {
    if !Hill::is_at(path) {
        let what = "--builds is for hills, which keep the sources of their bots: name the folder of one";
        return Err(Error::input(format!("{}: {what}", path.display())).into());
    }
    let hill = Hill::open(path).map_err(super::usage)?;
    let task = Task::new("building");
    let audited = audit_builds(&hill, &context.setup()?)?;
    drop(task);
    let AuditedBuilds { same, differ, not_built, other_toolchain, missing, removed, changed, ready } =
        audited;
    if !changed.is_empty() {
        let what = format!(
            "the sources of these were changed: {}; {} built again, the same byte for byte",
            changed.join(", "),
            count(same, "program")
        );
        return Err(Error::new(ErrorKind::Tampered, format!("{}: {what}", path.display())).into());
    }
    if !missing.is_empty() {
        let what = format!(
            "the sources of these are missing from its folder builds: {}; put them back, or submit them again",
            missing.join(", ")
        );
        return Err(Error::new(ErrorKind::Incomplete, format!("{}: {what}", path.display())).into());
    }
    let kinds = [("these differ from the stored program", differ), ("these were not built", not_built)];
    let wrong: Vec<String> = kinds
        .iter()
        .filter(|(_, bots)| !bots.is_empty())
        .map(|(what, bots)| format!("{what}: {}", bots.join(", ")))
        .collect();
    if !wrong.is_empty() {
        let what = format!("built again with the same compiler, {}", wrong.join("; "));
        return Err(Error::new(ErrorKind::Incomplete, format!("{}: {what}", path.display())).into());
    }
    let mut sentence = format!("{} built again, the same byte for byte", count(same, "program"));
    for (programs, why) in [
        (other_toolchain, "built by another toolchain than this machine's: not compared"),
        (removed, "of bots that play no more, whose sources made room for others (builds/removed.csv)"),
        (ready, "handed in ready to run"),
    ] {
        if programs > 0 {
            sentence += &format!("; {} {why}", count(programs, "program"));
        }
    }
    Ok(sentence)
}

/// Returns the cause of an audit's error: that another program has changed the line ends of the record, or else the
/// error itself.
fn cause_of(path: &Path, error: anyhow::Error) -> anyhow::Error {
    let kind = error.downcast_ref::<Error>().map_or(ErrorKind::Failed, Error::kind);
    match altered::line_ends(path) {
        Some(ends) => Error::new(kind, ends.to_string()).into(),
        None => error,
    }
}

fn audit_one(path: &Path) -> anyhow::Result<Agreement> {
    let failed = |error: Error| error.or(ErrorKind::Failed);
    if path.is_dir() && Hill::is_at(path) {
        return audit_hill(path);
    }
    if path.is_dir() && tournament_audit::is_tournament(path) {
        return audit_tournament(path);
    }
    let results = if path.is_dir() { folder::results_of(path) } else { Spot::from(path) };
    if !results.exists() {
        return Err(Error::input(format!("{}: no such file", results.path().display())).into());
    }
    let is_results = is_results(&results)?;
    let _task = Task::new("auditing");
    if is_results && results.path().with_file_name("plan.toml").exists() {
        // In the folder of a tournament, logs of void attempts lie beside those of games.
        let counts = audit::audit_listed(&results, node::cores(), |_| Ok(())).map_err(failed)?;
        return Ok(sentence_of(counts).into());
    }
    if is_results {
        let counts = audit::audit_results(&results, node::cores(), |game: &[NumberedRow]| {
            for (line, row) in game {
                check_unscheduled_names(row).map_err(|what| Error::line(results.path(), *line, what))?;
            }
            Ok(())
        });
        return Ok(sentence_of(counts.map_err(failed)?).into());
    }
    let audited = audit::audit_log(&results).map_err(failed)?;
    Ok(format!(
        "agrees: {} turns of {}, {}; the log replays byte for byte",
        audited.turns, audited.heading.rules, audited.outcome.reason
    )
    .into())
}

/// Returns the sentence about games that agree.
fn sentence_of(Counts { games, rows, by_other_rules }: Counts) -> String {
    format!(
        "agrees: {}, {}; every log replays byte for byte{}",
        count(games as u64, "game"),
        count(rows as u64, "row"),
        clause_of_other_rules(by_other_rules)
    )
}

/// Returns the clause about games whose rules were another program when they were played.
fn clause_of_other_rules(games: usize) -> String {
    match games {
        0 => String::new(),
        games => format!(
            "; {} played by another program with rules of this name and version (column rules_digest)",
            if games == 1 { "1 game was".to_owned() } else { format!("{games} games were") }
        ),
    }
}

/// Checks a hill against its schedule.
fn audit_hill(root: &Path) -> anyhow::Result<Agreement> {
    let failed = |error: Error| error.or(ErrorKind::Failed);
    // The settings are part of the records, so a mistake in them fails the audit.
    let hill = Hill::open(root).map_err(failed)?;
    let _task = Task::new("auditing");
    let HillAudited { counts, under_way, unlisted, unrecorded, missing, by_hills_seed } =
        hill.audit().map_err(failed)?;
    let mut sentence = format!("{}, and every game follows the schedule", sentence_of(counts));
    if unrecorded > 0 {
        sentence += &format!("; recorded by no runner: {}", count(unrecorded as u64, "game"));
    }
    if by_hills_seed > 0 {
        let seasons = count(by_hills_seed as u64, "season");
        sentence += &format!("; drawn by the hill's seed alone, which the host knew: {seasons}");
    }
    sentence += &match missing {
        0 => String::new(),
        1 => "; 1 superseded program is missing from the store, so nobody can run it again".to_owned(),
        more => {
            format!("; {more} superseded programs are missing from the store, so nobody can run them again")
        }
    };
    if unlisted > 0 {
        let games = count(unlisted as u64, "game");
        sentence += &format!("; not listed yet: {games}, which `referee hill run` lists");
    }
    sentence.extend(under_way.iter().map(|gap| format!("; not finished: {gap}")));
    let repairs = hill.repairs().map_err(failed)?;
    sentence.extend(repairs.iter().map(|(date, files)| format!("; {files} made again on {date}")));
    Ok(sentence.into())
}

/// Checks a tournament against its plan, and names the missing parts.
fn audit_tournament(root: &Path) -> anyhow::Result<Agreement> {
    let audited = tournament_audit::audit(root, node::cores()).map_err(|error| {
        if error.is_not_found() {
            Error::because(ErrorKind::Failed, error)
        } else {
            error.or(ErrorKind::Failed)
        }
    })?;
    for (game, why) in &audited.voids {
        note(format!("{game} is void: {why}"));
    }
    let Audited { rounds, planned, played, voids, .. } = &audited;
    let rounds = if *rounds == 1 { String::new() } else { format!(" in {rounds} rounds") };
    let counts = format!(
        "{planned} games planned{rounds}, {played} played and agree, {} void, {} missing",
        voids.len(),
        audited.games_missing()
    );
    if audited.is_complete() {
        return Ok(format!(
            "agrees: {counts}; every log replays byte for byte, and every game follows the plan{}",
            clause_of_other_rules(audited.by_other_rules)
        )
        .into());
    }
    let missing = audited.missing.iter().map(|(round, batches, games)| {
        let round = if audited.rounds == 1 { String::new() } else { format!(" of round {round}") };
        let are = if *games == 1 { "1 game is".to_owned() } else { format!("{games} games are") };
        format!("{are} missing{round}: batches {batches}")
    });
    let what: Vec<String> = missing.chain(audited.open.iter().cloned()).collect();
    Ok(Agreement { sentence: format!("incomplete: {counts}. {}", what.join("; ")), is_whole: false })
}

/// Maximum length of the first line that is read of a file, in bytes.
const LINE_MAX: u64 = 16 << 10;

/// Tells whether a file has results: by its first line, or by its name if that line is damaged.
fn is_results(spot: &Spot) -> anyhow::Result<bool> {
    use std::io::Read;
    let (path, mut start) = (spot.path(), Vec::new());
    let file = Source::open(spot).map_err(Error::system(path, "open the file")).map_err(super::usage)?;
    let read = file.take(LINE_MAX).read_to_end(&mut start).map_err(Error::system(path, "read the file"));
    read.map_err(super::usage)?;
    let line = start.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_header = std::str::from_utf8(line).is_ok_and(|line| Header::of(line).is_some());
    Ok(is_header || start.starts_with(b"game,") || path.ends_with("results.csv"))
}

/// Write every move and every position of a recorded game as CSV.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The log of a game; or a folder of games, a hill or a tournament, and then the game's name
    log: PathBuf,
    /// A game of that folder
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Folder for the files
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Write each position in full, not only its changes since the previous turn (an empty value: no longer there)
    #[arg(long)]
    whole: bool,
    #[command(flatten)]
    _judge: JudgeOption,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let how = if self.whole { Positions::Whole } else { Positions::Changes };
        let log = replay::log_of(&self.log, self.game.as_deref())?;
        let exported = export::export(&log, &self.dir, how)?;
        say(format!("moves:     {}", exported.moves.display()));
        say(format!("positions: {}", exported.positions.display()));
        Ok(())
    }
}
