//! The names of bots for plots.

use referee_record::BotName;
use referee_record::text::{NAME, harmless};

/// Returns the names of bots for plots, which cut them, with the version where bots have the same name.
pub(super) fn labels(bots: &[BotName]) -> Vec<String> {
    let twice = |bot: &BotName| bots.iter().filter(|other| other.name == bot.name).count() > 1;
    let label = |bot: &BotName| {
        let name = harmless(&bot.name, NAME);
        if twice(bot) { format!("{name} {}", bot.version) } else { name }
    };
    bots.iter().map(label).collect()
}
