//! The page for a projector: a large game, the standings beside it in large type, and how far the proof is. It follows
//! the results.

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::text::count;
use referee_report::pages::parts::named;
use referee_report::pages::show::board::{heading, to_text};
use referee_report::pages::show::games::GameSummary;

use crate::access::Visit;
use crate::api::known;
use crate::index::Filter;
use crate::layout::{self, Whole};
use crate::live;
use crate::pages::cached_page;
use crate::refusal::Refusal;
use crate::site::Served;
use crate::snapshot::Snapshot;

/// Maximum number of bots on the page.
const BOTS_SHOWN: usize = 12;

/// Number of last games, of which the closest is shown while none is played.
const LAST_GAMES: usize = 20;

pub(crate) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    let Visit { site, served, .. } = &visit;
    let mut game_now = None;
    // A server that is busy shows the standings all the same.
    if served.is_live
        && let Ok(running) = live::running(site, served, &visit.address()).await
    {
        game_now = running.games.into_iter().next().map(|running| running.game);
    }
    let address = format!("wall {game_now:?}");
    let page = cached_page(&visit, address, move |served, number| wall(served, number, game_now.as_deref()));
    Ok(page.await?.answer(&headers))
}

/// Returns the page. `game_now` is a game that is played now, `number` the number of the snapshot.
fn wall(served: &Served, number: u64, game_now: Option<&str>) -> Result<Whole, Refusal> {
    let snapshot = known(served)?;
    let game = match game_now {
        Some(game) => Some((format!("/{}/games/{game}/live", served.name), "The game that is played now")),
        None => closest(served)?.map(|game| {
            (format!("/{}/games/{}/replay", served.name, game.id), "The closest of the last games")
        }),
    };
    let body = html! {
        @if let Some((address, what)) = &game {
            iframe.wall src={ (address) "#wall" } title=(what) {}
        }
        (standings(&snapshot))
        (proof(&snapshot))
        p.wall { @match &snapshot.contest.season {
            Some(season) => { (heading(&snapshot.contest, season)) ". " }
            None => { "No game has been played yet. " (count(snapshot.contest.field.len() as u64, "bot")) " so far. " }
        } (game.as_ref().map(|(_, what)| *what).unwrap_or_default()) }
    };
    Ok(layout::wall_page(served, number, game.is_some(), &body))
}

/// Says who leads, and how far the proof is, or what the verdict is.
fn proof(snapshot: &Snapshot) -> Markup {
    let season = snapshot.contest.season.as_ref();
    let lead = season.and_then(|season| season.lead.as_ref()).map(|lead| to_text(&lead.sentence()));
    html! { @if let Some(season) = season {
        p.wall { (lead.unwrap_or_default()) " " (season.sentences.first().map(String::as_str).unwrap_or_default()) }
    } }
}

/// The first bots of the standings, or those that wait for the first game.
fn standings(snapshot: &Snapshot) -> Markup {
    let contest = &snapshot.contest;
    let season = contest.season.as_ref().filter(|season| !season.standings.rows.is_empty());
    html! { @match season {
        Some(season) => {
            @let scale = season.standings.scale();
            ol.wall { @for row in season.standings.rows.iter().take(BOTS_SHOWN) { li {
                span.place { (row.place) }
                (contest.mark(&row.bot).icon())
                span.bot { (named(&row.bot)) }
                b { (scale.text(row.mean_share)) }
            } } }
        }
        None => ol.wall { @for event in contest.field.iter().take(BOTS_SHOWN) { li {
            span.place {} (contest.mark(&event.bot.name).icon()) span.bot { (named(&event.bot.name)) }
        } } }
    } }
}

/// Returns the closest of the last games whose logs are there. Of equally close games it is the latest; a game in which
/// all were level counts as less close than any other.
fn closest(served: &Served) -> Result<Option<GameSummary>, Refusal> {
    let found = served.followed.index().find(&Filter::default(), LAST_GAMES)?;
    let games = found.into_iter().map(|(_, game)| game);
    let games = games.filter(|game| log::resolve_form(Spot::below(&served.root, &game.log)).is_file());
    Ok(games.min_by(|one, other| match (one.margin(), other.margin()) {
        (Some(one), Some(other)) => one.compare(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }))
}

#[cfg(test)]
mod tests {
    use super::{BOTS_SHOWN, LAST_GAMES};

    #[test]
    fn the_guide_tells_the_numbers() {
        let guide = include_str!("../../docs/guides/web.md").replace('\n', " ");
        assert!(guide.contains(&format!("the first {BOTS_SHOWN} bots with their results in large type")));
        assert!(guide.contains(&format!("the closest of the last {LAST_GAMES} games")));
    }
}
