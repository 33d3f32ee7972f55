//! A recorded game as an animated GIF: the board of the page, turn by turn, with turn and scores above it.

use std::borrow::Cow;
use std::io::Write;
use std::ops::RangeInclusive;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use crate::page::picture;
use crate::page::picture::pixels::{Palette, Sheet};
use crate::view::scene::Scene;
use crate::view::story::Story;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::harmless;
use referee_rules::Seat;
use referee_rules::picture::{Paint, Picture, WIDTH};

/// The width in pixels, and the height of a line of text.
const SIZE: usize = 600;
const LINE: usize = 20;

/// The space beside text, the number of columns of scores, and the maximum number of their rows.
const EDGE: usize = 8;
const COLUMNS: usize = 3;
const ROWS: usize = 3;

/// Maximum number of letters of a line, and of a name with its score.
const LETTERS: usize = 64;
const ENTRY: usize = 18;

/// Maximum number of pictures: a longer game skips turns.
const PICTURES_MAX: u32 = 600;

/// Durations in hundredths of a second: of the whole animation, about; of a picture, least and most; of the last one.
const WHOLE: u32 = 6000;
const EACH: (u32, u32) = (4, 50);
const LAST: u16 = 300;

/// The number of pixels that are the same as in the previous picture. It makes the file much shorter.
const SAME: u8 = 255;

/// The animation that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Number of pictures.
    pub pictures: u32,
    /// Turns from one picture to the next.
    pub step: u32,
}

/// Writes the positions after these numbers of turns as an animation that repeats.
pub fn write(
    story: &mut Story,
    turns: RangeInclusive<u32>,
    hidden: bool,
    out: impl Write,
) -> Result<Written, Error> {
    let (first, last) = turns.into_inner();
    let step = (last - first).div_ceil(PICTURES_MAX).max(1);
    let shown: Vec<u32> = (first..last).step_by(step as usize).chain([last]).collect();
    let pictures = shown.len() as u32;
    let delay = (WHOLE / pictures).clamp(EACH.0, EACH.1) as u16;
    let palette = Palette::new();
    let mut colours = palette.colours.concat();
    colours.resize(3 * (usize::from(SAME) + 1), 0);
    let above = LINE * (1 + rows(story.heading().bots.len())) + EDGE;
    // Its height is that of the first board; a scene that grows is cut off.
    let board = picture::draw(&Scene::of(story, first)?);
    let height = above + (board.height / WIDTH * SIZE as f64).ceil().min(1200.0) as usize;
    let size = (SIZE as u16, height as u16);
    let mut encoder = Encoder::new(out, size.0, size.1, &colours).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut before: Vec<u8> = Vec::new();
    for turns in shown {
        let scene = Scene { hidden, ..Scene::of(story, turns)? };
        let now = draw(&scene, height, above).shrunk(&palette);
        let delay = if turns == last { LAST } else { delay };
        encoder.write_frame(&difference(&before, &now, size, delay)).map_err(failed)?;
        before = now;
    }
    Ok(Written { pictures, step })
}

fn failed(error: EncodingError) -> Error {
    Error::because(ErrorKind::System, error)
}

/// Returns the number of rows of scores.
fn rows(seats: usize) -> usize {
    seats.div_ceil(COLUMNS).min(ROWS)
}

/// Draws a moment: the turn, the scores, the board.
fn draw(scene: &Scene, height: usize, above: usize) -> Sheet {
    let mut sheet = Sheet::new(SIZE, height);
    let seats = scene.heading.bots.len();
    let turn = match scene.total {
        Some(total) => format!("{}   turn {} of {total}", scene.heading.game, scene.turns),
        None => format!("{}   turn {}", scene.heading.game, scene.turns),
    };
    sheet.write((EDGE, 2), &harmless(&turn, LETTERS), Paint::Ink);
    let mut shapes = Picture::new(0.0);
    let unit = WIDTH / SIZE as f64;
    let room = COLUMNS * ROWS;
    for (place, seat) in Seat::first(seats).take(room).enumerate() {
        let (x, y) = (EDGE + place % COLUMNS * (SIZE / COLUMNS), LINE * (1 + place / COLUMNS));
        if place + 1 == room && seats > room {
            sheet.write((x, y), &format!("and {} more", seats - place), Paint::Soft);
            break;
        }
        let score = scene.score(seat).map_or(String::new(), |score| format!(" {score}"));
        let name = Sheet::name(&scene.heading.bots[seat].name, seat, ENTRY.saturating_sub(score.len()));
        sheet.write((x + 18, y), &(name + &score), Paint::Ink);
        shapes.token(seat, ((x + 7) as f64 * unit, (y + 9) as f64 * unit), 6.0 * unit);
    }
    sheet.draw(&shapes, seats, 0);
    sheet.draw(&picture::draw(scene), seats, above);
    sheet
}

/// Returns a picture with only the pixels that differ from the picture before.
fn difference(before: &[u8], now: &[u8], size: (u16, u16), delay: u16) -> Frame<'static> {
    let buffer = if before.is_empty() {
        now.to_vec()
    } else {
        now.iter().zip(before).map(|(now, before)| if now == before { SAME } else { *now }).collect()
    };
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(SAME),
        width: size.0,
        height: size.1,
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}
