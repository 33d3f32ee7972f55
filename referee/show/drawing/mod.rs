//! Colours and marks of bots, and small drawings as SVG: the visual language of pages.
//!
//! ```
//! use referee_show::drawing::mark::Mark;
//!
//! let third = Mark::of(2);
//! assert_eq!(third.colour(), "#8E6FFB");
//! // The thirteenth bot has the colour and the shape of the first, and a letter.
//! assert_eq!((Mark::of(12).colour(), Mark::of(12).letter()), (Mark::of(0).colour(), Some('B')));
//! ```
//!
//! - `mark` has the colour and the mark of a bot, `svg` the tools of all drawings, `scale` axes.
//! - `interval` draws a mean with its confidence interval, `ranks` places over time, `bracket` a knockout.
//!
//! Nothing here measures a font: `breadth` estimates how broad a text is, and text gets enough room.

pub mod bracket;
pub mod breadth;
pub mod interval;
pub mod mark;
pub mod ranks;
pub mod scale;
pub mod svg;

use std::sync::LazyLock;

/// The style sheet of drawings: what replaces their colours on a dark page.
pub static STYLE: LazyLock<String> = LazyLock::new(|| {
    let dark = svg::dark(&[&svg::INKS[..], &mark::COLOURS].concat());
    format!(
        "/* Drawings have the colours of the light page; on a dark one these replace them. */\nsvg text {{ font-family: inherit; }}\n{dark}"
    )
});
