//! `referee play --watch`: a game on the screen while it is played.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::addition::Watching;
use clap::{ArgMatches, Args, FromArgMatches};

use referee_contest::runner::watch::{Broadcast, Pace, WatchEvent};
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::play::position::Position;
use referee_record::play::replay;
use referee_rules::Events;
use referee_rules::game::Game;
use referee_show::view::scene::Scene;
use referee_show::view::screen::{Panel, Screen};
use referee_show::view::story::{Vocabulary, made_harmless, tell_turn};

use crate::screen::keys::{Input, Key};
use crate::screen::terminal::Terminal;

/// Whether games are shown while they are played, and how fast.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct WatchOptions {
    /// Show the game in the terminal while it is played; bots are charged the same
    #[arg(long, conflicts_with_all = ["stderr", "jobs"])]
    watch: bool,
    /// Delay between turns while watching, such as 100ms or 1s (0: none)
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = pace, requires = "watch")]
    pace: Duration,
}

/// Makes a screen of the terminal, if an option of `referee play GAME` asks for it.
pub(crate) fn start(matches: &ArgMatches, stop: &Arc<AtomicBool>) -> anyhow::Result<Option<Watching>> {
    let WatchOptions { watch: true, pace: delay } = WatchOptions::from_arg_matches(matches)? else {
        return Ok(None);
    };
    if !Terminal::is_there() {
        let what = "--watch needs a terminal on standard output; play without it, and look at the log with \
                    `referee replay`";
        return Err(Error::input(what.to_owned()).into());
    }
    let terminal = Terminal::open()?;
    let (broadcast, events, pace) = Broadcast::new(delay);
    let stop = Arc::clone(stop);
    let screen = thread::spawn(move || show(terminal, &events, &pace, delay, &stop));
    Ok(Some((broadcast, screen)))
}

/// Reads a time: `100ms`, `1s`, `0`.
fn pace(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, Duration::from_millis(1)),
        None => (text.strip_suffix('s').unwrap_or(text), Duration::from_secs(1)),
    };
    // Only 0 needs no unit.
    let has_unit = number.len() < text.len();
    let count = number.parse::<u32>().ok().filter(|count| has_unit || *count == 0);
    let time =
        count.and_then(|count| unit.checked_mul(count)).filter(|time| *time <= Duration::from_secs(60));
    time.ok_or_else(|| "write a time up to a minute, such as 100ms or 1s, or 0".to_owned())
}

/// Time between two drawings, if no key is pressed.
const DRAW_INTERVAL: Duration = Duration::from_millis(40);

/// The shortest delay between two turns, apart from none.
const DELAY_MIN: Duration = Duration::from_millis(1);

const KEYS: &str = "space pause  + - speed  w who  t secrets  ? help  q leave  Ctrl-C give up";

const HELP: &[&str] = &[
    "space            pause, play on",
    "+ -              faster, slower",
    "w                what each bot does, and back",
    "t                show hidden information, if the game has any",
    "?                this help, and back",
    "q Esc            back to the board; from there, leave: the games are played on",
    "Ctrl-C           give up the games that are not over",
];

const KEYS_AT_THE_END: &str = "The game is over.  w who did what  q go on";

/// Shows games while they are played. The end of the last one stays until the user leaves. Sets `stop`, by which the
/// games are given up, on Ctrl-C or if the terminal is gone. On return, games no longer wait for the screen.
fn show(
    terminal: Terminal,
    events: &Receiver<WatchEvent>,
    pace: &Pace,
    delay: Duration,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let watcher =
        Watcher { terminal, pace, delay, is_paused: false, panel: Panel::Board, shows_hidden: false };
    let _release = Release(pace);
    let result = watcher.run(events, stop);
    if result.is_err() {
        stop.store(true, Ordering::Relaxed);
    }
    result
}

/// Lets games go on at full speed when the screen ends, for any reason.
struct Release<'a>(&'a Pace);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// The screen, as the user has set it.
struct Watcher<'a> {
    terminal: Terminal,
    pace: &'a Pace,
    /// The delay between two turns.
    delay: Duration,
    is_paused: bool,
    panel: Panel,
    shows_hidden: bool,
}

