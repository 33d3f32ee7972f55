/// The memory of the bot from turn to turn: nothing yet.
#[derive(Default)]
struct Memory {}

/// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
fn think(q: &[i32], _memory: &mut Memory) -> Vec<i32> {
    let (turn, seat, p, k) = (q[0], q[1] as usize, q[2] as usize, q[3]);
    let home = [0, 31, 992, 1023][seat]; // a cell is 32 * row + column
    let own = &q[10 + seat * p..][..p]; // where your players are
    let balls = &q[10 + 4 * p..]; // the number of balls on each cell
    let square = |a: i32, b: i32| (a / 32 - b / 32).pow(2) + (a % 32 - b % 32).pow(2);
    let steps = |a: i32, b: i32| (a / 32 - b / 32).abs().max((a % 32 - b % 32).abs());
    if turn == 0 { // spread them over the 16x16 cells around home
        let places = (0..p).map(|player| (player * 256 / p) as i32);
        return places.map(|n| 32 * (home / 32 - n / 16).abs() + (home % 32 - n % 16).abs()).collect();
    }
    let order = |&cell: &i32| {
        if balls[cell as usize] > 0 {
            // Kick: of all cells in range the one nearest to home.
            let in_range = (0..1024).filter(|&to| square(cell, to) <= k * k);
            return 9 + in_range.min_by_key(|&to| square(to, home)).unwrap_or(cell);
        }
        // Step to the nearest ball, and among equals homeward.
        let targets = (0..1024).filter(|&to| balls[to as usize] > 0);
        let ball = targets.min_by_key(|&to| 2048 * steps(cell, to) + square(to, home)).unwrap_or(cell);
        3 * ((ball / 32 - cell / 32).signum() + 1) + (ball % 32 - cell % 32).signum() + 1
    };
    own.iter().map(order).collect()
}
