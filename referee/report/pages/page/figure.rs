//! The figures of a report, each a plot with links to its files.

use maud::{Markup, html};

use crate::pages::chapter::Figure;
use crate::pages::parts::long;
use crate::pages::plots::Plot;

/// A figure with links to its files.
pub(super) fn figure(figure: &Figure, caption: &Markup, svg: &str, csv: &str) -> Markup {
    html! {
        figure {
            div.plot tabindex="0" role="group" aria-label="Plot" { (plot(figure)) }
            figcaption { (caption) " " a href=(svg) { "SVG" } ", " a href=(csv) { "CSV" } }
        }
    }
}

/// A plot in a page. A wide plot does not become too small to be read.
fn plot(figure: &Figure) -> Markup {
    let Plot { width, inner, .. } = &figure.plot;
    let fit = format!("max-width:{}px;min-width:{}px", width * 5 / 4, (*width).min(520));
    html! {
        svg viewBox=(figure.plot.view_box()) role="img" aria-label=(long(&figure.words)) style=(fit) { (inner) }
    }
}
