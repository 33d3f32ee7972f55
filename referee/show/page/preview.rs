//! The picture of a game that chats show with a link: the contest, the result, and the last board. It is a PNG, since
//! chats show no SVG.

use png::{BitDepth, ColorType, Encoder};

use crate::page::html::headline::headline;
use crate::page::lead::Lead;
use crate::page::picture;
use crate::page::picture::pixels::{Palette, Sheet};
use crate::view::scene::Scene;
use crate::view::story::Story;
use referee_record::Heading;
use referee_record::contents::Contents;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::{harmless, wrap};
use referee_rules::picture::{Paint, Picture, WIDTH};
use referee_rules::{Outcome, Seat};

/// Width and height in pixels: the smallest that chats show across their whole width.
pub const SIZE: (usize, usize) = (600, 315);

/// The space around the board and beside text, the height of a line, and the width of a letter.
const EDGE: usize = 12;
const LINE: usize = 22;
const LETTER: usize = 9;

/// The left edge of the board.
const BOARD: usize = SIZE.0 - SIZE.1 + EDGE;

/// Number of letters of a line beside the board.
const LETTERS: usize = (BOARD - 2 * EDGE) / LETTER;

/// Maximum number of lines of the headline, and of seats.
const HEADLINE: usize = 3;
const SEATS: usize = 7;

/// Returns the picture of a recorded game, as a PNG. `contest` is what the contest is called.
///
/// # Errors
///
/// If it is not a log, or lacks the answer of a seat.
pub fn draw(log: Contents, contest: &str) -> Result<Vec<u8>, Error> {
    let mut story = Story::open(log)?;
    let turns = story.turns();
    let scene = Scene::of(&mut story, turns)?;
    let palette = Palette::new();
    let pixels = draw_sheet(&scene, contest).shrunk(&palette);
    let mut picture = Vec::new();
    let mut encoder = Encoder::new(&mut picture, SIZE.0 as u32, SIZE.1 as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.colours.concat());
    let failed = |error| Error::because(ErrorKind::System, error);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).map_err(failed)?;
    Ok(picture)
}

/// Draws the texts on the left and the board on the right.
fn draw_sheet(scene: &Scene, contest: &str) -> Sheet {
    let mut sheet = Sheet::new(SIZE.0, SIZE.1);
    let seats = scene.heading.bots.len();
    let mut y = EDGE;
    let mut write = |sheet: &mut Sheet, x: usize, text: &str, paint| {
        sheet.write((x, y), text, paint);
        y += LINE;
        y - LINE
    };
    if Sheet::can_write(contest) {
        write(&mut sheet, EDGE, &harmless(contest, LETTERS), Paint::Soft);
    }
    for line in lines(&title(&scene.heading, scene.outcome.as_ref())) {
        write(&mut sheet, EDGE, &line, Paint::Ink);
    }
    let turns = format!("{}, {} turns", scene.heading.rules, scene.turns);
    write(&mut sheet, EDGE, &harmless(&turns, LETTERS), Paint::Soft);
    let unit = WIDTH / SIZE.0 as f64;
    let mut tokens = Picture::new(0.0);
    let mut order: Vec<Seat> = Seat::first(seats).collect();
    order.sort_by_key(|seat| scene.outcome.as_ref().map_or(0, |outcome| outcome.place(*seat)));
    for seat in order.iter().take(SEATS) {
        let score = scene.score(*seat).map_or(String::new(), |score| format!(" {score}"));
        let room = (LETTERS - 2).saturating_sub(score.len());
        let name = Sheet::name(&scene.heading.bots[*seat].name, *seat, room);
        let top = write(&mut sheet, EDGE + 2 * LETTER, &(name + &score), Paint::Ink);
        tokens.token(*seat, ((EDGE + 6) as f64 * unit, (top + 9) as f64 * unit), 6.0 * unit);
    }
    if seats > SEATS {
        write(&mut sheet, EDGE + 2 * LETTER, &format!("and {} more", seats - SEATS), Paint::Soft);
    }
    sheet.draw(&tokens, seats, 0);
    // A board that is higher than wide is made smaller; one that is wider is in the middle.
    let board = picture::draw(scene);
    let room = (SIZE.1 - 2 * EDGE) as f64;
    let width = room.min(room * WIDTH / board.height);
    let height = board.height / WIDTH * width;
    let (left, top) = (BOARD as f64 + (room - width) / 2.0, EDGE as f64 + (room - height) / 2.0);
    sheet.draw_at(&board, seats, (left, top), width);
    sheet
}

/// Says who has won, in the lines of the headline. Of several winners with long names, it has only the number.
fn title(heading: &Heading, outcome: Option<&Outcome>) -> String {
    let mut heading = heading.clone();
    for seat in Seat::first(heading.bots.len()) {
        heading.bots[seat].name = Sheet::name(&heading.bots[seat].name, seat, LETTERS);
    }
    let title = headline(&heading, outcome, Lead::default(), None);
    let first = outcome.map_or(0, |outcome| {
        Seat::first(heading.bots.len()).filter(|seat| outcome.place(*seat) == 1).count()
    });
    if wrap(&title, LETTERS).len() > HEADLINE && first > 1 {
        format!("{first} bots share the first place")
    } else {
        harmless(&title, HEADLINE * LETTERS)
    }
}

/// Divides a text into the lines of the headline, at blanks where there are some. The rest is left out.
fn lines(text: &str) -> Vec<String> {
    let mut lines = wrap(text, LETTERS);
    lines.truncate(HEADLINE);
    lines.iter().map(|line| harmless(line, LETTERS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_picture_keeps_both_ends_and_one_without_letters_has_its_seat() {
        let name = |name: &str| Sheet::name(name, Seat::new(3), 20);
        assert_eq!(name("fox"), "fox");
        assert_eq!(name("the-quick-brown-fox-jumps-7"), "the-quick-b...umps-7");
        let same = ["the-quick-brown-fox-jumps-over-7", "the-quick-brown-fox-jumps-over-8"].map(name);
        assert_ne!(same[0], same[1], "they can be told apart");
        for strange in ["\u{5317}\u{4eac}", "fox-\u{628}\u{648}\u{62a}"] {
            assert_eq!(name(strange), "bot 3", "no question marks");
        }
    }

    #[test]
    fn a_headline_has_few_lines_that_fit_beside_the_board() {
        for text in ["fox wins", "", &"word ".repeat(40), &"x".repeat(200)] {
            let lines = lines(text);
            assert!(lines.len() <= HEADLINE, "{lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= LETTERS), "{lines:?}");
        }
        assert_eq!(lines("a-long-name and another-long-name share").len(), 2);
    }
}
