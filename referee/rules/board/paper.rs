//! A drawing on paper, for the tests of boards.

use super::{Board, Ink, Pen, Situation};
use crate::{Fact, Occurrence, Position, Seat, Thing};

/// Signs and their ink.
#[derive(Clone, Debug)]
pub struct Paper(Vec<Vec<(char, Ink)>>);

impl Pen for Paper {
    fn write(&mut self, x: usize, y: usize, text: &str, ink: Ink) -> usize {
        for (place, letter) in self.0[y][x..].iter_mut().zip(text.chars()) {
            *place = (letter, ink);
        }
        x + text.chars().count()
    }
}

impl Paper {
    /// Draws a position of these facts, with its secrets.
    pub fn drawn(board: &Board, drawing: usize, facts: Vec<Fact>, occurrences: &[Occurrence]) -> Paper {
        let position = &Position::new(facts);
        Paper::of(board, drawing, &Situation { position, occurrences, changes: &[], hidden: true })
    }

    /// Draws on a paper of exactly the size of the board.
    pub fn of(board: &Board, drawing: usize, situation: &Situation<'_>) -> Paper {
        let (width, height) = board.drawings[drawing].size;
        let mut paper = Paper(vec![vec![(' ', Ink::PLAIN); width]; height]);
        (board.draw)(situation, drawing, &mut paper, (0, 0));
        paper
    }

    /// Returns the lines, without the spaces at their ends.
    pub fn lines(&self) -> Vec<String> {
        let line = |line: &Vec<(char, Ink)>| line.iter().map(|(letter, _)| letter).collect::<String>();
        self.0.iter().map(|signs| line(signs).trim_end().to_owned()).collect()
    }

    /// Lists the columns and rows of the signs with this ink.
    pub fn places(&self, is_such: impl Fn(Ink) -> bool) -> Vec<(usize, usize)> {
        let row = |(y, line): (usize, &Vec<(char, Ink)>)| {
            (0..line.len()).filter(|x| is_such(line[*x].1)).map(|x| (x, y)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(row).collect()
    }
}

/// Returns a fact.
pub fn fact(thing: Thing, seat: Option<usize>, index: Option<usize>, value: i64) -> Fact {
    Fact { thing, seat: seat.map(Seat::new), index, value }
}
