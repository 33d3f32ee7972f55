//! A mean with its confidence interval, drawn as a dot with whiskers. All rows of a table have one axis.

use std::ops::Range;

use maud::{Markup, html};

use crate::drawing::mark::Mark;
use crate::drawing::scale::Scale;
use crate::drawing::svg::{FAINT, INK, MUTED, line, px, text};

const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 22.0;
const EDGE: f64 = 9.0;

/// The axis of a table's intervals.
#[derive(Clone, Debug)]
pub struct Axis {
    scale: Scale,
    /// The mean of the leader, which each row shows as a line.
    leader: f64,
}

/// The interval of a bot.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Its mean.
    pub mean: f64,
    /// The bounds of its mean, if they are known.
    pub bounds: Option<(f64, f64)>,
    /// Whether nothing shows that the leader is better: then a tick is at the leader's mean.
    pub is_open: bool,
    /// The colour and the shape.
    pub mark: Mark,
}

impl Axis {
    /// Makes an axis for these values, which are from 0 to `whole`. Bounds beyond the axis are cut off.
    pub fn new(means: &[f64], bounds: impl IntoIterator<Item = (f64, f64)>, leader: f64, whole: f64) -> Axis {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(min, max), value| (min.min(value), max.max(value)))
        };
        let (mut min, mut max) = range(&mut means.iter().copied());
        let (low, high) = range(&mut bounds.into_iter().flat_map(|(low, high)| [low, high]));
        if min > max {
            (min, max) = (0.0, whole);
        }
        // Bounds have only some room beyond the means: very wide intervals would push all dots together.
        let room = ((max - min) * 1.5).max(0.01 * whole);
        (min, max) = (min.min(low.max(min - room)), max.max(high.min(max + room)));
        let edge = ((max - min) * 0.04).max(0.002 * whole);
        let values: Range<f64> = (min - edge).max(0.0)..(max + edge).min(whole);
        Axis { scale: Scale { values, pixels: (EDGE, WIDTH - EDGE) }, leader }
    }

    /// Draws the values of the axis, for the head of the table.
    pub fn head(&self) -> Markup {
        let ticks: Vec<f64> = self.scale.ticks(4, 0.0);
        html! {
            svg.interval viewBox={ "0 0 " (WIDTH) " 14" } width=(WIDTH) height="14" aria-hidden="true" {
                @for tick in ticks {
                    @let at = self.scale.at(tick).clamp(12.0, WIDTH - 12.0);
                    (text((at, 7.0), &((tick * 1e4).round() / 1e4).to_string(), 11.0, MUTED, "middle"))
                }
            }
        }
    }

    /// Draws the interval of a bot. `words` say the same to readers who cannot see it.
    pub fn row(&self, drawn: Drawn, words: &str) -> Markup {
        let middle = HEIGHT / 2.0;
        let (at, leader) = (self.scale.at(drawn.mean), self.scale.at(self.leader));
        let colour = drawn.mark.colour();
        let is_cut = |bound: f64| !(self.scale.values.start..=self.scale.values.end).contains(&bound);
        html! {
            svg.interval viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img"
                aria-label=(words) {
                (line([(leader, 0.0), (leader, HEIGHT)], 1.0, FAINT, 1.0))
                @if let Some((low, high)) = drawn.bounds {
                    @let ends = [low, high].map(|bound| (self.scale.at(bound), is_cut(bound)));
                    (line(ends.map(|(end, _)| (end, middle)), 2.0, colour, 1.0))
                    // A whisker without its end goes on beyond the axis.
                    @for (end, _) in ends.into_iter().filter(|(_, is_cut)| !is_cut) {
                        (line([(end, middle - 4.0), (end, middle + 4.0)], 2.0, colour, 1.0))
                    }
                }
                @if drawn.is_open { path d={ "M" (px(leader)) " 0v5m0 12v5" } stroke=(INK) stroke-width="2.5" {} }
                (drawn.mark.at((at, middle), 4.6))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(mean: f64, bounds: Option<(f64, f64)>, is_open: bool) -> Drawn {
        Drawn { mean, bounds, is_open, mark: Mark::of(0) }
    }

    #[test]
    fn a_row_says_in_words_what_it_draws_and_has_a_tick_where_the_leader_may_be_reached() {
        let axis = Axis::new(&[0.5, 0.4], [(0.45, 0.55), (0.35, 0.46)], 0.5, 1.0);
        let open = axis.row(drawn(0.4, Some((0.35, 0.46)), true), "0.4, from 0.35 to 0.46").into_string();
        assert!(
            open.contains("role=\"img\"") && open.contains("aria-label=\"0.4, from 0.35 to 0.46\""),
            "{open}"
        );
        assert!(open.contains(INK), "{open}");
        let beaten = axis.row(drawn(0.4, Some((0.35, 0.46)), false), "").into_string();
        assert!(!beaten.contains(INK), "{beaten}");
        // Both ends of a whisker, its line, and the leader's line.
        assert_eq!(beaten.matches("<polyline").count(), 4, "{beaten}");
        assert_eq!(axis.row(drawn(0.4, None, false), "").into_string().matches("<polyline").count(), 1);
    }

    #[test]
    fn very_wide_intervals_do_not_push_the_dots_together() {
        let axis = Axis::new(&[0.5, 0.4], [(0.0, 1.0), (0.0, 1.0)], 0.5, 1.0);
        let apart = axis.scale.at(0.5) - axis.scale.at(0.4);
        assert!(apart > WIDTH / 5.0, "{apart} pixels");
        let cut = axis.row(drawn(0.5, Some((0.0, 1.0)), true), "").into_string();
        // The whisker has no ends: they lie beyond the axis.
        assert_eq!(cut.matches("<polyline").count(), 2, "{cut}");
        // Equal means, one bot, none: a scale has a width in any case.
        for means in [&[0.5, 0.5][..], &[0.0], &[1.0], &[]] {
            let axis = Axis::new(means, [], 0.5, 1.0);
            assert!(axis.scale.values.end > axis.scale.values.start, "{means:?}");
            assert!(!axis.head().into_string().contains("NaN"));
        }
    }
}
