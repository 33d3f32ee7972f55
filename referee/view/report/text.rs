//! Names and texts of strangers, as they may be shown.

use crate::record::BotName;

/// Replaces what would do something rather than be seen: control characters, and those that turn the direction of a line.
pub(super) fn visible(text: &str) -> String {
    let hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
            || matches!(letter, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars().map(|letter| if hidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// Cuts a text that is longer than this, in letters.
pub(super) fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        None => text.to_owned(),
        Some(_) => text.chars().take(letters - 1).chain(['…']).collect(),
    }
}

/// The names of bots for plots: short, each with its version where a name comes twice.
pub(super) fn labels(bots: &[BotName]) -> Vec<String> {
    let twice = |bot: &BotName| bots.iter().filter(|other| other.name == bot.name).count() > 1;
    let label = |bot: &BotName| {
        let name = cut(&visible(&bot.name), 20);
        if twice(bot) { format!("{name} {}", bot.version) } else { name }
    };
    bots.iter().map(label).collect()
}
