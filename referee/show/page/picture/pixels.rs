//! Pictures as pixels of a fixed palette: all colours of the page, and the steps between them.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use referee_rules::Seat;
use referee_rules::picture::{At, Paint, Picture, WIDTH};

use super::{COLOURS, each_part};

/// Colours with their names in the style of the page, for a light page. Those of seats come last.
pub(crate) const PAINTS: [(Paint, &str, [u8; 3]); 10] = [
    (Paint::Card, "card", [0xff, 0xff, 0xff]),
    (Paint::Field, "field", [0xee, 0xf3, 0xee]),
    (Paint::Grid, "grid", [0xd3, 0xdd, 0xd3]),
    (Paint::Ink, "ink", [0x16, 0x20, 0x2c]),
    (Paint::Soft, "soft", [0x4d, 0x5a, 0x69]),
    (Paint::Wall, "wall", [0x39, 0x43, 0x4e]),
    (Paint::Ball, "ball", [0x6b, 0x53, 0x14]),
    (Paint::Coin, "coin", [0xe3, 0xa8, 0x1c]),
    (Paint::CoinInk, "coin-ink", [0x2b, 0x1d, 0x00]),
    (Paint::Seat(Seat::new(0)), "seat0", SEATS[0]),
];

/// The colours of seats.
pub(crate) const SEATS: [[u8; 3]; COLOURS] = [
    [0x00, 0x72, 0xb2],
    [0xc6, 0x54, 0x00],
    [0x00, 0x7a, 0x5a],
    [0xb0, 0x44, 0x7f],
    [0x7a, 0x6a, 0x00],
    [0x4a, 0x52, 0xc4],
];

/// Returns the name of a colour in the style of the page.
pub(crate) fn name(paint: Paint) -> &'static str {
    PAINTS.iter().find(|(known, ..)| *known == paint).map_or("ink", |(_, name, _)| name)
}

fn colour(paint: Paint) -> [u8; 3] {
    match paint {
        Paint::Seat(seat) => SEATS[seat.index() % COLOURS],
        paint => PAINTS.iter().find(|(known, ..)| *known == paint).map_or([0; 3], |(_, _, colour)| *colour),
    }
}

/// A palette, and the nearest of its colours to any colour.
pub(crate) struct Palette {
    pub(crate) colours: Vec<[u8; 3]>,
    /// By the leading five bits of red, green and blue.
    nearest: Vec<u8>,
}

/// Number of the first colours that are grounds.
const GROUNDS: usize = 2;

/// Number of parts into which the way between two colours is divided.
const WHOLE: u16 = 12;

impl Palette {
    /// Makes the palette: the colours of the page, and steps between each two of them, except between seats. Grounds
    /// with a strong colour have more steps.
    pub(crate) fn new() -> Palette {
        let plain = PAINTS.len() - 1;
        let mut colours: Vec<[u8; 3]> = PAINTS[..plain].iter().map(|(.., colour)| *colour).collect();
        colours.extend(SEATS);
        let count = colours.len();
        let coin = PAINTS.iter().position(|(paint, ..)| *paint == Paint::Coin).unwrap_or(0);
        for one in 0..plain {
            for other in one + 1..count {
                let is_strong = other >= plain || other == coin;
                let steps: &[u16] = if one < GROUNDS && is_strong { &[2, 4, 6, 8] } else { &[4, 8] };
                for step in steps {
                    let mixed = |part: usize| {
                        let [from, to] = [colours[one][part], colours[other][part]].map(u16::from);
                        ((from * (WHOLE - step) + to * step) / WHOLE) as u8
                    };
                    colours.push([mixed(0), mixed(1), mixed(2)]);
                }
            }
        }
        assert!(colours.len() < 256, "one number is left for pixels that stay");
        let all: Vec<u16> = (0..1 << 15).collect();
        let middle = |key: u16| [(key >> 10 << 3 | 4) as u8, (key >> 5 << 3 | 4) as u8, (key << 3 | 4) as u8];
        let distance = |one: [u8; 3], other: [u8; 3]| {
            one.iter().zip(other).map(|(one, other)| i32::from(one.abs_diff(other)).pow(2)).sum::<i32>()
        };
        let nearest = |key: &u16| {
            let places = 0..colours.len();
            places.min_by_key(|place| distance(colours[*place], middle(*key))).unwrap_or(0) as u8
        };
        let mut nearest: Vec<u8> = all.iter().map(nearest).collect();
        for place in (0..count).rev() {
            nearest[key(colours[place])] = place as u8;
        }
        Palette { colours, nearest }
    }

    fn number(&self, colour: [u8; 3]) -> u8 {
        self.nearest[key(colour)]
    }
}

