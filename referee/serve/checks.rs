//! The checks of submissions, one after the other, each by `referee hill submit` in a process of its own.

use std::fs::{File, TryLockError};
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use referee_contest::accounts;
use referee_contest::admission::submission::{SubmissionReport, SubmissionVerdict};
use referee_contest::admission::{check as check_game, sources};
use referee_contest::hill::Hill;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::text::{self, harmless};
use referee_table::clock;
use serde_json::json;
use tokio::process::Command;

use crate::inbox::{Lane, Submission, SubmissionRequest, SubmissionState, Verdict};
use crate::site::{Served, Site};

/// Minimum time limit of a check game. Where turns are long, the limit is longer.
const GAME_MAX_LEAST: Duration = Duration::from_secs(600);

/// Returns the time limit of a check on this hill: four times that of a check game on a quiet machine, and the time in
/// which a source is built, with its wait for other builds.
fn check_max(served: &Served) -> Duration {
    let game = match Hill::open(&served.root) {
        Ok(hill) => {
            check_game::longest(hill.entry(), hill.parameters()).saturating_mul(4).max(GAME_MAX_LEAST)
        }
        Err(_) => GAME_MAX_LEAST,
    };
    game.saturating_add(sources::longest(&served.root).unwrap_or_default())
}

/// Returns the maximum time that an account is charged for a check: that of a check game, and of a build alone. The
/// time for which a check or a build waits for others is charged, too, up to this maximum.
fn charge_max(served: &Served, lane: Lane) -> Duration {
    let game = match Hill::open(&served.root) {
        Ok(hill) => check_game::longest(hill.entry(), hill.parameters()),
        Err(_) => GAME_MAX_LEAST,
    };
    match lane {
        Lane::Ready => game,
        Lane::Compiled => game.saturating_add(sources::build_max(&served.root)),
    }
}

/// Maximum number of tries of a check that ends because of trouble on the host.
const TRIES_MAX: u32 = 3;

/// The wait before another try.
const TRY_AGAIN: Duration = Duration::from_secs(10);

/// The time between two tests whether an earlier check has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Maximum number of characters of a check's messages that are kept, without the log of a build.
const MESSAGE_MAX: usize = 4000;

/// Maximum number of characters of a build's log that are kept, where the host's own limit is higher.
const LOG_MAX: usize = 4 << 20;

/// Maximum number of characters for a byte of a log: a character that is not visible is shown as its number.
const CHARS_PER_BYTE: usize = 6;

/// Shortens a check's message to the longest that is kept. `log_max` is the hill's limit for the log of a build in it,
/// in bytes.
fn shortened(message: &str, log_max: usize) -> String {
    let chars_max = MESSAGE_MAX + log_max.saturating_mul(CHARS_PER_BYTE).min(LOG_MAX);
    match message.char_indices().nth(chars_max) {
        Some((end, _)) => {
            let rest = message[end..].chars().count();
            format!("{}\n[the rest is left out: {rest} characters]", &message[..end])
        }
        None => message.to_owned(),
    }
}

/// Returns the first line of a message. The other lines are for the author alone.
fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// Checks the submissions of a lane of a hill, one after the other, until the server stops.
pub(crate) async fn check_all(site: Arc<Site>, served: Arc<Served>, lane: Lane) {
    let inbox = &served.inbox;
    if !inbox.is_mine() {
        // This server takes no submissions.
        return;
    }
    let mut stop = site.stop.subscribe();
    // The tries of one submission, which is the next one until it has a verdict.
    let mut tries = 0;
    loop {
        let Some(submission) = inbox.next(lane) else {
            tokio::select! {
                () = inbox.wait_for_submission(lane) => continue,
                _ = stop.wait_for(|stop| *stop) => return,
            }
        };
        let since = site.clock.now();
        let result = tokio::select! {
            result = check(&site, &served, &submission) => result,
            _ = stop.wait_for(|stop| *stop) => return, // the next server repeats the check
        };
        // A try without a verdict is charged, too: a program can be why it takes too long.
        let time = (site.clock.now() - since).min(charge_max(&served, lane));
        inbox.charge(&submission.request.account, time);
        tries += 1;
        let (verdict, record) = match result {
            Ok(verdict_and_record) => verdict_and_record,
            Err(message) if tries < TRIES_MAX => {
                inbox.set(
                    submission.number,
                    SubmissionState::Checking,
                    &format!("the host tries again: {message}"),
                );
                // Nobody waits for this task when the server stops.
                tokio::time::sleep(TRY_AGAIN).await;
                continue;
            }
            Err(message) => {
                (Verdict { state: SubmissionState::Failed, message, date: clock::date() }, String::new())
            }
        };
        tries = 0;
        let shared = Arc::clone(&served);
        let closing = tokio::task::spawn_blocking(move || close(&shared, &submission, &verdict, &record));
        if !matches!(closing.await, Ok(Ok(()))) {
            // A full disk. The check is repeated if the verdict is not written; if only the event is not, it is lost.
            tokio::time::sleep(TRY_AGAIN).await;
        }
    }
}

/// Writes a verdict. Then tells the webhook of a refusal, and the list of events of each verdict.
fn close(served: &Served, submission: &Submission, verdict: &Verdict, record: &str) -> Result<(), Error> {
    let SubmissionRequest { account, name, .. } = &submission.request;
    let message = first_line(&verdict.message);
    served.inbox.close(submission, verdict, record)?;
    if verdict.state == SubmissionState::Refused {
        served.hook.queue("refused", json!({ "bot": name, "account": account, "told": message }));
    }
    let detail = format!("{} {message}", submission.number);
    accounts::note(&served.root, account, verdict.state.name(), &detail)
}

