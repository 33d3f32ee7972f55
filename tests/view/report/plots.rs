//! Plots are well formed, have a mark for each bot, and show the numbers of the tables.

use referee_drawing::scale::Scale;
use referee_record::game_result::GameResult;
use roxmltree::{Document, Node};

use super::{bots, cut_out, report, simulated, text};
use crate::random::Random;
use crate::support::{Place, files_below};
use referee_testutil::season_results::Simulated;

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

    // The plots of the page are the same, and each describes its content in words.
    let page = text(&report.join("index.html"));
    let drawn = cut_out(&page, "svg").into_iter().filter(|svg| svg.contains("role=\"img\""));
    let words: Vec<String> = drawn
        .map(|svg| {
            let document = Document::parse(&svg).expect("a plot");
            document.root_element().attribute("aria-label").expect("words").to_owned()
        })
        .collect();
    assert_eq!(words.len(), files_below(&report, "svg").len() + BOTS, "with an interval for each bot");
    assert!(words.iter().all(|words| words.len() > 20), "{words:?}");
}

#[test]
fn the_plot_of_very_many_pairs_is_a_file_and_the_page_stays_short() {
    for (count, is_shown) in [(60, true), (61, false)] {
        let (place, hill) = (Place::new(), simulated(bots(count), 1));
        let report = report(&place, &hill, &["--no-logs"]);
        let page = text(&report.join("index.html"));
        let plot = text(&report.join("plots/pairs.svg"));
        let cells = plot.matches("<rect").count();
        assert!(cells > count, "{cells}");
        assert_eq!(page.matches("<rect").count() >= cells, is_shown, "{count}");
        assert_eq!(
            page.contains("<a href=\"plots/pairs.svg\">The plot, as a file</a>"),
            !is_shown,
            "{count}"
        );
    }
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

#[test]
fn a_share_against_an_opponent_has_a_colour_only_where_chance_does_not_explain_it() {
    let coloured = |planted: f64| {
        let mut simulated = Simulated::new(1);
        simulated.change_field(bots(6));
        let mut random = Random::new(5);
        let games: Vec<GameResult> = simulated
            .pairings(60)
            .iter()
            .map(|pairing| {
                let meet = [0, 1].iter().all(|bot| pairing.entrants.iter().any(|(_, other)| other == bot));
                let gain = if meet { planted } else { 0.0 };
                simulated.game(pairing, |bot, _| {
                    let noise = random.between(-80, 80) as f64 / 1000.0;
                    0.4 + noise + if bot == 0 { gain } else { 0.0 }
                })
            })
            .collect();
        simulated.enter(&games);
        let place = Place::new();
        let report = report(&place, &simulated, &["--no-logs"]);
        let svg = text(&report.join("plots/pairs.svg"));
        let document = Document::parse(&svg).expect("a plot");
        let cells = elements(&document, "rect");
        assert_eq!(cells.len(), 6 * 5);
        let count = cells.iter().filter(|cell| cell.attribute("fill") != Some("#F1F2F4")).count();
        (count, text(&report.join("index.html")))
    };
    let (count, page) = coloured(0.0);
    assert_eq!(count, 0, "noise has no colour");
    assert!(page.contains("differs from its own by more than chance explains"), "{page}");
    let (count, page) = coloured(0.3);
    // If one bot gains from another, it may appear to lose without it.
    assert!((1..=5).contains(&count), "the row of one bot: {count}");
    let (_, gains) = page.split_once("The largest gains: ").expect("a gain");
    let (gains, _) = gains.split_once('"').expect("an end");
    assert!(gains.starts_with("bot0 with bot1 +0.1") && gains.matches("with").count() <= 5, "{gains}");
    assert!(!gains.contains("bot1 with") && !gains.contains("bot2 with"), "{gains}");
}

#[test]
fn ticks_are_round_and_as_many_as_there_is_room_for() {
    let ticks = |values, most, step_min| Scale { values, pixels: (0.0, 1.0) }.ticks(most, step_min);
    let share = |value: f64| ((value * 1000.0).round() / 1000.0).to_string();
    let shares = |values| ticks(values, 6, 0.0).into_iter().map(share).collect::<Vec<_>>().join(" ");
    assert_eq!(shares(0.0..1.0), "0 0.2 0.4 0.6 0.8 1");
    assert_eq!(shares(0.21..0.27), "0.22 0.24 0.26");
    assert_eq!(shares(0.1..0.13), "0.1 0.11 0.12 0.13");
    assert_eq!(ticks(1.0..2.0, 6, 1.0), [1.0, 2.0], "rounds are whole");
    assert_eq!(ticks(1.0..1000.0, 6, 1.0), [200.0, 400.0, 600.0, 800.0, 1000.0]);
    for end in 2..500 {
        let count = ticks(1.0..f64::from(end), 3, 1.0).len();
        assert!((1..=3).contains(&count), "{count} for {end} rounds");
    }
}
