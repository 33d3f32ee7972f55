//! A recorded game as an animated GIF: the screen of the terminal, turn by turn, in pixels.

use std::borrow::Cow;
use std::io::Write;
use std::ops::RangeInclusive;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use referee_record::error::{Error, ErrorKind};
use referee_view::canvas::{Canvas, Hue, Ink};
use referee_view::scene::Scene;
use referee_view::screen::{Panel, Screen};
use referee_view::story::Story;

/// Columns and rows of the screen.
const SCREEN: (usize, usize) = (112, 40);

const HEIGHT: RasterHeight = RasterHeight::Size16;

/// Pixels of a row of characters.
const ROW: usize = HEIGHT.val();

/// Maximum number of pictures: a longer game skips turns.
const PICTURES_MAX: u32 = 600;

/// Durations in hundredths of a second: of the whole animation, about; of a picture, least and most; of the last one.
const WHOLE: u32 = 6000;
const EACH: (u32, u32) = (4, 50);
const LAST: u16 = 300;

/// The paper, and the inks: plain, faint, alarm, then those of the seats, which repeat.
const PAPER: [u8; 3] = [0x0e, 0x14, 0x1b];
const INKS: [[u8; 3]; 9] = [
    [0xee, 0xf2, 0xf6],
    [0x8d, 0x9a, 0xa8],
    [0xff, 0x8f, 0x84],
    [0x56, 0xb4, 0xe9],
    [0xff, 0x9a, 0x4d],
    [0x2f, 0xd6, 0xa4],
    [0xf0, 0x8c, 0xc0],
    [0xf0, 0xe4, 0x42],
    [0xa8, 0xad, 0xff],
];

/// Steps from the paper to an ink.
const STEPS: usize = 8;

/// The colour of pixels that are the same as in the previous picture. It makes the file much shorter.
const SAME: u8 = (INKS.len() * STEPS) as u8;

/// The animation that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Number of pictures.
    pub pictures: u32,
    /// Turns from one picture to the next.
    pub step: u32,
}

/// Writes the positions after these numbers of turns as an animation that repeats.
///
/// # Errors
///
/// If the log cannot be read any more, or `out` takes no more.
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
    let column = get_raster_width(FontWeight::Regular, HEIGHT);
    let size = ((SCREEN.0 * column) as u16, (SCREEN.1 * ROW) as u16);
    let mut encoder = Encoder::new(out, size.0, size.1, &palette()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut before: Vec<u8> = Vec::new();
    for turns in shown {
        let scene = Scene { hidden, ..Scene::of(story, turns)? };
        let screen = Screen { scene: &scene, marks: story.marks(), panel: &Panel::Board, mood: "", keys: "" };
        let now = pixels(&screen.draw(SCREEN.0, SCREEN.1), column);
        let delay = if turns == last { LAST } else { delay };
        encoder.write_frame(&changed(&before, &now, size, delay)).map_err(failed)?;
        before = now;
    }
    Ok(Written { pictures, step })
}

fn failed(error: EncodingError) -> Error {
    Error::because(ErrorKind::System, error)
}

/// All inks, each in steps from the paper.
fn palette() -> Vec<u8> {
    let mixed = |paper: u8, ink: u8, step: usize| {
        let part = step as f32 / (STEPS - 1) as f32;
        (f32::from(paper) * (1.0 - part) + f32::from(ink) * part).round() as u8
    };
    let colours = INKS.iter().flat_map(|ink| (0..STEPS).map(move |step| (ink, step)));
    let colours = colours.flat_map(|(ink, step)| (0..3).map(move |part| mixed(PAPER[part], ink[part], step)));
    colours.chain(PAPER).collect()
}

/// Returns a picture with only the pixels that differ from the picture before.
fn changed(before: &[u8], now: &[u8], size: (u16, u16), delay: u16) -> Frame<'static> {
    let buffer = match before.is_empty() {
        true => now.to_vec(),
        false => {
            now.iter().zip(before).map(|(now, before)| if now == before { SAME } else { *now }).collect()
        }
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

/// Draws a page of characters with the colours of the palette.
fn pixels(canvas: &Canvas, column: usize) -> Vec<u8> {
    let width = canvas.width() * column;
    let mut pixels = vec![0; width * canvas.height() * ROW];
    for y in 0..canvas.height() {
        let pieces = canvas.row(y);
        let letters = pieces.iter().flat_map(|(ink, text)| text.chars().map(|letter| (*ink, letter)));
        for (x, (ink, letter)) in letters.enumerate().take(canvas.width()) {
            draw(&mut pixels[y * ROW * width + x * column..], width, ink, letter);
        }
    }
    pixels
}

/// Draws a character whose left upper corner is the first of the pixels.
fn draw(pixels: &mut [u8], width: usize, ink: Ink, letter: char) {
    let hue = match ink.hue {
        Hue::Plain => 0,
        Hue::Faint => 1,
        Hue::Alarm => 2,
        Hue::Seat(seat) => 3 + seat % (INKS.len() - 3),
    };
    let weight = if ink.bold { FontWeight::Bold } else { FontWeight::Regular };
    let raster = get_raster(letter, weight, HEIGHT).or_else(|| get_raster('?', weight, HEIGHT));
    let raster = raster.expect("the font has a question mark");
    for (row, shades) in raster.rows().enumerate() {
        for (x, shade) in shades.iter().enumerate() {
            let step = usize::from(*shade) * (STEPS - 1) / 255;
            let step = if ink.reverse { STEPS - 1 - step } else { step };
            pixels[row * width + x] = (hue * STEPS + step) as u8;
        }
    }
}
