//! Plots are well formed, have a mark for each bot, and show the numbers of the tables.

use referee_record::game_result::GameResult;
use referee_show::drawing::scale::Scale;
use roxmltree::{Document, Node};

use super::{bots, cut_out, report, simulated, text};
use crate::random::Random;
use crate::support::{Place, files_below};
use referee_testutil::season_results::Simulated;

fn elements<'a, 'input>(document: &'a Document<'input>, tag: &'a str) -> Vec<Node<'a, 'input>> {
    document.descendants().filter(move |node| node.has_tag_name(tag)).collect()
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
    assert_eq!(count("faults.svg", "rect", &all), BOTS * 20);
    assert_eq!(count("seats.svg", "circle", &all), 4);
    for name in ["thinking.svg", "faults.svg"] {
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
    // Beside the plots with files: the leader's interval and that of each bot, their courses, and all in one chart.
    assert_eq!(words.len(), files_below(&report, "svg").len() + 1 + 2 * BOTS + 1);
    assert!(words.iter().all(|words| words.len() > 12), "{words:?}");
}

#[test]
fn the_interval_that_is_drawn_is_that_of_the_table() {
    let (place, hill) = (Place::new(), simulated(bots(8), 60));
    let report = report(&place, &hill, &["--no-logs"]);
    let standings = text(&report.join("standings.csv"));
    let lines: Vec<Vec<&str>> = standings.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let header: Vec<&str> = standings.lines().next().expect("a header").split(',').collect();
    let value = |line: &Vec<&str>, column: usize| line[column].parse::<f64>().unwrap();
    let of = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let [mean, low, high] = ["mean_share", "mean_low", "mean_high"].map(of);
    // The axis is in percent: a share of these games is no part of a highest score.
    let page = text(&report.join("index.html"));
    let drawn: Vec<String> =
        cut_out(&page, "svg").into_iter().filter(|svg| svg.contains("viewBox=\"0 0 200 22\"")).collect();
    let number_at = |line: &Vec<&str>, x: &dyn Fn(f64) -> f64, column| x(100.0 * value(line, column));
    let ends = |svg: &str| -> Vec<f64> {
        let document = Document::parse(svg).expect("a plot");
        let lines = elements(&document, "polyline");
        let wide = lines.iter().filter(|line| line.attribute("stroke-width") == Some("2"));
        let points = wide.flat_map(|line| line.attribute("points").expect("points").split(' '));
        points.filter_map(|point| point.split_once(',')?.0.parse().ok()).collect()
    };
    let dot = |svg: &str| -> f64 {
        let document = Document::parse(svg).expect("a plot");
        let dots = elements(&document, "circle");
        dots[0].attribute("cx").expect("a place").parse().expect("a number")
    };
    // The first one is that of the leader, above the table.
    let drawn = &drawn[1..];
    assert_eq!(drawn.len(), lines.len());
    // The dots of the first and the last fix the axis; all others, and all ends, are where it says.
    let (first, last) = (100.0 * value(&lines[0], mean), 100.0 * value(&lines[lines.len() - 1], mean));
    let (right, left) = (dot(&drawn[0]), dot(&drawn[lines.len() - 1]));
    let x = |percent: f64| left + (percent - last) / (first - last) * (right - left);
    for (line, svg) in lines.iter().zip(drawn) {
        let ends = ends(svg);
        let seen = [
            ends.iter().copied().fold(f64::MAX, f64::min),
            dot(svg),
            ends.iter().copied().fold(f64::MIN, f64::max),
        ];
        for (seen, column) in seen.into_iter().zip([low, mean, high]) {
            let due = number_at(line, &x, column);
            assert!((seen - due).abs() < 1.0, "{line:?}: {seen} is not {due}");
        }
    }
}

/// The number of cells with a colour.
fn shades_of(row: &str) -> usize {
    ["most", "more", "less", "least"]
        .iter()
        .map(|shade| row.matches(&format!("<td class=\"n {shade}\">")).count())
        .sum()
}

#[test]
fn a_cell_of_the_matrix_has_a_colour_only_where_chance_does_not_explain_it() {
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
        let page = text(&report.join("index.html"));
        let (_, matrix) = page.split_once("<table class=\"matrix\">").expect("the matrix");
        let (matrix, _) = matrix.split_once("</table>").expect("its end");
        let of = |shade: &str| matrix.matches(&format!("<td class=\"n {shade}\">")).count();
        let shades = ["even", "most", "more", "less", "least"].map(of);
        assert_eq!(shades.iter().sum::<usize>(), 6 * 5, "{matrix}");
        let is_coloured = |row: &&str| shades_of(row) > 0;
        let rows: Vec<&str> = matrix.split("<tr>").filter(is_coloured).collect();
        let names: Vec<String> = rows
            .iter()
            .map(|row| {
                row.split("</a>").next().unwrap_or_default().rsplit('>').next().unwrap_or_default().to_owned()
            })
            .collect();
        (shades[1..].iter().sum::<usize>(), names)
    };
    assert_eq!(coloured(0.0).0, 0, "noise has no colour");
    // Only the two that meet differ from chance, each in the row of the other; and what follows from the gain of the
    // one.
    let (count, names) = coloured(0.3);
    assert!((2..=10).contains(&count) && names.contains(&"bot0".to_owned()), "{count} in {names:?}");
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
