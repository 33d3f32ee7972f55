//! The mark of a bot: a colour and a shape, and from the thirteenth bot on a letter.
//!
//! A bot's mark follows from its number in the order in which names came to the contest, so it never changes. The
//! twelve colours were searched for: of all sets with contrast 3 to both pages, one whose colours stay far apart for
//! people with full colour vision and without one kind of cones (the simulation of Machado, Oliveira and Fernandes,
//! 2009, at full severity; distances in OKLab). Sets that are made for charts (Okabe and Ito; Tol) have seven to ten
//! colours, and some of them are too faint for a thin line. Neighbours differ in shape, too.

use maud::{Markup, html};

use crate::drawing::svg::{At, Colour, ON_STRONG, Pair, joined, px};

/// The colours of marks.
pub(crate) const COLOURS: [Pair; 12] = [
    ("#144D6E", "#9adbfc"),
    ("#B13E06", "#db3a29"),
    ("#8E6FFB", "#5b96fa"),
    ("#B28324", "#f9c59c"),
    ("#994CAA", "#e45cbe"),
    ("#29157D", "#805fe9"),
    ("#850344", "#a5697b"),
    ("#E159BB", "#f693a3"),
    ("#049A78", "#65d14b"),
    ("#511F0C", "#b89061"),
    ("#6420AA", "#b3ace4"),
    ("#696969", "#eeeeee"),
];

/// The corners of each shape, about a circle of radius 1; empty: the circle. Seats have them on a replay, too.
pub const SHAPES: [&[At]; 6] = [
    &[],
    &[(-0.84, -0.84), (0.84, -0.84), (0.84, 0.84), (-0.84, 0.84)],
    &[(0.0, -1.1), (1.05, 0.8), (-1.05, 0.8)],
    &[(0.0, -1.15), (1.15, 0.0), (0.0, 1.15), (-1.15, 0.0)],
    &[
        (-0.36, -1.0),
        (0.36, -1.0),
        (0.36, -0.36),
        (1.0, -0.36),
        (1.0, 0.36),
        (0.36, 0.36),
        (0.36, 1.0),
        (-0.36, 1.0),
        (-0.36, 0.36),
        (-1.0, 0.36),
        (-1.0, -0.36),
        (-0.36, -0.36),
    ],
    &[(-1.05, -0.8), (1.05, -0.8), (0.0, 1.1)],
];

/// Returns the corners of a shape by its number, about a circle of radius 1; empty: the circle itself.
pub fn corners(shape: usize) -> &'static [At] {
    SHAPES[shape % SHAPES.len()]
}

/// The mark of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(usize);

impl Mark {
    /// Returns the mark of the bot with this number, from 0, in the order in which names came to the contest.
    pub fn of(number: usize) -> Mark {
        Mark(number)
    }

    /// Returns its colour on a light page.
    pub fn colour(self) -> Colour {
        COLOURS[self.0 % COLOURS.len()].0
    }

    /// Returns the letter that tells it from an earlier bot with the same colour and shape; `None` for the first
    /// twelve bots, and after `Z`.
    pub fn letter(self) -> Option<char> {
        let times = u8::try_from(self.0 / COLOURS.len()).ok().filter(|times| (1..26).contains(times))?;
        Some(char::from(b'A' + times))
    }

    /// Draws it around a place. `radius` is in pixels.
    pub fn at(self, (x, y): At, radius: f64) -> Markup {
        let shape = corners(self.0);
        // A letter needs a larger mark.
        let radius = if self.letter().is_some() { radius * 1.25 } else { radius };
        let corners = shape.iter().map(|(across, down)| (x + across * radius, y + down * radius));
        html! {
            @if shape.is_empty() { circle cx=(px(x)) cy=(px(y)) r=(px(radius)) fill=(self.colour()) {} }
            @else { polygon points=(joined(corners)) fill=(self.colour()) {} }
            @if let Some(letter) = self.letter() {
                text x=(px(x)) y=(px(y)) dy=".36em" text-anchor="middle" font-size=(px(radius * 1.25)) font-weight="700"
                    fill=(ON_STRONG) { (letter) }
            }
        }
    }

    /// Draws it as a picture of its own, to stand beside a name. A screen reader skips it.
    pub fn icon(self) -> Markup {
        html! {
            svg.mark viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" { (self.at((8.0, 8.0), 5.6)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Three = [f64; 3];

    /// How people see the colours red, green and blue: all cones; without long, middle, short ones (Machado, Oliveira
    /// and Fernandes 2009, severity 1).
    const EYES: [(&str, [Three; 3]); 4] = [
        ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deuteranopia",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
        ),
        (
            "tritanopia",
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
        ),
    ];

    fn linear(colour: &str) -> Three {
        [1, 3, 5].map(|at| {
            let part = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn product(matrix: &[Three; 3], vector: Three) -> Three {
        matrix.map(|row| row.iter().zip(vector).map(|(part, value)| part * value).sum())
    }

    /// Ottosson's OKLab: lightness from 0 to 1, and two axes of hue. A distance of .02 can just be seen.
    fn oklab(rgb: Three) -> Three {
        let cones = product(
            &[
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ],
            rgb.map(|part| part.clamp(0.0, 1.0)),
        );
        product(
            &[
                [0.2104542553, 0.793617785, -0.0040720468],
                [1.9779984951, -2.428592205, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.808675766],
            ],
            cones.map(f64::cbrt),
        )
    }

    fn distance(one: Three, other: Three) -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let light = |colour| {
            let [red, green, blue] = linear(colour);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    /// Minimum distance of two colours for any eyes: four times what can just be seen.
    const APART: f64 = 0.08;

    /// Minimum contrast to a page, as WCAG 2.2 asks for in graphics.
    const CONTRAST: f64 = 3.0;

    #[test]
    fn colours_stay_apart_for_colour_blind_eyes_and_from_both_pages() {
        let (lights, darks) = (COLOURS.map(|(light, _)| light), COLOURS.map(|(_, dark)| dark));
        for (page, colours) in [("light", lights), ("dark", darks)] {
            for (eyes, matrix) in &EYES {
                for (at, one) in colours.iter().enumerate() {
                    for other in &colours[at + 1..] {
                        let in_eyes = |colour| oklab(product(matrix, linear(colour)));
                        let distance = distance(in_eyes(one), in_eyes(other));
                        assert!(
                            distance >= APART,
                            "{page}, {eyes}: {one} and {other} are {distance:.3} apart"
                        );
                    }
                }
            }
        }
        // The cards, the pages and rows under the pointer.
        for (colours, backgrounds) in
            [(lights, ["#ffffff", "#f6f7f9", "#f6f7f9"]), (darks, ["#151d26", "#0e141b", "#232d38"])]
        {
            for (colour, background) in
                colours.iter().flat_map(|colour| backgrounds.map(|back| (colour, back)))
            {
                let contrast = contrast(colour, background);
                assert!(contrast >= CONTRAST, "{colour} on {background}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn marks_differ_and_a_letter_is_in_the_picture() {
        let marks: Vec<String> = (0..312).map(|number| Mark::of(number).icon().into_string()).collect();
        for (number, mark) in marks.iter().enumerate() {
            assert!(!marks[..number].contains(mark), "mark {number} is taken: {mark}");
        }
        assert!(marks[12].contains(">B<") && marks[311].contains(">Z<") && !marks[11].contains("<text"));
    }
}
