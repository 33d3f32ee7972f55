//! Plots are well formed, have a mark for each bot, and show the numbers of the tables.

use roxmltree::{Document, Node};

use super::{bots, cut_out, report, simulated, text};
use crate::support::{Place, files_below};

fn elements<'a, 'input>(document: &'a Document<'input>, tag: &'a str) -> Vec<Node<'a, 'input>> {
    document.descendants().filter(move |node| node.has_tag_name(tag)).collect()
}

fn number(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).expect(name).parse().expect(name)
}

#[test]
fn each_plot_is_well_formed_and_has_a_mark_for_each_bot() {
    const BOTS: usize = 12;
    let (place, hill) = (Place::new(), simulated(bots(BOTS), 20));
    let report = report(&place, &hill, &["--no-logs"]);
    let count = |plot: &str, tag: &str, is_it: &dyn Fn(&Node<'_, '_>) -> bool| {
        let text = text(&report.join("plots").join(plot));
        let document = Document::parse(&text).expect("a plot");
        elements(&document, tag).iter().filter(|node| is_it(node)).count()
    };
    let all = |_: &Node<'_, '_>| true;
    assert_eq!(count("standings.svg", "circle", &all), BOTS);
    assert_eq!(
        count("thinking.svg", "circle", &|node| node.attribute("fill") != Some("none")),
        BOTS,
        "medians"
    );
    assert_eq!(
        count("thinking.svg", "circle", &|node| node.attribute("fill") == Some("none")),
        BOTS,
        "longest"
    );
    assert_eq!(count("pairs.svg", "rect", &all), BOTS * (BOTS - 1));
    assert_eq!(count("faults.svg", "rect", &all), BOTS * 20);
    assert_eq!(count("seats.svg", "circle", &all), 4);
    let is_a_way =
        |node: &Node<'_, '_>| node.attribute("points").is_some_and(|points| points.split(' ').count() > 15);
    assert_eq!(count("rounds.svg", "polyline", &is_a_way), BOTS);
    for name in ["standings.svg", "thinking.svg", "faults.svg"] {
        assert_eq!(
            count(name, "text", &|node| node.text().is_some_and(|text| text.trim_start().starts_with("bot"))),
            BOTS
        );
    }

    // Those of the page are the same, and each says in words what it shows.
    let page = text(&report.join("index.html"));
    let drawn = cut_out(&page, "svg").into_iter().filter(|svg| svg.contains("role=\"img\""));
    let words: Vec<String> = drawn
        .map(|svg| {
            let document = Document::parse(&svg).expect("a plot");
            document.root_element().attribute("aria-label").expect("words").to_owned()
        })
        .collect();
    assert_eq!(words.len(), files_below(&report, "svg").len() + BOTS, "with a small one for each bot");
    assert!(words.iter().all(|words| words.len() > 20), "{words:?}");
}

#[test]
fn the_interval_that_is_drawn_is_that_of_the_table() {
    let (place, hill) = (Place::new(), simulated(bots(8), 60));
    let report = report(&place, &hill, &["--no-logs"]);
    let standings = text(&report.join("standings.csv"));
    let lines: Vec<Vec<&str>> = standings.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let header: Vec<&str> = standings.lines().next().expect("a header").split(',').collect();
    let value = |line: &Vec<&str>, column: usize| line[column].parse::<f64>().unwrap();
    let svg = text(&report.join("plots/standings.svg"));
    let document = Document::parse(&svg).expect("a plot");
    let dots: Vec<f64> = elements(&document, "circle").iter().map(|dot| number(dot, "cx")).collect();
    let is_bar = |node: &&Node<'_, '_>| node.attribute("stroke") == Some("#0072B2");
    let bars = elements(&document, "polyline");
    let bars: Vec<Vec<f64>> = bars
        .iter()
        .filter(is_bar)
        .map(|bar| {
            let points = bar.attribute("points").expect("points").split_whitespace();
            points.map(|point| point.split_once(',').expect("a point").0.parse().unwrap()).collect()
        })
        .collect();
    assert_eq!((dots.len(), bars.len()), (8, 8));
    // The axis, from the first mean and the last.
    let of = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let [mean, low, high] = ["mean_share", "mean_low", "mean_high"].map(of);
    let (first, last) = (value(&lines[0], mean), value(&lines[7], mean));
    let scale = (dots[0] - dots[7]) / (first - last);
    let at = |share: f64| dots[7] + (share - last) * scale;
    for ((line, dot), bar) in lines.iter().zip(&dots).zip(&bars) {
        for (drawn, column) in [(*dot, mean), (bar[0], low), (bar[1], high)] {
            assert!(
                (drawn - at(value(line, column))).abs() < 1.0,
                "{line:?} {drawn} {}",
                at(value(line, column))
            );
        }
    }
}
