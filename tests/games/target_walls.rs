//! The possible places of Invisible Target's walls, compared with one plain search for each candidate.

use referee_games::target::walls::{Search, Walls};
use referee_games::target::{Action, Cell, Move, State};
use referee_rules::{Dice, Events, Rules, Seat, Seed};

use crate::random::Random;
use crate::torus::{Torus, cell, reachable, rules, walls_but};

/// A position with free cells in a window of the torus, thick or thin with walls.
struct Position {
    walls: Walls,
    target: Cell,
    players: Vec<Cell>,
}

impl Position {
    fn random(random: &mut Random) -> Position {
        let sizes = [3, 5, 9, 12, 64];
        let (rows, columns) = loop {
            let (rows, columns) = (random.pick(&sizes), random.pick(&sizes));
            if rows * columns <= 324 {
                break (rows, columns);
            }
        };
        Position::in_window(random, rows, columns)
    }

    /// The window may lie over the edge; one of 64 cells goes round the torus.
    fn in_window(random: &mut Random, rows: i64, columns: i64) -> Position {
        let corner = random.pick(&Cell::all().collect::<Vec<_>>());
        let percent = random.between(0, 60);
        let mut walls: Walls = Cell::all().collect();
        let mut free = Vec::new();
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            if free.is_empty() || !random.percent(percent) {
                free.push(corner.wrapped(row as i32, column as i32));
            }
        }
        if rows * columns == 4096 {
            walls = Walls::none();
            Cell::all().filter(|cell| !free.contains(cell)).for_each(|cell| walls.build(cell));
        } else {
            walls = walls.iter().filter(|cell| !free.contains(cell)).collect();
        }
        let target = random.pick(&free);
        let reached = reachable(&walls, target);
        let mut near: Vec<Cell> = free.into_iter().filter(|cell| reached[cell.index()]).collect();
        let count = random.between(1, 8).min(near.len() as i64);
        let players = (0..count).map(|_| near.swap_remove(random.between(0, near.len() as i64 - 1) as usize));
        let players = players.collect();
        Position { walls, target, players }
    }

    /// The rule, literally.
    fn allows(&self, cell: Cell) -> bool {
        if self.walls.has(cell) || self.players.contains(&cell) || self.target == cell {
            return false;
        }
        let mut walls = self.walls.clone();
        let connected = reachable(&walls, self.target)[cell.index()];
        walls.build(cell);
        let reached = reachable(&walls, self.target);
        connected && self.players.iter().all(|player| reached[player.index()])
    }

    fn eligible(&self, search: &mut Search) -> Vec<Cell> {
        let mut eligible = search.eligible(&self.walls, self.target, &self.players).to_vec();
        eligible.sort_unstable();
        eligible
    }
}

#[test]
fn one_pass_finds_the_same_cells_as_a_search_for_each() {
    let mut random = Random::new(1);
    let mut search = Search::new();
    let (mut some, mut none) = (0, 0);
    for number in 0..2_000 {
        let position = Position::random(&mut random);
        let expected: Vec<Cell> =
            Cell::all().filter(|cell| !position.walls.has(*cell) && position.allows(*cell)).collect();
        assert_eq!(position.eligible(&mut search), expected, "position {number}");
        *if expected.is_empty() { &mut none } else { &mut some } += 1;
    }
    assert!(some > 500 && none > 25, "{some} positions with a place for a wall, {none} without");
}

#[test]
fn one_pass_finds_the_same_cells_on_whole_boards_too() {
    let mut random = Random::new(2);
    let mut search = Search::new();
    let cells: Vec<Cell> = Cell::all().collect();
    for _ in 0..40 {
        let position = Position::in_window(&mut random, 64, 64);
        let eligible = position.eligible(&mut search);
        for _ in 0..40 {
            let cell = random.pick(&cells);
            assert_eq!(eligible.binary_search(&cell).is_ok(), position.allows(cell), "cell {cell}");
        }
    }
}

