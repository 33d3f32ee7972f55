//! Pictures of a game: its board for terminals as text, and that of the pages as pixels.

use referee_rules::Position;
use referee_rules::board::{Board, Situation};
use referee_rules::game::Game;
use referee_rules::picture::Draw;
use referee_show::view::canvas::Canvas;

/// Width of a picture in pixels.
const WIDTH: usize = 600;

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
pub(crate) fn pixels(game: &dyn Game, draw: Draw, hidden: bool) -> ([usize; 3], Vec<u8>) {
    let position = &Position::of(game);
    let picture = draw(&Situation { position, occurrences: &[], changes: &[], hidden });
    let (height, pixels) = referee_show::page::pixels_of(&picture, game.info().seats, WIDTH);
    ([height, WIDTH, 3], pixels)
}
