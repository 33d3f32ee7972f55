//! Plots with a row for each bot, or seat: means with what they may be, and thinking times.

use std::ops::Range;

use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Circle, PathElement};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{BAND, Canvas, FAINT, Field, INK, LIMIT, MUTED, Plot, field, line, put, px, share, style, write};
use crate::statistics::confidence::Interval;
use crate::view::report::seen::Spread;

const WIDTH: i32 = 640;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 624.0;
const TOP: f64 = 8.0;
const ROW: f64 = 24.0;
const BELOW: f64 = 44.0;

/// Mean shares, each with what it may be.
pub(in crate::view::report) fn means(rows: &[(String, f64, Option<Interval>)], axis: &str) -> Plot {
    let ends = rows.iter().flat_map(|(_, mean, interval)| {
        [Some(*mean), interval.map(|interval| interval.lower), interval.map(|interval| interval.upper)]
    });
    let x: RangedCoordf64 = super::shares(ends.flatten()).into();
    let labels: Vec<&str> = rows.iter().map(|(label, ..)| &**label).collect();
    draw(&labels, x, (axis, &share), |field, row| {
        let (_, mean, interval) = &rows[row];
        if let Some(Interval { lower, upper }) = interval {
            stroke(field, row, (*lower, *upper), 5.0, BAND);
        }
        dot(field, row, *mean, 4.5, INK);
    })
}

/// Thinking times in microseconds, on a scale in which each step is ten times the one before; and limits.
pub(in crate::view::report) fn times(rows: &[(String, Option<Spread>)], limits: &[u64]) -> Plot {
    let spreads = || rows.iter().filter_map(|(_, spread)| *spread);
    let ms = |us: u64| us.max(1) as f64 / 1000.0;
    let least = spreads().map(|spread| spread.most.0).min().map_or(0.1, ms);
    let most = spreads().map(|spread| spread.max).chain(limits.iter().copied()).max().map_or(10.0, ms);
    let ends: Range<f64> = 10f64.powf(least.log10().floor())..10f64.powf((most * 1.02).log10().ceil());
    let x: LogCoord<f64> = ends.log_scale().into();
    let labels: Vec<&str> = rows.iter().map(|(label, _)| &**label).collect();
    draw(&labels, x, ("thinking time of a turn", &time), |field, row| {
        for limit in limits {
            stroke_down(field, row, ms(*limit), LIMIT);
        }
        let Some(Spread { most, half, median, max }) = rows[row].1 else { return };
        stroke(field, row, (ms(most.0), ms(most.1)), 1.5, BAND);
        stroke(field, row, (ms(half.0), ms(half.1)), 7.0, BAND);
        let ring = Circle::new((ms(max), row as f64), px(3.5), MUTED.stroke_width(px(1.2) as u32));
        put!(field, ring);
        dot(field, row, ms(median), 4.0, INK);
    })
}

fn draw<X: Ranged<ValueType = f64>>(
    labels: &[&str],
    x: X,
    (axis, tell): (&str, &dyn Fn(f64) -> String),
    marks: impl Fn(&Field<'_, X>, usize),
) -> Plot {
    let bottom = TOP + ROW * labels.len() as f64;
    Plot::draw(WIDTH, (bottom + BELOW) as i32, |canvas| {
        let ticks = x.key_points(7);
        let field = field(canvas, x, -0.5..labels.len() as f64 - 0.5, (LEFT, RIGHT), (TOP, bottom));
        for tick in ticks {
            let at = f64::from(field.map_coordinate(&(tick, 0.0)).0) / f64::from(super::UNIT);
            line(canvas, (at, TOP), (at, bottom), 1.0, FAINT);
            write(canvas, &tell(tick), (at, bottom + 14.0), style(11.0, MUTED, HPos::Center, VPos::Center));
        }
        let middle = (LEFT + RIGHT) / 2.0;
        write(canvas, axis, (middle, bottom + 33.0), style(11.0, MUTED, HPos::Center, VPos::Center));
        for (row, label) in labels.iter().enumerate() {
            let at = TOP + ROW * (row as f64 + 0.5);
            row_label(canvas, label, (LEFT - 12.0, at));
            marks(&field, row);
        }
    })
}

pub(super) fn row_label(canvas: &Canvas<'_>, label: &str, at: (f64, f64)) {
    write(canvas, label, at, style(12.0, INK, HPos::Right, VPos::Center));
}

fn stroke<X: Ranged<ValueType = f64>>(
    field: &Field<'_, X>,
    row: usize,
    (from, to): (f64, f64),
    width: f64,
    colour: RGBColor,
) {
    let points = vec![(from, row as f64), (to, row as f64)];
    put!(field, PathElement::new(points, colour.mix(0.55).stroke_width(px(width) as u32)));
}

fn stroke_down<X: Ranged<ValueType = f64>>(field: &Field<'_, X>, row: usize, at: f64, colour: RGBColor) {
    let points = vec![(at, row as f64 - 0.5), (at, row as f64 + 0.5)];
    put!(field, PathElement::new(points, colour.stroke_width(px(1.5) as u32)));
}

fn dot<X: Ranged<ValueType = f64>>(field: &Field<'_, X>, row: usize, at: f64, radius: f64, colour: RGBColor) {
    put!(field, Circle::new((at, row as f64), px(radius), colour.filled()));
}

/// Writes milliseconds as a person would.
fn time(ms: f64) -> String {
    match ms {
        ms if ms >= 999.5 => format!("{} s", (ms / 1000.0 * 100.0).round() / 100.0),
        ms if ms >= 0.9995 => format!("{} ms", (ms * 100.0).round() / 100.0),
        ms => format!("{} µs", (ms * 1000.0).round()),
    }
}
