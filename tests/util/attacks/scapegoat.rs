//! A process of the host with a secret, which notices attacks on it.

use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The process, and its visible state before.
#[derive(Debug)]
pub(super) struct Scapegoat {
    child: Child,
    before: String,
}

impl Scapegoat {
    /// Starts one in a folder, with the secret among its arguments and variables.
    pub(super) fn start(program: &Path, folder: &Path, secret: &str) -> Scapegoat {
        let mut command = Command::new(program);
        command.arg("scapegoat").arg(secret).env("SECRET", secret).current_dir(folder).process_group(0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process more");
        let mut ready = [0; 5];
        child.stdout.as_mut().expect("a pipe").read_exact(&mut ready).expect("it is ready");
        let before = state_of(child.id());
        Scapegoat { child, before }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it, and returns what was done to it, if anything.
    pub(super) fn end(mut self) -> Option<String> {
        let after = state_of(self.id());
        if after != self.before {
            let _ = self.child.kill(); // it may be stopped, and could not end by itself
        }
        drop(self.child.stdin.take());
        let mut signals = String::new();
        let _ = self.child.stdout.take().expect("a pipe").read_to_string(&mut signals);
        let status = self.child.wait().expect("its end");
        if after != self.before {
            let lines = self.before.lines().zip(after.lines());
            let changed = lines.filter(|(before, after)| before != after).map(|(_, after)| after);
            return Some(format!("a process has changed: {}", changed.collect::<Vec<_>>().join("; ")));
        }
        match (signals.len(), status.signal()) {
            (0, None) => None,
            (_, Some(signal)) => Some(format!("a process died of signal {signal}")),
            (count, None) => Some(format!("a process got {count} signals")),
        }
    }
}

/// Reads everything about a process that others could change. A waiting process has the same state as before.
fn state_of(process: u32) -> String {
    let read = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or_default();
    let state = if matches!(field(3), "R" | "S" | "D") { "runs" } else { field(3) };
    let cores = read("status").lines().find(|line| line.starts_with("Cpus_allowed:")).map(str::to_owned);
    let [nice, policy] = [19, 41].map(field);
    let adjusted = read("oom_score_adj");
    format!(
        "state {state}\nnice {nice}\npolicy {policy}\n{}\noom_score_adj {}\n{}",
        cores.unwrap_or_default(),
        adjusted.trim(),
        read("limits")
    )
}
