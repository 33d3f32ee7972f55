//! `--losses`: games that were lost in flight, are void or have faults, by bot, by seat and by node.

use referee_contest::batch::losses::{LossTally, Losses};
use serde_json::Value;

use crate::sheet::{Cells, Sheet};

/// Makes the table.
pub(super) fn sheet(account: &LossTally) -> Sheet {
    let columns = ["of", "name", "begun", "lost", "void", "faulty", "lost_share"];
    let mut sheet = Sheet::new(columns.into_iter().chain([
        "void_attempts",
        "by_it",
        "void_share",
        "lost_known",
        "lost_behind",
    ]))
    .cells(Cells::Wrongs, &["lost", "void", "faulty"]);
    let all = [("all", String::new(), &account.all)];
    let bots = account.bots.iter().map(|(name, losses)| ("bot", name.clone(), losses));
    let seats = account.seats.iter().filter(|(_, losses)| losses.by_it > 0);
    let seats = seats.map(|((bot, seat), losses)| ("seat", format!("{bot} {seat}"), losses));
    let nodes = account.nodes.iter().map(|(name, losses)| ("node", name.clone(), losses));
    for (kind, name, losses) in all.into_iter().chain(bots).chain(seats).chain(nodes) {
        let Losses { begun, lost, known, behind, void, faulty, void_attempts, by_it } = losses;
        let share = |count: &u64| super::sheet::share(*count as f64 / (*begun).max(1) as f64);
        let mut values = vec![Value::from(kind), Value::from(name)];
        values.extend([begun, lost, void, faulty].map(|count| Value::from(*count)));
        values.extend([share(lost), Value::from(*void_attempts), Value::from(*by_it), share(void_attempts)]);
        values.extend([known, behind].map(|count| Value::from(*count)));
        sheet.row(values);
    }
    sheet
}
