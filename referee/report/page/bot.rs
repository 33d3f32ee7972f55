//! The page of each bot: its place and those beside it, its course, its opponents, its latest games, its versions. It
//! is made from what the first page is made from, and from the last games that are kept of each bot.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;

use crate::chapter::{Chapter, Rounds};
use crate::line::NamesFrom;
use crate::page::board::{self, Board};
use crate::page::figure::drawn;
use crate::page::{INDEX, UP, document, list, table};
use crate::parts::{bot, long, name, said};
use crate::{ReportData, Version};
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::text::{NAME, apart, count, harmless};
use referee_rules::FaultKind;
use referee_statistics::pairs::Pair;
use referee_tables::sentence::Sentence;
use referee_tables::sheet::Sheet;

/// Maximum number of opponents on the page of a bot.
const OPPONENTS_MAX: usize = 100;

/// Number of bots up to which a sentence lists them by name.
const NAMED: usize = 3;

/// What the pages of all bots of a chapter are made from.
struct Whole<'a> {
    chapter: &'a Chapter,
    rounds: Option<&'a Rounds>,
    board: Option<Board<'a>>,
    /// By bot: its opponents, each with what chance does not explain of its mean share against them.
    pairs: Vec<Vec<(Pair, Option<f64>)>>,
    /// By bot: the numbers of the bots clearly behind it; `None` without ranks.
    behind: Vec<Option<Vec<usize>>>,
}