fn key([red, green, blue]: [u8; 3]) -> usize {
    usize::from(red >> 3) << 10 | usize::from(green >> 3) << 5 | usize::from(blue >> 3)
}

/// Pixels of twice the size: two by two become one.
pub(crate) struct Sheet {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Sheet {
    /// Returns an empty sheet that becomes a picture of this size.
    pub(crate) fn new(width: usize, height: usize) -> Sheet {
        Sheet { width: 2 * width, height: 2 * height, pixels: vec![colour(Paint::Card); 4 * width * height] }
    }

    /// Draws a picture below this number of pixels from the top. It is as wide as the sheet.
    pub(crate) fn draw(&mut self, picture: &Picture, seats: usize, top: usize) {
        self.draw_at(picture, seats, (0.0, top as f64), self.width as f64 / 2.0);
    }

    /// Draws a picture with its left upper corner at this pixel, as wide as this number of pixels.
    pub(crate) fn draw_at(&mut self, picture: &Picture, seats: usize, (left, top): At, width: f64) {
        let (scale, left, top) = (2.0 * width / WIDTH, 2.0 * left, 2.0 * top);
        let sheet = std::cell::RefCell::new(self);
        each_part(
            picture,
            seats,
            |corners, paint, opacity| {
                let corners: Vec<At> =
                    corners.iter().map(|(x, y)| (left + x * scale, top + y * scale)).collect();
                sheet.borrow_mut().fill(&corners, colour(paint), opacity);
            },
            |(x, y), size, text, paint| {
                let mut sheet = sheet.borrow_mut();
                let (height, width) = Sheet::text_size(size * scale * 1.45, text);
                let at = (left + x * scale - width as f64 / 2.0, top + y * scale - height.val() as f64 / 2.0);
                sheet.text(at, height, text, colour(paint));
            },
        );
    }

    /// Writes a text whose left upper corner is at this pixel of the picture. Letters are 16 pixels high.
    pub(crate) fn write(&mut self, (x, y): (usize, usize), text: &str, paint: Paint) {
        let (height, _) = Sheet::text_size(32.0, text);
        self.text((2.0 * x as f64, 2.0 * y as f64), height, text, colour(paint));
    }

    /// Returns the largest letters that are at most this high, or the smallest, and the width of a text in them.
    fn text_size(height: f64, text: &str) -> (RasterHeight, usize) {
        let sizes = [RasterHeight::Size32, RasterHeight::Size24, RasterHeight::Size20];
        let size = sizes.into_iter().find(|size| size.val() as f64 <= height).unwrap_or(RasterHeight::Size16);
        (size, get_raster_width(FontWeight::Bold, size) * text.chars().count())
    }

    fn text(&mut self, (x, y): At, height: RasterHeight, text: &str, colour: [u8; 3]) {
        let column = get_raster_width(FontWeight::Bold, height);
        let mut left = x.round() as i64;
        for letter in text.chars() {
            let raster = get_raster(letter, FontWeight::Bold, height)
                .or_else(|| get_raster('?', FontWeight::Bold, height))
                .expect("the font has a question mark");
            for (row, shades) in (y.round() as i64..).zip(raster.rows()) {
                for (x, shade) in (left..).zip(shades.iter()) {
                    if *shade > 0
                        && (0..self.width as i64).contains(&x)
                        && (0..self.height as i64).contains(&row)
                    {
                        let place = row as usize * self.width + x as usize;
                        self.mix(place, colour, f64::from(*shade) / 255.0);
                    }
                }
            }
            left += column as i64;
        }
    }

    /// Tells whether the font has all letters of a text.
    pub(crate) fn can_write(text: &str) -> bool {
        text.chars().all(|letter| get_raster(letter, FontWeight::Bold, RasterHeight::Size32).is_some())
    }

    /// Returns the name of a seat's bot in at most this number of letters. A longer one loses its middle, since names
    /// of one author often begin alike. One that the font cannot write is the number of the seat.
    pub(crate) fn name(name: &str, seat: Seat, most: usize) -> String {
        const GAP: &str = "...";
        if !Sheet::can_write(name) {
            return format!("bot {seat}");
        }
        let letters: Vec<char> = name.chars().collect();
        if letters.len() <= most {
            return name.to_owned();
        }
        let left = most.saturating_sub(GAP.len());
        let end = left * 2 / 5;
        let (start, end) = (&letters[..left - end], &letters[letters.len() - end..]);
        start.iter().copied().chain(GAP.chars()).chain(end.iter().copied()).collect()
    }

