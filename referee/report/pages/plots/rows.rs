//! Plots with a row for each bot or seat: means, and thinking times.

use maud::{Markup, html};

use crate::pages::plots::{At, BAND, FAINT, INK, LIMIT, MUTED, Plot, Scale, dot, line, px, share, text};
use crate::pages::tally::Spread;
use referee_record::text::apart;
use referee_show::drawing::breadth;

const WIDTH: f64 = 640.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 624.0;
const TOP: f64 = 8.0;
const ROW: f64 = 24.0;
const BELOW: f64 = 44.0;

/// The opacity of bars, so that marks below them can be seen.
const BAR: f64 = 0.55;

/// Mean shares.
pub(crate) fn means(rows: &[(String, f64)], axis: &str) -> Plot {
    let x = Scale { values: super::shares(rows.iter().map(|(_, mean)| *mean)), pixels: (LEFT, RIGHT) };
    let ticks: Vec<(f64, String)> =
        x.ticks(7, 0.0).into_iter().map(|tick| (x.at(tick), share(tick))).collect();
    let rows: Vec<(&str, Markup)> = (0..)
        .map(middle_of)
        .zip(rows)
        .map(|(y, (label, mean))| (&**label, dot((x.at(*mean), y), 4.5, INK)))
        .collect();
    draw(&rows, axis, &ticks)
}

/// Thinking times and limits, in microseconds, on a logarithmic scale.
pub(crate) fn times(rows: &[(String, Option<Spread>)], limits: &[u64]) -> Plot {
    let spreads = || rows.iter().filter_map(|(_, spread)| *spread);
    let ms = |us: u64| us.max(1) as f64 / 1000.0;
    let min = spreads().map(|spread| spread.nearly_all.0).min().map_or(0.1, ms);
    let max = spreads().map(|spread| spread.max).chain(limits.iter().copied()).max().map_or(10.0, ms);
    let x = Scale { values: min.log10().floor()..(max * 1.02).log10().ceil(), pixels: (LEFT, RIGHT) };
    let at = |us: u64| x.at(ms(us).log10());
    let ticks: Vec<(f64, String)> =
        x.ticks(7, 1.0).into_iter().map(|tick| (x.at(tick), time(10f64.powf(tick)))).collect();
    let rows: Vec<(&str, Markup)> = (0..)
        .map(middle_of)
        .zip(rows)
        .map(|(y, (label, spread))| {
            let marks = html! {
                @for limit in limits {
                    (line([(at(*limit), y - ROW / 2.0), (at(*limit), y + ROW / 2.0)], 1.5, LIMIT, 1.0))
                }
                @if let Some(Spread { nearly_all, half, median, max }) = *spread {
                    (line([(at(nearly_all.0), y), (at(nearly_all.1), y)], 1.5, BAND, BAR))
                    (line([(at(half.0), y), (at(half.1), y)], 7.0, BAND, BAR))
                    circle cx=(px(at(max))) cy=(px(y)) r="3.5" fill="none" stroke=(MUTED) stroke-width="1.2" {}
                    (dot((at(median), y), 4.0, INK))
                }
            };
            (&**label, marks)
        })
        .collect();
    draw(&rows, "thinking time of a turn", &ticks)
}

/// Returns the middle of a row in pixels. Rows count from 0.
fn middle_of(row: u32) -> f64 {
    TOP + ROW * (f64::from(row) + 0.5)
}

/// Draws rows, each with its name and its marks, above an axis.
fn draw(rows: &[(&str, Markup)], axis: &str, ticks: &[(f64, String)]) -> Plot {
    let bottom = TOP + ROW * rows.len() as f64;
    let inner = html! {
        @for (at, value) in ticks {
            (line([(*at, TOP), (*at, bottom)], 1.0, FAINT, 1.0))
            (text((*at, bottom + 14.0), value, 11.0, MUTED, "middle"))
        }
        (text(((LEFT + RIGHT) / 2.0, bottom + 33.0), axis, 11.0, MUTED, "middle"))
        @for (y, (label, marks)) in (0..).map(middle_of).zip(rows) {
            (row_label((LEFT - 12.0, y), label))
            (marks)
        }
    };
    Plot::new(WIDTH, bottom + BELOW, inner)
}

pub(super) fn row_label(at: At, label: &str) -> Markup {
    text(at, &apart(&breadth::fitting(label, at.0, 12.0)), 12.0, INK, "end")
}

/// Writes a time in milliseconds in the unit that fits it.
fn time(ms: f64) -> String {
    match ms {
        ms if ms >= 999.5 => format!("{} s", (ms / 1000.0 * 100.0).round() / 100.0),
        ms if ms >= 0.9995 => format!("{} ms", (ms * 100.0).round() / 100.0),
        ms => format!("{} µs", (ms * 1000.0).round()),
    }
}
