//! Who has changed the field of a hill: its host, the author of a bot, or the rule of its capacity.

use referee_record::schema::{CellForm, CellKind};

/// Who did it, as the program of the host has recorded it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Nobody knows: the row is of an earlier format.
    Unknown,
    /// The host, on the machine of the hill.
    #[default]
    Host,
    /// The account on the web that is the author of the bot.
    Author,
    /// A run, since the hill had more bots than its capacity.
    Capacity,
}

impl By {
    /// Returns a sentence about what the host can do. It ends with the command, except for an author on the web, who
    /// cannot type it.
    pub(crate) fn remedy(self, words: &str, command: &str) -> String {
        if self == By::Author { words.to_owned() } else { format!("{words}: {command}") }
    }

    /// All of them.
    const ALL: [By; 4] = [By::Unknown, By::Host, By::Author, By::Capacity];

    /// Returns the word in the history.
    pub fn name(self) -> &'static str {
        match self {
            By::Unknown => "",
            By::Host => "host",
            By::Author => "author",
            By::Capacity => "capacity",
        }
    }
}

/// The form of the cell that says it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WhoDidIt;

impl CellKind for WhoDidIt {
    const KIND: &'static str = "`host`, `author` by the web, `capacity`, or empty: unknown";
}

impl CellForm<By> for WhoDidIt {
    fn write(value: &By, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<By, String> {
        let found = By::ALL.into_iter().find(|by| by.name() == cell);
        found.ok_or_else(|| format!("not host, author or capacity: {cell:?}"))
    }
}
