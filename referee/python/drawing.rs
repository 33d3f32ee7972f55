//! Pictures of a game: its board for terminals as text, and the same characters as pixels.

use font8x8::legacy::BASIC_LEGACY;
use referee_rules::Position;
use referee_rules::board::{Board, Situation};
use referee_rules::game::Game;
use referee_view::canvas::{Canvas, Hue, Ink};

/// Columns and rows of pixels of a character.
const CHARACTER: (usize, usize) = (8, 16);

/// The colour of the background.
const PAPER: [u8; 3] = [16, 18, 24];

/// The colours of seats, in turn.
const SEATS: [[u8; 3]; 8] = [
    [255, 107, 107],
    [92, 168, 255],
    [96, 211, 148],
    [255, 209, 102],
    [199, 146, 234],
    [255, 159, 67],
    [72, 219, 251],
    [244, 143, 177],
];

/// Draws a game in its most detailed way. `hidden` shows information that no bot has.
pub(crate) fn canvas(game: &dyn Game, board: Board, hidden: bool) -> Canvas {
    let position = &Position::of(game);
    let (width, height) = board.drawings[0].size;
    let mut canvas = Canvas::new(width, height);
    let situation = Situation { position, occurrences: &[], changes: &[], hidden };
    (board.draw)(&situation, 0, &mut canvas, (0, 0));
    canvas
}

/// Returns the numbers of rows, columns and colours (3), and the pixels in that order.
pub(crate) fn pixels(canvas: &Canvas) -> ([usize; 3], Vec<u8>) {
    let size = [canvas.height() * CHARACTER.1, canvas.width() * CHARACTER.0, 3];
    let mut pixels: Vec<u8> = PAPER.into_iter().cycle().take(size.iter().product()).collect();
    for row in 0..canvas.height() {
        let letters = canvas
            .row(row)
            .into_iter()
            .flat_map(|(ink, text)| text.chars().map(move |letter| (ink, letter)).collect::<Vec<_>>());
        for (column, (ink, letter)) in letters.enumerate() {
            let glyph = BASIC_LEGACY.get(letter as usize).copied().unwrap_or([0xff; 8]);
            let (front, back) = if ink.reverse { (PAPER, colour(ink)) } else { (colour(ink), PAPER) };
            for y in 0..CHARACTER.1 {
                for x in 0..CHARACTER.0 {
                    let is_ink = glyph[y / 2] >> x & 1 == 1;
                    let at = ((row * CHARACTER.1 + y) * size[1] + column * CHARACTER.0 + x) * 3;
                    pixels[at..at + 3].copy_from_slice(if is_ink { &front } else { &back });
                }
            }
        }
    }
    (size, pixels)
}

fn colour(ink: Ink) -> [u8; 3] {
    match ink.hue {
        Hue::Plain => [224, 226, 232],
        Hue::Faint => [104, 110, 122],
        Hue::Alarm => [255, 64, 64],
        Hue::Seat(seat) => SEATS[seat % SEATS.len()],
    }
}
