//! Starts of a judge that differ in what must not matter: its name and folder, its environment, its process number, its
//! addresses, and its clocks.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use crate::Judge;
use crate::session::Source;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_sandbox::ClockShift;
use referee_table::process::{Program, Setup, Surroundings};

/// The starts of a judge in an examination, besides the usual ones.
#[derive(Debug)]
pub(super) struct Starts {
    _folder: TempDir,
    program: Program,
    judge: &'static Judge,
    /// Number of starts so far.
    count: u32,
    /// Number of starts since the process number is counted up; `None` before that.
    count_with_number: Option<u32>,
    /// Judges that were started early, since most of a game's time is the start: as usual.
    usual_sources: VecDeque<Source>,
    /// Likewise, started differently.
    different_sources: VecDeque<Source>,
    /// Why its clocks are not moved here; `None` if they are.
    pub(super) unmoved: Option<String>,
}

impl Starts {
    /// Copies the judge into a folder of another name.
    pub(super) fn of(judge: &'static Judge) -> Result<Starts, Error> {
        let copy = || -> io::Result<Starts> {
            let folder = tempfile::Builder::new().prefix("referee-").tempdir()?;
            let path: PathBuf = folder.path().join(judge.name);
            let mut to = File::create_new(&path)?;
            io::copy(&mut Spot::from(&*judge.file).open()?, &mut to)?;
            drop(to);
            fs::set_permissions(&path, PermissionsExt::from_mode(0o555))?;
            let program = Program::new(path, Vec::new());
            Ok(Starts {
                _folder: folder,
                program,
                judge,
                count: 0,
                count_with_number: None,
                usual_sources: VecDeque::new(),
                different_sources: VecDeque::new(),
                unmoved: None,
            })
        };
        copy().map_err(Error::system(&judge.file, "copy the judge"))
    }

    /// Returns how the judge is started as usual.
    pub(super) fn usual(&mut self) -> Source {
        while self.usual_sources.len() <= EARLY_STARTS {
            let source = self.judge.source();
            source.start_early();
            self.usual_sources.push_back(source);
        }
        self.usual_sources.pop_front().expect("one was just added")
    }

    /// Returns how the judge is started differently the next time.
    pub(super) fn different(&mut self) -> Source {
        while self.different_sources.len() <= EARLY_STARTS {
            let source = self.new_different();
            source.start_early();
            self.different_sources.push_back(source);
        }
        self.different_sources.pop_front().expect("one was just added")
    }

    /// Makes the process number grow by one with each further start. In the strict sandbox a judge has process numbers
    /// of its own.
    pub(super) fn count_process_numbers(&mut self) {
        self.count_with_number = Some(0);
        self.different_sources.clear();
    }

    /// Notes why clocks are not moved here.
    pub(super) fn leave_clocks(&mut self, why: &str) {
        self.unmoved = Some(why.to_owned());
        self.different_sources.clear();
    }

    fn new_different(&mut self) -> Source {
        self.count += 1;
        let processes_before = match self.count_with_number {
            Some(count) => {
                self.count_with_number = Some(count + 1);
                count
            }
            None => 1 + self.count % PROCESSES_MAX,
        };
        let mut path = std::env::var_os("PATH").unwrap_or_default();
        path.push(":/opt/elsewhere/bin");
        // Its length moves the addresses on the stack.
        let long = "x".repeat(777 + self.count as usize);
        let surroundings = Surroundings {
            variables: vec![("PATH".into(), path), ("ELSEWHERE".into(), long.into())],
            processes_before,
            clock: self.unmoved.is_none().then(|| shift(self.count)),
        };
        let setup = Setup { surroundings, ..self.judge.setup.clone() };
        Source::new(self.program.clone(), self.judge.description.patience, setup)
    }
}

/// Number of judges of a kind that are started before they are needed.
const EARLY_STARTS: usize = 1;

/// Maximum number of processes that are started before a judge, unless process numbers are counted. Each takes time.
const PROCESSES_MAX: u32 = 8;

/// Returns how the clocks are moved at a start. In 60 starts each second of a minute, each minute and each hour occurs,
/// and dates are spread over eleven years.
///
/// In half of the starts, time passes with each reading: four weeks, after which weekday, hour and minute are the same
/// again, or sometimes five seconds.
fn shift(start: u32) -> ClockShift {
    const DAY: u64 = 24 * 60 * 60;
    let start = u64::from(start);
    let ahead = start * 401 % 4001 * DAY + start * (60 * 60 + 60 + 1);
    let each_reading = [0, 28 * DAY, 0, 28 * DAY, 0, 5][(start % 6) as usize];
    ClockShift { ahead: Duration::from_secs(ahead), each_reading: Duration::from_secs(each_reading) }
}

/// Returns the greatest number N for which a difference in one of N starts is seen with a probability of 95 % in this
/// many starts.
pub(super) fn odds(starts: u32) -> u32 {
    // The probability that it is missed: (1 - 1 / N) ^ starts = 0.05.
    let difference = 1.0 - 0.05_f64.powf(1.0 / f64::from(starts.max(1)));
    (1.0 / difference) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn dates_of_all_kinds_occur_and_some_clocks_go_on() {
        let seconds = |start| shift(start).ahead.as_secs();
        for (unit, count) in [(1, 60), (60, 60), (60 * 60, 24), (24 * 60 * 60, 7)] {
            let all: BTreeSet<u64> = (0..=97).map(|start| seconds(start) / unit % count).collect();
            assert_eq!(all.len() as u64, count, "{unit}");
        }
        assert!((1..2000).all(|start| seconds(start) < 12 * 366 * 24 * 60 * 60));
        assert!((1..7).map(|start| shift(start).each_reading.as_secs()).any(|step| step == 5));
    }

    #[test]
    fn rare_differences_need_many_starts() {
        assert_eq!([97, 150, 770].map(odds), [32, 50, 257]);
        assert_eq!(odds(1), 1);
    }
}
