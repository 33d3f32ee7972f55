//! A recorded game on the screen, through which the user moves with keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use referee_record::error::{Error, ErrorKind};
use referee_rules::Seat;
use referee_show::view::scene::Scene;
use referee_show::view::screen::{HELP, Panel, Screen};
use referee_show::view::story::{HappeningKind, Mark, Story};
use referee_table::clock::{Clock, Moment};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::screen::keys::{Input, Key};
use crate::screen::terminal::Terminal;

/// Speeds to choose from, in turns a second.
const SPEEDS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// Index of the speed at the beginning.
const FIRST_SPEED: usize = 3;

/// The shortest time for which a position is shown. At a greater speed, turns are skipped.
const PICTURE_MIN: Duration = Duration::from_millis(50);

/// Time between two looks at the flag that ends the program.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

const KEYS: &str = "space play  <-> step  nN event  fF fault  g turn  w who  a wire  ? help  q quit";

/// Shows a recorded game, from the position after this number of turns, until the user quits.
pub(crate) fn view(story: Story, turns: u32, hidden: bool) -> anyhow::Result<()> {
    let stop = stop_flag()?;
    let mut terminal = Terminal::open()?;
    let mut viewer = Viewer::new(story, turns, hidden);
    let clock = Clock::start();
    let mut next_turn = Moment::default();
    loop {
        let size = terminal.size();
        let scene = viewer.scene()?;
        terminal.paint(viewer.screen(&scene).draw(size.0, size.1))?;
        let last_line = viewer.screen(&scene).last_line(size.0, size.1);
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Stopped, "stopped".to_owned()).into());
            }
            let left = if viewer.is_playing { next_turn - clock.now() } else { LOOK_INTERVAL };
            match terminal.wait(left.min(LOOK_INTERVAL))? {
                Some(Input::Interrupt) => {
                    return Err(Error::new(ErrorKind::Stopped, "stopped by Ctrl-C".to_owned()).into());
                }
                Some(Input::Resized) => break,
                Some(Input::Key(key)) => {
                    if viewer.press(key, size, last_line)? == Next::Quit {
                        return Ok(());
                    }
                    next_turn = clock.now() + viewer.pace().0;
                    break;
                }
                None if viewer.is_playing && clock.now() >= next_turn => {
                    viewer.play();
                    next_turn = clock.now() + viewer.pace().0;
                    break;
                }
                None => {}
            }
        }
    }
}

/// Returns a flag that is set when the program is asked to end.
fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot watch for signals")?;
    }
    Ok(stop)
}

/// What follows a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Stay,
    Quit,
}

/// The state of the screen: the game, its position, and how it is shown.
struct Viewer {
    story: Story,
    turns: u32,
    hidden: bool,
    is_playing: bool,
    speed: usize,
    panel: Panel,
    /// The number of a turn, while it is being typed.
    entry: Option<String>,
    /// A message about the last key; empty if there is none.
    note: &'static str,
    mood: String,
    keys: String,
}

impl Viewer {
    fn new(story: Story, turns: u32, hidden: bool) -> Viewer {
        Viewer {
            turns: turns.min(story.turns()),
            story,
            hidden,
            is_playing: false,
            speed: FIRST_SPEED,
            panel: Panel::Board,
            entry: None,
            note: "",
            mood: String::new(),
            keys: String::new(),
        }
    }

    fn scene(&mut self) -> anyhow::Result<Scene> {
        let scene = Scene { hidden: self.hidden, ..Scene::of(&mut self.story, self.turns)? };
        if let Panel::Answers { questions, .. } = &mut self.panel {
            questions.clear();
            for reply in scene.turn.iter().flat_map(|turn| &turn.replies) {
                let turn = self.turns.saturating_sub(1);
                questions.extend(self.story.question(turn, reply.seat)?.map(|line| (reply.seat, line)));
            }
        }
        let how = if self.is_playing { "playing" } else { "paused" };
        self.mood = match self.note {
            "" => format!("{how}, {} turns/s", SPEEDS[self.speed]),
            note => note.to_owned(),
        };
        self.keys = match &self.entry {
            Some(digits) => {
                format!("go to turn (0 to {}): {digits}_   Enter: go, Esc: stay", self.story.turns())
            }
            None => KEYS.to_owned(),
        };
        Ok(scene)
    }

    fn screen<'a>(&'a self, scene: &'a Scene) -> Screen<'a> {
        let Viewer { panel, mood, keys, .. } = self;
        Screen { scene, marks: self.story.marks(), panel, mood, keys }
    }

    /// Returns the time for which a position is shown, and the number of turns to the next one.
    fn pace(&self) -> (Duration, u32) {
        let speed = SPEEDS[self.speed];
        let time = Duration::from_secs(1) / speed;
        if time >= PICTURE_MIN { (time, 1) } else { (PICTURE_MIN, speed / 20) }
    }

    fn play(&mut self) {
        self.move_by(i64::from(self.pace().1));
        if self.turns == self.story.turns() {
            self.is_playing = false;
        }
    }

    fn move_by(&mut self, turns: i64) {
        let turns = (i64::from(self.turns) + turns).clamp(0, self.story.turns().into());
        self.turns = turns as u32;
        self.scroll_to(0);
    }

