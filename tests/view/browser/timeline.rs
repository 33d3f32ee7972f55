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

fn drawn(scores: &Value) -> Value {
    let script = include_str!("../../../referee/page/html/timeline.js");
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
