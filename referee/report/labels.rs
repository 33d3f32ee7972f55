//! The names of bots for plots.

use referee_record::BotName;
use referee_record::text::harmless;

/// The longest name in a plot, in columns.
const LABEL: usize = 20;

/// Returns the names of bots for a plot: short, and with the version where bots have the same name.
pub(super) fn labels(bots: &[BotName]) -> Vec<String> {
    let twice = |bot: &BotName| bots.iter().filter(|other| other.name == bot.name).count() > 1;
    let label = |bot: &BotName| {
        let name = harmless(&bot.name, LABEL);
        if twice(bot) { format!("{name} {}", bot.version) } else { name }
    };
    bots.iter().map(label).collect()
}
