//! The names of bots for plots.

use referee_record::BotName;
use referee_record::text::{NAME, harmless};

/// Returns the names of bots for plots, each with the version if another bot has the same name.
pub(super) fn labels(bots: &[BotName]) -> Vec<String> {
    let has_namesake = |bot: &BotName| bots.iter().filter(|other| other.name == bot.name).count() > 1;
    let label = |bot: &BotName| {
        let name = harmless(&bot.name, NAME);
        if has_namesake(bot) { format!("{name} {}", bot.version) } else { name }
    };
    bots.iter().map(label).collect()
}
