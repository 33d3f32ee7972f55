//! Looking ahead: makes rules and a position from a view, and reads a position.

use super::{Cell, Football, State, TEAMS, View};

impl Football {
    /// Returns the rules of the game that a view belongs to, for a bot that looks ahead.
    ///
    /// A view does not contain the number of turns without a goal that ends a game: here that never ends it.
    pub fn from_view(view: &View) -> Football {
        Football {
            players: view.p,
            kick_range: view.k,
            max_turns: view.max_turns,
            stall_turns: 0,
            turn_ms: view.turn_ms,
            first_ms: view.turn_ms,
        }
    }
}

impl State {
    /// Makes a position from a view. A view lacks only the number of turns without a goal so far: the count
    /// begins at 0.
    ///
    /// # Panics
    ///
    /// Panics if some players are placed and others are not. No question is like that.
    pub fn from_view(view: &View) -> State {
        let players: Vec<Cell> = view.players.iter().copied().flatten().collect();
        assert!(players.is_empty() || players.len() == TEAMS * view.p, "all players are placed, or none is");
        State {
            turn: view.turn,
            goalless_turns: 0,
            scores: view.scores,
            players,
            balls: view.balls.clone(),
            balls_left: view.balls.iter().copied().map(u32::from).sum(),
            scratch: Default::default(),
        }
    }

    /// Returns the same position after another number of turns without a goal.
    #[must_use]
    pub fn with_goalless_turns(self, goalless_turns: u32) -> State {
        State { goalless_turns, ..self }
    }

    /// Returns the number of turns without a goal so far, which no question tells.
    pub fn goalless_turns(&self) -> u32 {
        self.goalless_turns
    }

    /// Returns the goals by seat.
    pub fn scores(&self) -> &[u32; TEAMS] {
        &self.scores
    }

    /// Returns the players' cells, seat by seat. Empty until they are placed.
    pub fn players(&self) -> &[Cell] {
        &self.players
    }

    /// Returns the number of balls on each cell.
    pub fn balls(&self) -> &[u16] {
        &self.balls
    }
}