#[test]
fn a_pocket_without_players_may_be_cut_off_and_is_lost() {
    let row: Vec<Cell> = (0..6).map(|column| cell(0, column)).collect();
    let mut position = Position { walls: walls_but(&row), target: row[0], players: vec![row[2]] };
    assert_eq!(position.eligible(&mut Search::new()), row[3..]);
    position.walls.build(row[4]);
    assert_eq!(position.eligible(&mut Search::new()), row[3..4]);
}

#[test]
fn players_block_no_route() {
    let row: Vec<Cell> = (0..6).map(|column| cell(0, column)).collect();
    let position = Position { walls: walls_but(&row), target: row[0], players: vec![row[1], row[5]] };
    assert_eq!(position.eligible(&mut Search::new()), []);
}

#[test]
fn round_the_torus_there_are_two_ways() {
    let ring: Vec<Cell> = (0..64).map(|column| cell(0, column)).collect();
    let position = Position { walls: walls_but(&ring), target: ring[0], players: vec![ring[32]] };
    assert_eq!(position.eligible(&mut Search::new()).len(), 62);
}

#[test]
fn after_every_wall_every_player_still_reaches_the_target() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let seats = 2 + seed as usize;
        let mut torus = Torus::new(seats, seed, &[("wall_one_in", 1), ("idle_rounds", 2)]);
        let mut walls = 0;
        while torus.reason().is_none() {
            torus.turn(&[random.pick(&[0, 1, 3, 4])]);
            if let Some(wall) = torus.wall() {
                walls += 1;
                let state = torus.state();
                let reached = reachable(state.walls(), state.target());
                assert!(state.players().iter().all(|player| reached[player.index()]), "wall {walls}");
                assert!(state.target().index() as i64 != wall);
                assert_eq!(state.walls().iter().count(), walls);
            }
        }
        // The rest is a tree or nearly one, between players and target.
        assert!(walls > 1_000, "{walls} walls, {:?}", torus.reason());
    }
}

#[test]
fn every_eligible_cell_is_drawn_equally_often() {
    // A room with a dead end behind a player, a player in a passage, and the target on the other side.
    let mut free: Vec<Cell> = (0..5).flat_map(|row| (0..5).map(move |column| cell(row, column))).collect();
    free.extend((5..9).map(|column| cell(2, column)));
    let (target, players) = (cell(2, 6), vec![cell(0, 0), cell(2, 8)]);
    let state = State::new(target, players.clone(), walls_but(&free));
    let position = Position { walls: walls_but(&free), target, players };
    let eligible: Vec<Cell> = free.into_iter().filter(|cell| position.allows(*cell)).collect();
    assert_eq!(eligible.len(), 23, "the room except the player and the way out");

    const DRAWS: u64 = 23_000;
    let rules = rules(2, &[("wall_one_in", 1)]);
    let stay = [(Seat::new(0), Action::Move(Move::STAY))];
    let mut counts = vec![0.0; Cell::COUNT];
    let mut after = state.clone();
    for seed in 0..DRAWS {
        after.clone_from(&state);
        rules.resolve(&mut after, &stay, &mut Dice::for_turn(Seed(seed), 0), &mut Events::default());
        let wall = after.walls().iter().find(|cell| !state.walls().has(*cell)).expect("a wall");
        counts[wall.index()] += 1.0;
    }
    let part = |cell: &Cell| (counts[cell.index()] - 1_000.0f64).powi(2) / 1_000.0;
    let chi_squared: f64 = eligible.iter().map(part).sum();
    assert!(chi_squared < 48.3, "{chi_squared} is over the 99.9 % point for 22 degrees");
    let drawn: f64 = eligible.iter().map(|cell| counts[cell.index()]).sum();
    assert_eq!(drawn, DRAWS as f64, "no other cell is ever drawn");
}