impl Watcher<'_> {
    fn run(mut self, events: &Receiver<WatchEvent>, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
        let (mut live, mut is_over) = (None, false);
        loop {
            is_over |= take(events, &mut live);
            if stop.load(Ordering::Relaxed) || (is_over && live.is_none()) {
                return Ok(());
            }
            if let Some(Live { scene, .. }) = &mut live {
                scene.hidden = self.shows_hidden;
                let mood = match (is_over, self.is_paused, self.delay) {
                    (true, ..) => String::new(),
                    (_, true, _) => "paused".to_owned(),
                    (.., Duration::ZERO) => "as fast as it goes".to_owned(),
                    (.., delay) => format!("{} ms between turns", delay.as_millis()),
                };
                let keys = if is_over { KEYS_AT_THE_END } else { KEYS };
                let screen = Screen { scene, marks: &[], panel: &self.panel, mood: &mood, keys };
                let (width, height) = self.terminal.size();
                self.terminal.paint(screen.draw(width, height))?;
            }
            match self.terminal.wait(DRAW_INTERVAL)? {
                Some(Input::Interrupt) if is_over => return Ok(()),
                Some(Input::Interrupt) => stop.store(true, Ordering::Relaxed),
                Some(Input::Key(Key::Char('q') | Key::Esc)) if self.panel == Panel::Board => {
                    return Ok(());
                }
                Some(Input::Key(key)) => self.press(key),
                Some(Input::Resized) | None => {}
            }
        }
    }

    fn press(&mut self, key: Key) {
        match key {
            Key::Char(' ') => self.is_paused = !self.is_paused,
            Key::Char('+' | '=') => {
                self.delay = if self.delay <= DELAY_MIN { Duration::ZERO } else { self.delay / 2 };
            }
            Key::Char('-') => self.delay = (self.delay * 2).clamp(DELAY_MIN, Duration::from_secs(60)),
            Key::Char('t') => self.shows_hidden = !self.shows_hidden,
            Key::Char('w') if self.panel == Panel::Board => {
                self.panel = Panel::Words { from: 0, seat: None };
            }
            Key::Char('?') if self.panel == Panel::Board => self.panel = Panel::Help(HELP),
            Key::Char('w' | 'q' | '?') | Key::Esc => self.panel = Panel::Board,
            _ => return,
        }
        self.pace.set(self.delay, self.is_paused);
    }
}

/// A game in progress: played a second time, with the answers of the first.
struct Live {
    game: Box<dyn Game>,
    vocabulary: Vocabulary,
    scene: Scene,
}

/// Takes the events that have come so far. Tells whether no more will come.
fn take(events: &Receiver<WatchEvent>, live: &mut Option<Live>) -> bool {
    let mut last_answers: Option<Vec<Answer>> = None;
    let is_over = loop {
        match events.try_recv() {
            Ok(WatchEvent::Begins(heading, game)) => {
                last_answers = None;
                let heading = made_harmless(heading);
                let vocabulary = Vocabulary::of(&heading);
                let scene = Scene {
                    heading,
                    turns: 0,
                    total: None,
                    position: Position::of(&*game),
                    turn: None,
                    outcome: None,
                    hidden: false,
                };
                *live = Some(Live { game, vocabulary, scene });
            }
            Ok(WatchEvent::Turn(answers)) => {
                // Only the last turn is put into words, since only that is shown. Earlier turns are only played.
                if let (Some(Live { game, .. }), Some(earlier)) =
                    (live.as_mut(), last_answers.replace(answers))
                {
                    replay::advance(&mut **game, &earlier, &mut Events::default(), None, |_, _, _| {});
                }
            }
            Err(TryRecvError::Empty) => break false,
            Err(TryRecvError::Disconnected) => break true,
        }
    };
    if let (Some(Live { game, vocabulary, scene }), Some(answers)) = (live, last_answers) {
        scene.position = Position::of(&**game);
        scene.turn = Some(tell_turn(&mut **game, &answers, &mut scene.position, vocabulary));
        scene.turns = game.turn();
        scene.outcome = game.outcome();
    }
    is_over
}