    fn mix(&mut self, place: usize, colour: [u8; 3], opacity: f64) {
        let pixel = &mut self.pixels[place];
        *pixel = if opacity >= 1.0 {
            colour
        } else {
            let part = |at: usize| f64::from(pixel[at]) * (1.0 - opacity) + f64::from(colour[at]) * opacity;
            [part(0) as u8, part(1) as u8, part(2) as u8]
        };
    }

    /// Fills a polygon, row by row.
    fn fill(&mut self, corners: &[At], colour: [u8; 3], opacity: f64) {
        let heights = || corners.iter().map(|(_, y)| *y);
        let (top, bottom) = (heights().fold(f64::MAX, f64::min), heights().fold(f64::MIN, f64::max));
        let rows = (top - 0.5).ceil().max(0.0) as usize
            ..(bottom - 0.5).ceil().clamp(0.0, self.height as f64) as usize;
        let mut crossings: Vec<f64> = Vec::new();
        for row in rows {
            let middle = row as f64 + 0.5;
            crossings.clear();
            for (at, (x0, y0)) in corners.iter().enumerate() {
                let (x1, y1) = corners[(at + 1) % corners.len()];
                if (*y0 <= middle) != (y1 <= middle) {
                    crossings.push(x0 + (middle - y0) / (y1 - y0) * (x1 - x0));
                }
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let edge = |x: f64| (x - 0.5).ceil().clamp(0.0, self.width as f64) as usize;
                let (start, end) = (row * self.width + edge(pair[0]), row * self.width + edge(pair[1]));
                if opacity >= 1.0 {
                    self.pixels[start..end].fill(colour)
                } else {
                    (start..end).for_each(|place| self.mix(place, colour, opacity))
                }
            }
        }
    }

    /// Returns the picture, as numbers of the palette's colours.
    pub(crate) fn shrunk(&self, palette: &Palette) -> Vec<u8> {
        let mut numbers = Vec::with_capacity(self.pixels.len() / 4);
        for rows in self.pixels.chunks_exact(2 * self.width) {
            let (upper, lower) = rows.split_at(self.width);
            for (above, below) in upper.chunks_exact(2).zip(lower.chunks_exact(2)) {
                let four = [above[0], above[1], below[0], below[1]];
                let mean =
                    |part: usize| (four.iter().map(|pixel| u16::from(pixel[part])).sum::<u16>() / 4) as u8;
                numbers.push(palette.number(if four.iter().all(|pixel| *pixel == four[0]) {
                    four[0]
                } else {
                    [mean(0), mean(1), mean(2)]
                }));
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_the_page() {
        let style = include_str!("../html/page.css");
        let light = style.split_once('}').expect("the first rule").0;
        let seats = SEATS.iter().enumerate().map(|(seat, colour)| (format!("seat{seat}"), *colour));
        let plain = PAINTS.iter().map(|(_, name, colour)| ((*name).to_owned(), *colour));
        for (name, [red, green, blue]) in plain.chain(seats) {
            let expected = format!("--{name}: #{red:02x}{green:02x}{blue:02x};");
            assert!(light.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn each_colour_of_the_page_is_in_the_palette_as_it_is() {
        let palette = Palette::new();
        for colour in PAINTS.iter().map(|(.., colour)| *colour).chain(SEATS) {
            assert_eq!(palette.colours[usize::from(palette.number(colour))], colour);
        }
    }

    #[test]
    fn letters_of_latin_have_their_accents() {
        let drawn = |text: &str| {
            let mut sheet = Sheet::new(40, 20);
            sheet.write((0, 0), text, Paint::Ink);
            sheet.pixels
        };
        let letters = ["?", "e", "é", "ü", "ø", "ß", "Ł", "ő", "ş"];
        for (at, letter) in letters.iter().enumerate() {
            assert!(letters[..at].iter().all(|other| drawn(letter) != drawn(other)), "{letter}");
        }
    }

    #[test]
    fn a_polygon_covers_the_pixels_whose_middles_are_in_it_and_a_text_beyond_the_edge_is_cut_off() {
        let palette = Palette::new();
        let mut sheet = Sheet::new(10, 10);
        let mut picture = Picture::new(WIDTH);
        picture.rectangle((200.0, 300.0), (400.0, 100.0), Paint::Ink, 1.0);
        sheet.draw(&picture, 2, 0);
        let shrunk = sheet.shrunk(&palette);
        let ink = palette.number(colour(Paint::Ink));
        let inked: Vec<usize> = (0..100).filter(|place| shrunk[*place] == ink).collect();
        assert_eq!(inked, [32, 33, 34, 35]);
        picture.text((990.0, -10.0), 300.0, "long", Paint::Ink);
        picture.circle((0.0, 1000.0), 5000.0, Paint::Coin, 0.5);
        sheet.draw(&picture, 2, 3);
    }
}