    fn press(&mut self, key: Key, size: (usize, usize), last_line: usize) -> anyhow::Result<Next> {
        self.note = "";
        if self.entry.is_some() {
            self.type_number(key);
            return Ok(Next::Stay);
        }
        let is_list = matches!(self.panel, Panel::Words { .. } | Panel::Answers { .. });
        if is_list && self.scroll(key, size.1, last_line) {
            return Ok(Next::Stay);
        }
        let was_playing = std::mem::take(&mut self.is_playing);
        match key {
            Key::Char(' ') => {
                if self.turns == self.story.turns() && !was_playing {
                    self.turns = 0;
                }
                self.is_playing = !was_playing;
            }
            Key::Right | Key::Char('l' | '.') => self.move_by(1),
            Key::Left | Key::Char('h' | ',') => self.move_by(-1),
            Key::PageDown => self.move_by(10),
            Key::PageUp => self.move_by(-10),
            Key::Home => self.move_by(i64::MIN / 2),
            Key::End => self.move_by(i64::MAX / 2),
            Key::Char('n') => self.jump(true, |_| true),
            Key::Char('N') => self.jump(false, |_| true),
            Key::Char('f') => self.jump(true, |mark| mark.kind == HappeningKind::Fault),
            Key::Char('F') => self.jump(false, |mark| mark.kind == HappeningKind::Fault),
            Key::Char('g') => self.entry = Some(String::new()),
            // Other keys do not stop the game.
            key => {
                self.is_playing = was_playing;
                return Ok(self.press_other(key));
            }
        }
        Ok(Next::Stay)
    }

    fn press_other(&mut self, key: Key) -> Next {
        match key {
            Key::Char('+' | '=') | Key::Up => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            Key::Char('-') | Key::Down => self.speed = self.speed.saturating_sub(1),
            Key::Char('t') => self.hidden = !self.hidden,
            Key::Char('w') => self.toggle(Panel::Words { from: 0, seat: None }),
            Key::Char('a') => self.toggle(Panel::Answers { from: 0, questions: Vec::new() }),
            Key::Char('s') => self.next_seat(),
            Key::Char('?') => self.toggle(Panel::Help(HELP)),
            Key::Char('q') | Key::Esc if self.panel == Panel::Board => return Next::Quit,
            Key::Char('q') | Key::Esc => self.panel = Panel::Board,
            _ => {}
        }
        Next::Stay
    }

    /// Opens a panel, or closes it if it is open.
    fn toggle(&mut self, panel: Panel) {
        let is_open = std::mem::discriminant(&self.panel) == std::mem::discriminant(&panel);
        self.panel = if is_open { Panel::Board } else { panel };
    }

    /// Shows the next seat only: first all seats, then each in turn, then all again.
    fn next_seat(&mut self) {
        if let Panel::Words { from, seat } = &mut self.panel {
            let next = seat.map_or(0, |seat| seat.index() + 1);
            *seat = (next < self.story.info().seats).then(|| Seat::new(next));
            *from = 0;
        }
    }

    /// Moves a list. Tells whether the key is for that.
    fn scroll(&mut self, key: Key, height: usize, last_line: usize) -> bool {
        let (Panel::Words { from, .. } | Panel::Answers { from, .. }) = &self.panel else { return false };
        let page = height.saturating_sub(6).max(1);
        let to = match key {
            Key::Up => from.saturating_sub(1),
            Key::Down => from + 1,
            Key::PageUp => from.saturating_sub(page),
            Key::PageDown => from + page,
            Key::Home => 0,
            Key::End => last_line,
            _ => return false,
        };
        self.scroll_to(to.min(last_line));
        true
    }

    fn scroll_to(&mut self, line: usize) {
        if let Panel::Words { from, .. } | Panel::Answers { from, .. } = &mut self.panel {
            *from = line;
        }
    }

    /// Goes to the position right after the nearest event that counts, in this direction.
    fn jump(&mut self, is_forward: bool, counts: impl Fn(&Mark) -> bool) {
        let marks = self.story.marks();
        let nearest = if is_forward {
            let first = marks.partition_point(|mark| mark.turn < self.turns);
            marks[first..].iter().find(|mark| counts(mark))
        } else {
            let end = marks.partition_point(|mark| mark.turn + 1 < self.turns);
            marks[..end].iter().rfind(|mark| counts(mark))
        };
        match nearest {
            Some(mark) => self.move_by(i64::from(mark.turn) + 1 - i64::from(self.turns)),
            None => self.note = if is_forward { "none after this" } else { "none before this" },
        }
    }

    fn type_number(&mut self, key: Key) {
        let Some(digits) = &mut self.entry else { return };
        match key {
            Key::Char(digit) if digit.is_ascii_digit() && digits.len() < 9 => digits.push(digit),
            Key::Backspace => {
                digits.pop();
            }
            Key::Enter => {
                if let Ok(turns) = digits.parse::<u32>() {
                    self.turns = turns.min(self.story.turns());
                    self.scroll_to(0);
                }
                self.entry = None;
            }
            Key::Esc => self.entry = None,
            _ => {}
        }
    }
}