impl<'a> Whole<'a> {
    fn new(report: &'a ReportData, chapter: &'a Chapter, rounds: Option<&'a Rounds>) -> Whole<'a> {
        let field = &chapter.seen.bots;
        let mut pairs: Vec<_> = field.bots().iter().map(|_| Vec::new()).collect();
        for (pair, difference) in chapter.pairs() {
            if let Some(bot) = field.index(&pair.bot) {
                pairs[bot].push((pair, difference));
            }
        }
        let numbers = |bots: Vec<&BotName>| {
            let mut numbers: Vec<usize> = bots.iter().filter_map(|bot| field.index(bot)).collect();
            numbers.sort_unstable();
            numbers
        };
        let behind = field.bots().iter().map(|bot| chapter.account.behind(bot).map(numbers)).collect();
        let board = Board::new(chapter, &report.games.names);
        Whole { chapter, rounds, board, pairs, behind }
    }
}

/// Makes the page of each bot, and hands it to `write` with its name.
///
/// # Errors
///
/// The first error of `write`.
pub(super) fn each(
    report: &ReportData,
    rounds: &[Option<Rounds>],
    mut write: impl FnMut(&str, Markup) -> Result<(), Error>,
) -> Result<(), Error> {
    let chapters = report.chapters.iter().zip(rounds);
    let chapters: Vec<Whole<'_>> =
        chapters.map(|(chapter, rounds)| Whole::new(report, chapter, rounds.as_ref())).collect();
    for (bot, file) in &report.games.names.pages {
        write(file, page(report, &chapters, bot))?;
    }
    Ok(())
}

fn page(report: &ReportData, chapters: &[Whole<'_>], of: &str) -> Markup {
    let parts = chapters.iter().enumerate().flat_map(|(number, whole)| {
        let bots = whole.chapter.bots().iter().enumerate();
        bots.filter(|(_, bot)| bot.name == *of).map(move |(bot, _)| (number, whole, bot))
    });
    let parts: Vec<(usize, &Whole<'_>, usize)> = parts.collect();
    let mark = chapters.first().map(|whole| whole.chapter.mark(of));
    let (voids, last_voids) = report.voids.of(of);
    let body = html! {
        header {
            p.small { a href={ (UP) (INDEX) } { (long(&report.title)) } }
            h1 { @if let Some(mark) = mark { (mark.icon()) " " } (name(of)) }
        }
        (beside(report, &parts))
        main id="main" {
            @if let Some(said) = overall(report, of) { p.lead { (said) } }
            @for (number, whole, bot) in &parts { (section(report, *number, whole, *bot)) }
            @if voids > 0 {
                section { h2 { "Void games" }
                    p { (count(voids as u64, "attempt")) " at games do not count, for which it is named, in all its games. The last of them:" }
                    (table("Void games", &last_voids, None))
                }
            }
            @if let Some(versions) = report.versions.get(of) {
                section { h2 { "Versions" } (table("Each program under this name, the last one first", &listed(versions), None)) }
            }
        }
    };
    document(&format!("{}: {}", apart(&harmless(of, NAME)), report.title), &body)
}

/// The links to the report, and to the bots beside it in the standings, if there is one table of them.
fn beside(report: &ReportData, parts: &[(usize, &Whole<'_>, usize)]) -> Markup {
    let names = &report.games.names;
    let single = match parts {
        [(_, whole, of)] if report.chapters.len() == 1 => {
            Some((&whole.chapter.lines, &whole.chapter.bots()[*of]))
        }
        _ => None,
    };
    let at = single.and_then(|(lines, of)| Some((lines, lines.iter().position(|line| line.bot == *of)?)));
    let other = |step: isize| at.and_then(|(lines, at)| lines.get(at.checked_add_signed(step)?));
    html! {
        nav aria-label="Pages" { ul {
            li { a href={ (UP) (INDEX) } { "The report" } }
            @if let Some(line) = other(-1) { li { "Place before: " (bot(&NamesFrom(names, UP), &line.bot.name)) } }
            @if let Some(line) = other(1) { li { "Place after: " (bot(&NamesFrom(names, UP), &line.bot.name)) } }
        } }
    }
}

fn section(report: &ReportData, number: usize, whole: &Whole<'_>, of: usize) -> Markup {
    let (chapter, names) = (whole.chapter, &report.games.names);
    let this = &chapter.bots()[of];
    let id = format!("part-{}-{}", number + 1, this.version);
    let course = whole.rounds.map(|rounds| &rounds.each[of]);
    let mut games = report.games.last_of(number, of).peekable();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (long(&chapter.name)) @if this.version > 1 { ", version " (this.version) } }
            p.lead { (said(&NamesFrom(names, UP), &standing(whole, of))) }
            div.halves {
                div { @if let Some(board) = &whole.board { (board.around(UP, this)) }
                    @if let Some(thinking) = chapter.thinking_of(of) { p.small { (thinking) } }
                    p.small { (faults(chapter, this)) }
                }
                @if let Some(course) = course { figure {
                    (drawn(course, false))
                    figcaption { "Its mean share of all games up to a round"
                        @if chapter.account.says_how_sure() { ", with its 95 % confidence band" }
                        ". All bots have the same scale; values beyond it are cut off." }
                } }
            }
            div.halves {
                div { @if games.peek().is_some() { h3 { "Latest games" } (list::of_a_bot(names, of, games)) } }
                div { (opponents(report, whole, of)) }
            }
        }
    }
}

/// Says which place a bot has over all sub-tournaments; `None` if there is only one.
fn overall(report: &ReportData, of: &str) -> Option<String> {
    let rows = &report.overall.as_ref().filter(|_| report.chapters.len() > 1)?.rows;
    let row = rows.iter().find(|row| row.bot == of)?;
    let is_final = report.chapters[0].is_final == Some(true);
    Some(format!(
        "{} {} of {} over all sub-tournaments: the average of its mean shares is {:.3}.",
        if is_final { "Final place" } else { "Place" },
        row.place,
        rows.len(),
        row.mean_share
    ))
}

/// Says which place a bot has, and which bots are clearly ahead of it and behind it.
fn standing(whole: &Whole<'_>, of: usize) -> Sentence {
    let (chapter, bots) = (whole.chapter, whole.chapter.bots());
    let said = Sentence::default();
    let Some(line) = chapter.lines.iter().find(|line| line.bot == bots[of]) else {
        return said.words("None of its games counts yet.");
    };
    let bounds = chapter.account.mean(&line.bot).map(|interval| (interval.lower, interval.upper));
    let is_final = chapter.is_final == Some(true);
    let mut said = said.words(format!(
        "{} {} of {}: {}, in {}.",
        if is_final { "Final place" } else { "Place" },
        line.place,
        chapter.lines.len(),
        board::words(line.mean_share, bounds),
        count(line.games, "game")
    ));
    let others = chapter.lines.len() - 1;
    let (Some(behind), false) = (&whole.behind[of], is_final || others == 0) else { return said };
    let ahead = whole.behind.iter().enumerate();
    let ahead = ahead.filter(|(_, behind)| behind.as_ref().is_some_and(|behind| behind.contains(&of)));
    let ahead: Vec<usize> = ahead.map(|(bot, _)| bot).collect();
    for (how, some) in
        [("behind", &ahead), ("ahead of", behind)].into_iter().filter(|(_, some)| !some.is_empty())
    {
        said = said.words(format!(" Clearly {how} "));
        said = match some.len() {
            few if few <= NAMED => said.bots(some.iter().map(|bot| &*bots[*bot].name), ", "),
            all if all == others => said.words("all others"),
            many => said.words(format!("{many} bots")),
        };
        said = said.words(".");
    }
    match others.saturating_sub(ahead.len() + behind.len()) {
        0 => said,
        all if all == others => said.words(" It is not yet proven which bots are better."),
        open => said.words(format!(" Between it and {} it is not yet decided.", count(open as u64, "other"))),
    }
}

/// Says which faults a bot made.
fn faults(chapter: &Chapter, of: &BotName) -> String {
    let Some(line) = chapter.lines.iter().find(|line| line.bot == *of) else { return String::new() };
    let kinds = FaultKind::ALL.iter().zip(line.faults).filter(|(_, faults)| *faults > 0);
    let kinds: Vec<String> = kinds.map(|(kind, faults)| format!("{faults} {}", kind.name())).collect();
    let games = count(line.games, "game");
    if kinds.is_empty() {
        format!("No faults in {games}.")
    } else {
        format!("Faults in {games}: {}.", kinds.join(", "))
    }
}

/// The results of a bot against each opponent, in the order of the standings.
fn opponents(report: &ReportData, whole: &Whole<'_>, of: usize) -> Markup {
    let (chapter, names) = (whole.chapter, &report.games.names);
    let of_company: BTreeMap<usize, &(Pair, Option<f64>)> = whole.pairs[of]
        .iter()
        .filter_map(|pair| Some((chapter.seen.bots.index(&pair.0.company)?, pair)))
        .collect();
    if of_company.is_empty() {
        return html! {};
    }
    let (all, mut shown) = (of_company.len(), of_company.into_iter().collect::<Vec<_>>());
    if all > OPPONENTS_MAX {
        shown.sort_by_key(|(company, _)| company.abs_diff(of));
        shown.truncate(OPPONENTS_MAX);
        shown.sort_by_key(|(company, _)| *company);
    }
    let caption = "Against each opponent, in the order of the standings";
    html! {
        h3 { "Against each opponent" }
        div.scroll tabindex="0" role="group" aria-label=(caption) { table {
            caption { (caption) }
            thead { tr {
                th scope="col" { "opponent" } th scope="col" .n { "games" } th scope="col" .n { "finished before it" }
                th scope="col" .n { "mean share" } th scope="col" .n { "beyond chance" }
            } }
            tbody { @for (company, (pair, difference)) in shown { tr {
                @let other = &chapter.bots()[company].name;
                th scope="row" { span.name { (chapter.mark(other).icon()) span { (bot(&NamesFrom(names, UP), other)) } } }
                td.n { (pair.games) }
                td.n { (format!("{:.0} %", pair.before * 100.0)) }
                td.n { (format!("{:.3}", pair.mean_share)) }
                td.n { @if let Some(difference) = difference.filter(|difference| *difference != 0.0) { b { (format!("{difference:+.3}")) } } }
            } } }
        } }
        p.small { "Finished before it: the part of their games, ties half. Beyond chance: by how much its mean share in these games differs from that in all its games, where chance does not explain it."
            @if all > OPPONENTS_MAX { " These are the " (OPPONENTS_MAX) " opponents nearest in the standings; pairs.csv has all." } }
    }
}

fn listed(versions: &[Version]) -> Sheet {
    let mut sheet = Sheet::new(["version", "author", "submitted", "until", "why"]);
    for Version { number, since, end, author } in versions.iter().rev() {
        let (why, until) = end.as_ref().map_or((Value::Null, Value::Null), |(why, until)| {
            (Value::from(*why), Value::from(until.clone()))
        });
        sheet.row(vec![Value::from(*number), author.clone().into(), since.clone().into(), until, why]);
    }
    sheet
}
