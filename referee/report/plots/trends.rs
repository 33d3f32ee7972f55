//! Mean shares over the rounds: all bots in one plot, and a plot for each with its interval.

use std::ops::Range;

use maud::{Markup, html};

use crate::plots::{
    BAND, COLOURED, Colour, FAINT, MUTED, OTHERS, Plot, Scale, dot, joined, line, share, text,
};
use referee_drawing::breadth;
use referee_record::text::apart;
use referee_statistics::confidence::Interval;

/// The curve of one bot.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The name of the bot, for a plot.
    pub(crate) label: String,
    /// The colour of its mark.
    pub(crate) colour: Colour,
    /// In the order of the rounds.
    pub(crate) points: Vec<Point>,
}

/// The state of a bot after a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) round: u32,
    /// Its mean share.
    pub(crate) mean: f64,
    /// Its confidence interval.
    pub(crate) interval: Option<Interval>,
}

/// Returns the means that set the scale of plots. The first eighth of a curve does not: it varies too much.
fn late_means(ways: &[Way]) -> impl Iterator<Item = f64> {
    ways.iter().flat_map(|way| way.points[way.points.len() / 8..].iter().map(|point| point.mean))
}

/// Returns the range of shares in the plots of single bots. The wide intervals of the first third of a curve are cut off.
pub(crate) fn range(ways: &[Way]) -> Range<f64> {
    let bands = ways.iter().filter_map(|way| way.points[way.points.len() / 3..].first()?.interval);
    let last = ways.iter().filter_map(|way| way.points.last()?.interval);
    super::shares(late_means(ways).chain(bands.chain(last).flat_map(|band| [band.lower, band.upper])))
}

/// All bots. The first few have a colour and their name at the end of the line; the others are grey.
pub(crate) fn all(ways: &[Way]) -> Plot {
    let shares = super::shares(late_means(ways));
    let field = Field::new(ways, shares, (46.0, 500.0), (10.0, 300.0));
    let colour = |(place, way): (usize, &Way)| (place < COLOURED).then_some(way.colour);
    let coloured = ways.iter().enumerate().map(|(place, way)| (way, colour((place, way))));
    let mut coloured: Vec<(&Way, Option<Colour>)> = coloured.collect();
    coloured.reverse(); // the first come last, on top
    let end = |way: &Way| way.points.last().map(|point| field.y.at(point.mean));
    let mut names: Vec<(f64, &Way, Colour)> =
        coloured.iter().filter_map(|(way, colour)| Some((end(way)?, *way, (*colour)?))).collect();
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    spread(&mut names, 300.0);
    let inner = html! {
        (field.axes(6))
        (text((273.0, 333.0), "round", 11.0, MUTED, "middle"))
        @for (way, colour) in &coloured {
            (field.path(way, colour.unwrap_or(OTHERS), if colour.is_some() { 2.0 } else { 1.2 }))
        }
        @for (at, way, colour) in names { (text((508.0, at), &apart(&breadth::fitting(&way.label, 130.0, 12.0)), 12.0, colour, "start")) }
    };
    Plot::new(640.0, 344.0, inner)
}

/// One bot, with the confidence band of its mean share.
pub(crate) fn one(way: &Way, ways: &[Way], shares: &Range<f64>) -> Plot {
    let field = Field::new(ways, shares.clone(), (46.0, 624.0), (10.0, 190.0));
    let banded = || way.points.iter().filter_map(|point| Some((point.round, point.interval?)));
    let upper = banded().map(|(round, band)| field.place(round, band.upper));
    let lower = banded().map(|(round, band)| field.place(round, band.lower));
    let inner = html! {
        (field.axes(6))
        (text((335.0, 223.0), "round", 11.0, MUTED, "middle"))
        @if banded().count() > 1 {
            polygon points=(joined(upper.chain(lower.rev()))) fill=(BAND) fill-opacity="0.22" {}
        }
        (field.path(way, way.colour, 2.0))
        @if let Some(Point { round, mean, .. }) = way.points.last() { (dot(field.place(*round, *mean), 3.0, way.colour)) }
    };
    Plot::new(640.0, 234.0, inner)
}

/// The area of a plot: rounds from left to right, shares from bottom to top.
struct Field {
    x: Scale,
    y: Scale,
}

impl Field {
    fn new(ways: &[Way], shares: Range<f64>, across: (f64, f64), (top, bottom): (f64, f64)) -> Field {
        let rounds = || ways.iter().flat_map(|way| way.points.iter().map(|point| point.round));
        let (first, last) = (rounds().min().unwrap_or(1), rounds().max().unwrap_or(1));
        let rounds = f64::from(first)..f64::from(last.max(first + 1));
        Field {
            x: Scale { values: rounds, pixels: across },
            y: Scale { values: shares, pixels: (bottom, top) },
        }
    }

    fn place(&self, round: u32, share: f64) -> super::At {
        (self.x.at(round.into()), self.y.at(share))
    }

    fn axes(&self, ticks: usize) -> Markup {
        let Field { x: Scale { pixels: (left, right), .. }, y: Scale { pixels: (bottom, _), .. } } = self;
        html! {
            @for tick in self.y.ticks(ticks, 0.0) {
                @let at = self.y.at(tick);
                (line([(*left, at), (*right, at)], 1.0, FAINT, 1.0))
                (text((left - 6.0, at), &share(tick), 11.0, MUTED, "end"))
            }
            @for tick in self.x.ticks(ticks, 1.0) {
                (text((self.x.at(tick), bottom + 12.0), &tick.to_string(), 11.0, MUTED, "middle"))
            }
        }
    }

    fn path(&self, way: &Way, colour: Colour, width: f64) -> Markup {
        line(way.points.iter().map(|point| self.place(point.round, point.mean)), width, colour, 1.0)
    }
}

/// Moves names that overlap down, and then up if there is no room at the bottom.
fn spread(names: &mut [(f64, &Way, Colour)], bottom: f64) {
    const APART: f64 = 15.0;
    for index in 1..names.len() {
        names[index].0 = names[index].0.max(names[index - 1].0 + APART);
    }
    let mut below = bottom;
    for name in names.iter_mut().rev() {
        name.0 = name.0.min(below);
        below = name.0 - APART;
    }
}
