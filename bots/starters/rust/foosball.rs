/// The memory of the bot from turn to turn: nothing yet.
#[derive(Default)]
struct Memory {}

/// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
fn think(q: &[i32], _memory: &mut Memory) -> Vec<i32> {
    let (round, ball, mut rows) = (q[2], q[3], q[4..30].to_vec());
    if round % 200 == 0 {
        // A quarter begins: spread them; each time four others rest.
        let row = |man: i32| if (man + round / 50) % 26 < 22 { man % 9 - 4 } else { 100 };
        return (0..26).map(row).collect();
    }
    // Within a quarter one man may take one step: towards the ball.
    let away = (0..26).filter(|&man| rows[man].abs() <= 4 && rows[man] != ball);
    if let Some(man) = away.min_by_key(|&man| (rows[man] - ball).abs()) {
        rows[man] += (ball - rows[man]).signum();
    }
    rows
}
