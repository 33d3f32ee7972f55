//! The options of the server.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Parser;
use referee_record::forms::Moment;

/// The highest round number that is accepted: `referee hill run` lists at most this number of games.
const ROUND_MAX: i64 = 1 << 20;

/// Serve hills and tournaments on the web: standings, games, and submissions to hills.
///
/// Each is at /NAME, where NAME is the name of its folder. `referee hill invite HILL NAME` makes a token for an author.
/// `referee hill run` and `referee tournament run` play the games; --run starts the first. For TLS, put a proxy in
/// front of the server.
#[derive(Clone, Debug, Parser)]
#[command(name = "referee serve", version, max_term_width = 110)]
pub struct Options {
    /// Folders of hills and tournaments
    #[arg(required = true, value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Address and port to listen on (port 0: any that is free)
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Play each season of a hill to this round: starts `referee hill run` at once, and again after each admission
    #[arg(long, value_name = "ROUND", value_parser = clap::value_parser!(u32).range(1..=ROUND_MAX))]
    pub run: Option<u32>,
    /// With --run: games at a time [default: the number of cores less one]
    #[arg(long, hide_short_help = true, value_name = "N", requires = "run", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Address of the server as visitors write it, with `https://`: of pictures in chats, commands to copy, secure
    /// cookies
    #[arg(long, hide_short_help = true, value_name = "URL", value_parser = address)]
    pub address: Option<String>,
    /// Require a token for every page and table
    #[arg(long)]
    pub private: bool,
    /// Address of the proxy in front; only its X-Forwarded-For and X-Forwarded-Proto are believed
    #[arg(long, value_name = "ADDRESS")]
    pub proxy: Option<IpAddr>,
    /// Largest program, in MiB
    #[arg(long, hide_short_help = true, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub upload_mib: u64,
    /// Maximum number of submissions of an account in an hour
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 10)]
    pub hourly: usize,
    /// Maximum number of submissions of an account in a day
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 50)]
    pub daily: usize,
    /// Maximum number of unchecked submissions of an account at a time
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 3)]
    pub waiting: usize,
    /// Maximum time of the checks and builds of an account in an hour, in minutes: then it waits
    #[arg(long, hide_short_help = true, value_name = "MINUTES", default_value_t = 20)]
    pub check_minutes: u64,
    /// Refuse submissions after this time (UTC), as in 2026-12-31T23:59:59Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub until: Option<String>,
    /// Time limit for the headers of a connection, in seconds
    #[arg(long, hide = true, default_value_t = 10)]
    pub header_seconds: u64,
    /// Time limit for the body of a request, in seconds
    #[arg(long, hide = true, default_value_t = 60)]
    pub body_seconds: u64,
    /// The program referee [default: the one beside this program]
    #[arg(long, hide = true, value_name = "FILE")]
    pub referee: Option<PathBuf>,
}

/// Makes sure that an address is that of a server, without a path: the hills are at its root.
fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if !host.is_empty() && host.bytes().all(is_plain) {
        Ok(text.trim_end_matches('/').to_owned())
    } else {
        Err("not an address such as https://bots.example.org, without a path".to_owned())
    }
}

/// Makes sure that a time is in the form that can be compared with others letter by letter.
fn time(text: &str) -> Result<String, String> {
    if Moment::is_one(text) {
        Ok(text.to_owned())
    } else {
        Err("not a time such as 2026-12-31T23:59:59Z".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_one_of_a_server_without_a_path() {
        for (text, expected) in [
            ("https://bots.example.org", Some("https://bots.example.org")),
            ("http://127.0.0.1:8080/", Some("http://127.0.0.1:8080")),
            ("http://[::1]:8080", Some("http://[::1]:8080")),
            ("bots.example.org", None),
            ("https://", None),
            ("https:///", None),
            ("https://bots.example.org/h", None),
            ("https://bots.example.org//", None),
            ("https://a\"b", None),
            ("javascript://a", None),
        ] {
            let words = ["referee serve", "h", "--address", text];
            let parsed = Options::try_parse_from(words).ok().and_then(|options| options.address);
            assert_eq!(parsed.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_end_of_submissions_is_a_date_that_exists() {
        for (text, is_one) in [
            ("2026-12-31T23:59:59Z", true),
            ("2028-02-29T00:00:00Z", true),
            ("2026-13-45T00:00:00Z", false),
            ("2026-02-29T00:00:00Z", false),
            ("2026-12-31T24:00:00Z", false),
            ("2026-12-31T23:59:61Z", false),
            ("2026-12-31", false),
            ("2026-12-31T23:59:59", false),
            ("2026-12-31T23:59:59+01:00", false),
            ("tomorrow", false),
            ("", false),
        ] {
            let words = ["referee serve", "h", "--until", text];
            assert_eq!(Options::try_parse_from(words).is_ok(), is_one, "{text}");
        }
    }
}
