//! Recorded games, played again: for comparison, export, reruns and stories.

pub mod audit;
pub mod repeat;
pub mod rerun;

use std::path::Path;

use crate::Answer;
use crate::Heading;
use crate::contents::Contents;
use crate::error::{Error, ErrorKind};
use crate::read::{Bookmark, LogReader};
use referee_games::catalog;
use referee_rules::game::Game;
use referee_rules::{Events, Fault, Narrator, Parameters, Seat};

/// A recorded game that is played again, turn by turn.
#[derive(Debug)]
pub struct Replay {
    game: Box<dyn Game>,
    reader: LogReader,
    answers: Vec<Answer>,
    /// The log can be that of a game that was given up.
    may_end_early: bool,
}

/// A game, and the answers of the turn that comes next.
pub type GameAndAnswers<'a> = (&'a mut dyn Game, &'a [Answer]);

/// A turn of a recorded game at which its replay can be taken up again.
#[derive(Debug)]
pub struct Keyframe {
    game: Box<dyn Game>,
    place: Bookmark,
}

impl Keyframe {
    /// Returns the number of the turn.
    pub fn turn(&self) -> u32 {
        self.game.turn()
    }
}

impl Replay {
    /// Opens the log of a game. It can be the unfinished log of a game that was given up.
    pub fn open(log: Contents) -> Result<(Replay, Heading), Error> {
        let (game, reader, heading) = open(log)?;
        Ok((Replay { game, reader, answers: Vec::new(), may_end_early: true }, heading))
    }

    /// Opens the log of a game that was played to its end. If it was not, reading past its last turn is an error.
    pub fn open_whole(log: Contents) -> Result<(Replay, Heading), Error> {
        let (replay, heading) = Replay::open(log)?;
        Ok((Replay { may_end_early: false, ..replay }, heading))
    }

    /// Returns the game in its present position.
    pub fn game(&mut self) -> &mut dyn Game {
        &mut *self.game
    }

    /// Reads the answers of the turn that comes next, and returns the game and the answers, for [`advance`]. `None`:
    /// the game is over, or the log of a game that was given up ends here.
    pub fn next_turn(&mut self) -> Result<Option<GameAndAnswers<'_>>, Error> {
        if let Some(why) = self.game.trouble() {
            return Err(Error::new(ErrorKind::Failed, why.to_string()));
        }
        self.reader.allow_events(self.game.events_of_last_turn());
        if self.game.asked().is_empty() || (self.may_end_early && self.is_at_the_end()?) {
            return Ok(None);
        }
        let Replay { game, reader, answers, .. } = self;
        read_answers(reader, game.turn(), game.asked(), answers, |_| Ok(()))?;
        Ok(Some((&mut **game, answers)))
    }

    /// Returns a keyframe of the turn that comes next.
    pub fn keyframe(&self) -> Keyframe {
        Keyframe { game: self.game.copied(), place: self.reader.bookmark() }
    }

    /// Continues from a keyframe.
    pub fn go_to(&mut self, keyframe: &Keyframe) -> Result<(), Error> {
        self.game = keyframe.game.copied();
        self.reader.go_to(&keyframe.place)
    }

    /// Tells whether the log has no more rows but draws and effects of the last turn.
    fn is_at_the_end(&mut self) -> Result<bool, Error> {
        self.reader.skip_events()?;
        Ok(self.reader.peek()?.is_none())
    }
}

/// Plays a turn with its recorded answers. `judged` is called with each answer, the game before the turn, and the
/// verdict. Afterwards `events` contains the events of the turn; `say`, if there is one, is called with its narration.
pub fn advance(
    game: &mut dyn Game,
    answers: &[Answer],
    events: &mut Events,
    say: Option<&mut Narrator<'_>>,
    mut judged: impl FnMut(&dyn Game, &Answer, Option<Fault>),
) {
    for answer in answers {
        let verdict = game.answer(answer.seat, answer.given());
        judged(game, answer, verdict);
    }
    events.clear();
    match say {
        Some(say) => game.resolve_telling(events, say),
        None => game.resolve(events),
    }
}

/// Reads the answers of all seats that were asked in a turn. `check` finds impossible answers.
fn read_answers(
    reader: &mut LogReader,
    turn: u32,
    asked: &[Seat],
    answers: &mut Vec<Answer>,
    mut check: impl FnMut(&Answer) -> Result<(), String>,
) -> Result<(), Error> {
    answers.resize_with(asked.len(), || Answer::empty(Seat::new(0)));
    for (answer, seat) in answers.iter_mut().zip(asked) {
        answer.seat = *seat;
        // Draws and effects are computed and compared, not read.
        reader.answer(turn, *seat, answer)?;
        check(answer).map_err(|what| reader.wrong_answer(answer, what))?;
    }
    Ok(())
}

/// Opens a log: the game before its first turn, the reader of its rows, and the heading.
///
/// # Errors
///
/// If it does not begin as the log of a game does, or this program does not have the game.
pub fn open(log: Contents) -> Result<(Box<dyn Game>, LogReader, Heading), Error> {
    let path = log.name().to_owned();
    let (reader, heading) = LogReader::open(log)?;
    let game = game_of(&path, &heading)?;
    Ok((game, reader, heading))
}

/// Sets up the game of a log.
pub fn game_of(path: &Path, heading: &Heading) -> Result<Box<dyn Game>, Error> {
    let wrong = |what: String| Error::file(path, what);
    let entry = catalog::find(&heading.rules)
        .map_err(|error| wrong(format!("{error}; read it with the program that has this game")))?;
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in &heading.parameters {
        parameters.set_text(name, value).map_err(|error| wrong(error.to_string()))?;
    }
    // Each once, in their order, and each value in its form. A game can have got more parameters since.
    let mut expected = parameters.iter();
    for (name, value) in &heading.parameters {
        if !expected.any(|(other, set)| other == name && set.to_string() == *value) {
            return Err(wrong(format!(
                "parameter {name}={value} is there twice, out of order, or in another form"
            )));
        }
    }
    let Some(game) = entry.start_by_version(&parameters, heading.seed, heading.version) else {
        let version = entry.info(&parameters).version;
        return Err(wrong(format!(
            "played by version {} of the rules; this program has version {version}",
            heading.version
        )));
    };
    let info = game.info();
    if info.seats != heading.bots.len() {
        return Err(wrong(format!("{} seats instead of {}", heading.bots.len(), info.seats)));
    }
    Ok(game)
}
