/// Each wall is sent only once: remember it.
#[derive(Default)]
struct Memory {
    walls: std::collections::HashSet<i32>,
}

/// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
fn think(q: &[i32], memory: &mut Memory) -> Vec<i32> {
    let (own, wall, enemies) = (q[0], q[1], &q[2..]);
    memory.walls.insert(wall); // 4096, no wall, does no harm
    let gap = |a: i32, b: i32| (a - b).rem_euclid(64).min((b - a).rem_euclid(64)); // the shorter way round
    let distance = |a: i32, b: i32| gap(a / 64, b / 64) + gap(a % 64, b % 64);
    let room = |cell| enemies.iter().map(|&enemy| distance(cell, enemy)).min().unwrap_or(0);
    let (mut best, mut answer) = (room(own), 2);
    for (step, down, right) in [(0, -1, 0), (1, 0, -1), (3, 0, 1), (4, 1, 0)] {
        let to = (own / 64 + down).rem_euclid(64) * 64 + (own % 64 + right).rem_euclid(64);
        if !memory.walls.contains(&to) && !enemies.contains(&to) && room(to) > best {
            (best, answer) = (room(to), step);
        }
    }
    vec![answer]
}