/// Takes the lock of a lane, when no other check of it is running: a server that was killed may have left one. The
/// check gets the lock as its standard input, so the lock ends with the check.
async fn lock_lane(served: &Served, lane: Lane) -> io::Result<File> {
    let name = match lane {
        Lane::Ready => "inbox/checking",
        Lane::Compiled => "inbox/compiling",
    };
    let lock = Spot::below(&served.root, name).lock_file()?;
    while let Err(error) = lock.try_lock() {
        match error {
            TryLockError::WouldBlock => tokio::time::sleep(LOOK).await,
            TryLockError::Error(error) => return Err(error),
        }
    }
    Ok(lock)
}

/// Lets the program `referee` check a submission. Returns the verdict, and the record of the check game. An error is
/// trouble on the host.
async fn check(site: &Site, served: &Served, submission: &Submission) -> Result<(Verdict, String), String> {
    let (inbox, SubmissionRequest { account, name, .. }) = (&served.inbox, &submission.request);
    let check_max = check_max(served);
    let lock = tokio::time::timeout(check_max, lock_lane(served, submission.lane)).await;
    let lock = lock
        .map_err(|_| "an earlier check is still running".to_owned())?
        .map_err(|error| format!("the inbox cannot be locked: {error}"))?;
    let mut command = Command::new(&site.referee);
    command
        .args(["hill", "submit"])
        .arg(&served.root)
        // A word without a path could name a house bot.
        .arg(format!("./{}", submission.request.file()))
        .args(["--name", name, "--author", account, "--by-author", "--format", "json"])
        .current_dir(inbox.place(submission.number))
        .stdin(Stdio::from(lock))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = tokio::time::timeout(check_max, command.output()).await;
    let output = output
        .map_err(|_| "the check took too long".to_owned())?
        .map_err(|error| format!("the check cannot be started: {error}"))?;
    let log_max = sources::log_max(&served.root).unwrap_or_default();
    let for_author = |text: &str| served.without_path(&shortened(text, log_max));
    let trouble = |text: &str| harmless(text.trim(), text::SENTENCE);
    let Ok(SubmissionReport { verdict, message, record }) = serde_json::from_slice(&output.stdout) else {
        // The program has ended without a report.
        let complaint = for_author(&String::from_utf8_lossy(&output.stderr));
        return Err(trouble(&complaint));
    };
    let message = for_author(&message);
    let state = match verdict {
        SubmissionVerdict::Admitted => SubmissionState::Admitted,
        // The bot may have been admitted just before a server was killed.
        SubmissionVerdict::PlaysAlready => SubmissionState::Plays,
        SubmissionVerdict::Refused => SubmissionState::Refused,
        SubmissionVerdict::Failed => return Err(trouble(&message)),
    };
    Ok((Verdict { state, message: message.trim().to_owned(), date: clock::date() }, record))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use clap::Parser as _;
    use referee_contest::hill::HillSettings;
    use referee_games::catalog;
    use referee_rules::{Parameters, Seed};

    use super::*;

    #[test]
    fn the_webhook_is_told_of_no_verdict_that_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("h");
        let entry = catalog::find("push").expect("a game");
        let parameters = Parameters::defaults(entry.parameters);
        Hill::create(&root, entry, parameters, Seed(7), HillSettings::default()).expect("a hill");
        let webhook = root.join("webhook.toml");
        fs::write(&webhook, "url = \"http://127.0.0.1:9/\"\nsecret = \"0123456789abcdef\"\n")
            .expect("a webhook");
        fs::set_permissions(&webhook, fs::Permissions::from_mode(0o600)).expect("its mode");
        let words = ["referee serve", root.to_str().expect("text"), "--referee", "/bin/sh"];
        let site = Site::open(crate::Options::parse_from(words), |_| ()).expect("a site");
        let served = &site.contests["h"];
        let text = |text: &str| text.to_owned();
        let request = SubmissionRequest {
            account: text("alice"),
            name: text("fox"),
            source_name: String::new(),
            ending: String::new(),
            date: clock::date(),
            receipt: text("1-a"),
        };
        let (lane, state) = (Lane::Ready, SubmissionState::Checking);
        let submission = Submission { number: 1, request, lane, state, message: String::new() };
        let verdict =
            Verdict { state: SubmissionState::Refused, message: text("too slow"), date: clock::date() };
        // A folder is where the verdict belongs.
        let obstacle = served.inbox.place(1).join("verdict.json");
        fs::create_dir_all(obstacle.join("x")).expect("a folder");
        assert!(close(served, &submission, &verdict, "").is_err());
        assert_eq!(served.hook.queued(), 0);
        fs::remove_dir_all(obstacle).expect("the folder");
        close(served, &submission, &verdict, "").expect("a verdict");
        assert_eq!(served.hook.queued(), 1);
    }

    #[test]
    fn a_log_reaches_its_author_whole_and_others_as_one_line() {
        let log = format!("bot is not admitted\n{}", "  | \u{1b}[31merror\n".repeat(3000));
        assert_eq!(shortened(&log, 64 << 10), log);
        let cut = shortened(&log, 0);
        assert!(cut.starts_with(&log[..MESSAGE_MAX]), "{cut}");
        let rest = log.chars().count() - MESSAGE_MAX;
        assert!(cut.ends_with(&format!("[the rest is left out: {rest} characters]")), "{cut}");
        assert_eq!(shortened(&"x".repeat(LOG_MAX * 2), usize::MAX).find('\n'), Some(MESSAGE_MAX + LOG_MAX));
        assert_eq!(first_line(&log), "bot is not admitted");
    }
}
