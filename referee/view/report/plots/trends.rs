//! Mean shares over the rounds: all bots in one plot, and each in a small one with what its mean may be.

use std::ops::Range;

use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Circle, PathElement, Polygon};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{BAND, FAINT, FIRST, Field, INK, MUTED, OTHERS, Plot, field, line, put, px, share, style, write};
use crate::statistics::confidence::Interval;

/// One bot's way.
#[derive(Clone, Debug)]
pub(in crate::view::report) struct Way {
    /// The bot, for a plot.
    pub(in crate::view::report) label: String,
    /// In the order of the rounds.
    pub(in crate::view::report) points: Vec<Point>,
}

/// What was known of a bot after a round.
#[derive(Clone, Copy, Debug)]
pub(in crate::view::report) struct Point {
    pub(in crate::view::report) round: u32,
    /// Its mean share.
    pub(in crate::view::report) mean: f64,
    /// What that may be.
    pub(in crate::view::report) interval: Option<Interval>,
}

/// Returns the means that plots show: the first are cut off, else nothing could be seen of the rest.
fn late_means(ways: &[Way]) -> impl Iterator<Item = f64> {
    ways.iter().flat_map(|way| way.points[way.points.len() / 8..].iter().map(|point| point.mean))
}

/// Returns which shares the small plots show. What was known early is cut off likewise.
pub(in crate::view::report) fn range(ways: &[Way]) -> Range<f64> {
    let bands = ways.iter().filter_map(|way| way.points[way.points.len() / 3..].first()?.interval);
    let last = ways.iter().filter_map(|way| way.points.last()?.interval);
    super::shares(late_means(ways).chain(bands.chain(last).flat_map(|band| [band.lower, band.upper])))
}

/// All bots. The first few have a colour and their name at the end of the line; the others are grey.
pub(in crate::view::report) fn all(ways: &[Way]) -> Plot {
    let shares = &super::shares(late_means(ways));
    let (across, down) = ((46.0, 500.0), (10.0, 300.0));
    Plot::draw(640, 344, |canvas| {
        let field = axes(canvas, ways, shares, (across, down), 6);
        write(canvas, "round", (273.0, 333.0), style(11.0, MUTED, HPos::Center, VPos::Center));
        let coloured = ways.iter().zip(FIRST.map(Some).into_iter().chain(std::iter::repeat(None)));
        let mut coloured: Vec<(&Way, Option<RGBColor>)> = coloured.collect();
        coloured.reverse(); // the first come last, on top
        for (way, colour) in &coloured {
            let width = if colour.is_some() { 2.0 } else { 1.2 };
            path(&field, way, shares, colour.unwrap_or(OTHERS), width);
        }
        let end = |way: &Way| way.points.last().map(|point| place(shares, point.mean, down));
        let mut names: Vec<(f64, &Way, RGBColor)> =
            coloured.iter().filter_map(|(way, colour)| Some((end(way)?, *way, (*colour)?))).collect();
        names.sort_by(|one, other| one.0.total_cmp(&other.0));
        spread(&mut names, down.1);
        for (at, way, colour) in names {
            write(canvas, &way.label, (across.1 + 8.0, at), style(12.0, colour, HPos::Left, VPos::Center));
        }
    })
}

/// One bot, with a band that holds its mean share.
pub(in crate::view::report) fn one(way: &Way, ways: &[Way], shares: &Range<f64>) -> Plot {
    let (across, down) = ((32.0, 194.0), (8.0, 98.0));
    Plot::draw(200, 118, |canvas| {
        let field = axes(canvas, ways, shares, (across, down), 3);
        let clamp = |value: f64| value.clamp(shares.start, shares.end);
        let banded = || way.points.iter().filter_map(|point| Some((f64::from(point.round), point.interval?)));
        let upper = banded().map(|(round, band)| (round, clamp(band.upper)));
        let lower: Vec<(f64, f64)> = banded().map(|(round, band)| (round, clamp(band.lower))).collect();
        let outline: Vec<(f64, f64)> = upper.chain(lower.into_iter().rev()).collect();
        if outline.len() > 2 {
            put!(field, Polygon::new(outline, BAND.mix(0.22)));
        }
        path(&field, way, shares, INK, 1.6);
        if let Some(Point { round, mean, .. }) = way.points.last() {
            put!(field, Circle::new((f64::from(*round), clamp(*mean)), px(2.5), INK.filled()));
        }
    })
}

/// Draws the axes, and returns the field between them.
fn axes<'a>(
    canvas: &super::Canvas<'a>,
    ways: &[Way],
    shares: &Range<f64>,
    (across, down): ((f64, f64), (f64, f64)),
    ticks: usize,
) -> Field<'a, RangedCoordf64> {
    let rounds = || ways.iter().flat_map(|way| way.points.iter().map(|point| point.round));
    let (first, last) = (rounds().min().unwrap_or(1), rounds().max().unwrap_or(1));
    let x = f64::from(first)..f64::from(last.max(first + 1));
    for tick in RangedCoordf64::from(shares.clone()).key_points(ticks) {
        let at = place(shares, tick, down);
        line(canvas, (across.0, at), (across.1, at), 1.0, FAINT);
        write(canvas, &share(tick), (across.0 - 6.0, at), style(11.0, MUTED, HPos::Right, VPos::Center));
    }
    let whole = RangedCoordf64::from(x.clone()).key_points(ticks);
    let mut whole: Vec<f64> =
        whole.into_iter().filter(|tick| tick.fract() == 0.0 && x.contains(tick)).collect();
    if whole.is_empty() {
        whole.push(x.start);
    }
    for tick in whole {
        let at = across.0 + (tick - x.start) / (x.end - x.start) * (across.1 - across.0);
        write(canvas, &tick.to_string(), (at, down.1 + 12.0), style(11.0, MUTED, HPos::Center, VPos::Center));
    }
    // The other way round: pixels are counted from the top.
    field(canvas, x.into(), shares.clone(), across, (down.1, down.0))
}

fn path(field: &Field<'_, RangedCoordf64>, way: &Way, shares: &Range<f64>, colour: RGBColor, width: f64) {
    let point = |point: &Point| (f64::from(point.round), point.mean.clamp(shares.start, shares.end));
    let points: Vec<(f64, f64)> = way.points.iter().map(point).collect();
    put!(field, PathElement::new(points, colour.stroke_width(px(width) as u32)));
}

/// Where a share stands between these pixels, the greatest at the top.
fn place(shares: &Range<f64>, value: f64, (top, bottom): (f64, f64)) -> f64 {
    let value = value.clamp(shares.start, shares.end);
    bottom - (value - shares.start) / (shares.end - shares.start) * (bottom - top)
}

/// Moves names that stand in each other's way, downwards, and all up again where there is no room below.
fn spread(names: &mut [(f64, &Way, RGBColor)], bottom: f64) {
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
