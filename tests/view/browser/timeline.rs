//! The chart of scores of a page, drawn onto a canvas that only notes what it is told.

use std::process::Command;

use serde_json::{Value, json};

/// Draws the scores of two seats. Prints the labels of the axis, and the heights of the curves: from 0 at the bottom to
/// 100 at the top.
const DRAW: &str = r"
const mix = (one, other, part) => one + (other - one) * part;
const labels = [], heights = [];
const write = (ctx, text) => labels.push(text);
const [traceShape, shapeOf] = [() => {}, () => {}];
const [script, scores] = [process.argv[1], JSON.parse(process.argv[2])];
const Timeline = eval(`${script}; Timeline`);
const score = (turn, seat) => scores[2 * turn + seat];
const tape = { scoreFacts: [1], marks: [], seats: [0, 1], turns: scores.length / 2 - 1, scores, score };
const timeline = new Timeline(tape, null);
Object.assign(timeline, { left: 0, right: 100, top: -4, bottom: 100, width: 100, height: 90 });
const note = (name) => (x, y) => name.endsWith('To') && heights.push(Math.round(100 - y));
const kept = {};
const ctx = new Proxy(kept, { get: (_, name) => kept[name] ?? note(name), set: (_, name, value) => { kept[name] = value; return true; } });
timeline.axis = ((axis) => (ctx, ...more) => { axis.call(timeline, ctx, ...more); heights.length = 0; })(timeline.axis);
timeline.drawScores(ctx, ctx, { seat: () => '' });
console.log(JSON.stringify({ labels, heights: [Math.min(...heights), Math.max(...heights)] }));
";

/// Shows some turns, one after the other. Prints how much of the layer with scores is drawn at each, in pixels.
const SHOW: &str = r"
const mix = (one, other, part) => one + (other - one) * part;
const Timeline = eval(`${process.argv[1]}; Timeline`);
const widths = [];
const quiet = { drawImage: (layer, ...box) => { if (layer === 'told') widths.push(box[2]); } };
const ctx = new Proxy(quiet, { get: (_, name) => quiet[name] ?? (() => {}), set: () => true });
const tape = { scoreFacts: [1], marks: [], seats: [0, 1], turns: 100 };
const timeline = new Timeline(tape, { width: 120, height: 50, getContext: () => ctx });
Object.assign(timeline, { left: 10, right: 110, height: 50, ratio: 1, still: 'still', told: 'told' });
for (const turn of [0, 40, 20, 70, 100, 3]) timeline.draw(turn, {});
console.log(JSON.stringify(widths));
";

#[test]
#[ignore = "needs node"]
fn scores_are_drawn_up_to_the_furthest_turn_that_was_shown() {
    let script = include_str!("../../../referee/show/page/html/timeline.js");
    let output = Command::new("node").args(["-e", SHOW, script]).output().expect("node");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let widths: Vec<u32> = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(widths, [10, 50, 50, 80, 116, 116]);
}

fn drawn(scores: &Value) -> Value {
    let script = include_str!("../../../referee/show/page/html/timeline.js");
    let output = Command::new("node").args(["-e", DRAW, script, &scores.to_string()]).output().expect("node");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
#[ignore = "needs node"]
fn a_score_below_zero_is_drawn_below_the_line_of_zero() {
    for (scores, labels, heights) in [
        (json!([0, 0, 5, -20, 10, -40]), json!([-40, 0, 10]), [0, 100]),
        (json!([0, 0, -5, -3, -10, -4]), json!([-10, 0]), [0, 100]),
        (json!([0, 0, 5, 3, 10, 4]), json!([0, 10]), [0, 100]),
        // A zero that would touch the label of an end is left out.
        (json!([0, 0, 99, -1, 100, -1]), json!([-1, 100]), [0, 100]),
        (json!([0, 0, 0, 0]), json!([0, 1]), [0, 0]),
    ] {
        let seen = drawn(&scores);
        assert_eq!((&seen["labels"], &seen["heights"]), (&labels, &json!(heights)), "{scores}");
    }
}
