/// The memory of the bot from turn to turn: nothing yet.
#[derive(Default)]
struct Memory {}

/// Push. A slot and a direction: the push that adds most to your score in this turn.
fn think(q: &[i32], _memory: &mut Memory) -> Vec<i32> {
    const WAYS: [(i32, i32); 6] = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]; // up-left, up-right, left, ...
    const HOMES: [(i32, i32); 6] = [(-4, 0), (-4, 4), (0, 4), (4, 0), (4, -4), (0, -4)]; // rows and slanted columns
    const MINE: [[usize; 3]; 6] = [[3, 4, 5], [2, 4, 5], [0, 2, 4], [0, 1, 2], [0, 1, 3], [1, 3, 5]];
    let (seat, coins) = (q[2] as usize, &q[3..64]);
    let row = |r: i32| ((-4).max(-4 - r)..=4.min(4 - r)).map(move |c| (r, c));
    let slots: Vec<(i32, i32)> = (-4..=4).flat_map(row).collect();
    let steps = |a: (i32, i32), b: (i32, i32)| {
        let (down, right) = (a.0 - b.0, a.1 - b.1);
        down.abs().max(right.abs()).max((down + right).abs())
    };
    // What a coin is worth to you there.
    let bonus = |slot| {
        let others = (0..6).filter(|&other| other != seat).map(|other| steps(slot, HOMES[other]));
        (others.min().unwrap_or(0) - steps(slot, HOMES[seat])).max(0)
    };
    let home = slots.iter().position(|&slot| slot == HOMES[seat]).unwrap_or(0);
    let (mut best, mut answer) = (-1000, vec![home as i32, MINE[seat][0] as i32]);
    for (number, &slot) in slots.iter().enumerate() {
        for way in MINE[seat] {
            let to = (slot.0 + WAYS[way].0, slot.1 + WAYS[way].1);
            let gain = coins[number] * (bonus(to) - bonus(slot));
            if coins[number] > 0 && slots.contains(&to) && gain > best {
                (best, answer) = (gain, vec![number as i32, way as i32]);
            }
        }
    }
    answer
}
