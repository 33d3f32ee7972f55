//! Figures of a report: a plot with links to its files.

use maud::{Markup, html};

use crate::chapter::Figure;
use crate::parts::long;
use crate::plots::Plot;

/// A figure with links to its files. A plot that would make the page long is in its file alone.
pub(super) fn figure(figure: &Figure, is_shown: bool, caption: &Markup, svg: &str, csv: &str) -> Markup {
    html! {
        figure {
            @if is_shown { div.plot tabindex="0" role="group" aria-label="Plot" { (drawn(figure, true)) } }
            @else { p { a href=(svg) { "The plot, as a file" } } }
            figcaption { (caption) " " a href=(svg) { "SVG" } ", " a href=(csv) { "CSV" } }
        }
    }
}

/// A plot in a page. Wide ones stay large enough to be read.
pub(super) fn drawn(figure: &Figure, is_wide: bool) -> Markup {
    let Plot { width, inner, .. } = &figure.plot;
    let fit = if is_wide {
        format!("max-width:{}px;min-width:{}px", width * 5 / 4, (*width).min(520))
    } else {
        String::new()
    };
    html! {
        svg viewBox=(figure.plot.view_box()) role="img" aria-label=(long(&figure.words)) style=[is_wide.then_some(fit)] { (inner) }
    }
}
