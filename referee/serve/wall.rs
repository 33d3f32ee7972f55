//! The page for a projector: places, names and results in large type, and what is played now. It follows the results,
//! and has no statistics.

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use referee_record::text::count;
use referee_report::parts::named;
use referee_report::show::board::{Scale, heading};

use crate::access::Asked;
use crate::api::known;
use crate::index::Filter;
use crate::layout::{self, Whole};
use crate::pages::kept_page;
use crate::refusal::Refusal;
use crate::site::Served;
use crate::snapshot::Snapshot;

/// Maximum number of bots on the page: what a wall has room for.
const SHOWN: usize = 12;

pub(crate) async fn page(asked: Asked, headers: HeaderMap) -> Result<Response, Refusal> {
    let page = kept_page(&asked, "wall".to_owned(), wall);
    Ok(page.await?.answer(&headers))
}

fn wall(served: &Served, number: u64) -> Result<Whole, Refusal> {
    let snapshot = known(served)?;
    let season = snapshot.seen.season.as_ref().filter(|season| !season.standings.rows.is_empty());
    let body = html! {
        @match season {
            Some(season) => {
                @let rows = &season.standings.rows;
                ol.wall { @for row in rows.iter().take(SHOWN) { li {
                    span.place { (row.place) }
                    (snapshot.seen.mark(&row.bot).icon())
                    span.bot { (named(&row.bot)) }
                    b { (Scale::of(season).text(row.mean_share)) }
                } } }
                p.wall { (heading(&snapshot.seen, season))
                    @if rows.len() > SHOWN { ", " (count(rows.len() as u64, "bot")) } ". "
                    (last(served, &snapshot)?) }
            }
            None => p.wall { "No game has been played yet. " (count(snapshot.seen.field.len() as u64, "bot")) " so far." },
        }
    };
    Ok(layout::wall_page(served, number, &body))
}

/// Says how the last game ended.
fn last(served: &Served, snapshot: &Snapshot) -> Result<Markup, Refusal> {
    const TOLD: usize = 3;
    let found = served.followed.index().find(&Filter::default(), 1)?;
    let Some((_, game)) = found.first() else { return Ok(html! {}) };
    let seats = game.by_place();
    Ok(html! {
        "The last game: "
        @for (at, seat) in seats.iter().take(TOLD).map(|seat| &game.seats[*seat]).enumerate() {
            @if at > 0 { ", " } (seat.place) ". " (snapshot.seen.mark(&seat.bot).icon()) " " (named(&seat.bot)) " " (seat.score)
        }
        "."
    })
}

#[cfg(test)]
mod tests {
    use super::SHOWN;

    #[test]
    fn the_guide_tells_the_number_of_bots() {
        let guide = include_str!("../../docs/guides/web.md").replace('\n', " ");
        assert!(guide.contains(&format!("the first {SHOWN} bots with their results in large type")));
    }
}
