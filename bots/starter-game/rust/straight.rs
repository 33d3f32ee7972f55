//! A house bot: it goes straight on until something is in its way, and then to any free side.

use referee_rules::kit;

use crate::game::{Action, STEPS, Tron, View, step};

/// Plays one game on standard input and output.
pub(crate) fn main() {
    let mut last = 0;
    kit::run::<Tron>(|view: &View, action: &mut Action| {
        let is_free = |direction: &usize| {
            let next = step(view.side, view.riders[view.seat], STEPS[*direction]);
            next.is_some_and(|cell| view.trails[cell] == 0)
        };
        last = (0..4).map(|turn| (last + turn) % 4).find(is_free).unwrap_or(last);
        *action = Action(last as i64);
    });
}
