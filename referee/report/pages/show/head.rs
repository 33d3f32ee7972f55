//! The frame of a page: head, heading, navigation, footer.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, html};
use referee_record::text::apart;
use referee_show::drawing::svg;

use crate::pages::plots::grid::NONE_TO_MANY;

/// The style of all pages, light and dark, for screens from the width of a phone.
pub static STYLE: LazyLock<String> = LazyLock::new(|| {
    [include_str!("style.css"), &referee_show::drawing::STYLE, &svg::dark(&NONE_TO_MANY)].concat()
});

/// A page without its content.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The title of the tab.
    pub title: &'a str,
    /// The address of the style.
    pub style: &'a str,
    /// Additions to the head.
    pub more: Markup,
    /// The heading, and what comes below it.
    pub header: Markup,
    /// What the navigation is about, and its items.
    pub nav: Option<(&'a str, Markup)>,
    /// The classes of the content.
    pub class: &'a str,
    /// The last line.
    pub footer: Markup,
}

/// The head of a page.
pub fn head(title: &str, style: &str, more: &Markup) -> Markup {
    html! { head {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        link rel="icon" href="data:,";
        link rel="stylesheet" href=(style);
        title { (title) }
        (more)
    } }
}

/// Returns a whole page with this content.
pub fn document(frame: &Frame<'_>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(frame.title, frame.style, &frame.more))
            body {
                a.skip href="#main" { "Skip to the content" }
                header { (frame.header) }
                @if let Some((about, items)) = &frame.nav { nav aria-label=(about) { ul { (items) } } }
                main id="main" class=(frame.class) { (body) }
                footer { p { "referee " (env!("CARGO_PKG_VERSION")) ". " (frame.footer) } }
            }
        }
    }
}

/// The heading of the first page of a contest: its title, the host's text, and what the game is.
pub fn heading(title: &str, text: &str, about: &str) -> Markup {
    html! {
        h1 { (apart(title)) }
        @for paragraph in text.split("\n\n").filter(|part| !part.trim().is_empty()) { p.lead { (paragraph) } }
        p.small { (about) }
    }
}
