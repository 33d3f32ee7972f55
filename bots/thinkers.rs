//! The house bots within this process. A copy keeps the bot's memory, and draws from another seed if the bot draws at
//! all.

use referee_games::foosball::Foosball;
use referee_games::football::Football;
use referee_games::push::Push;
use referee_games::target::Target;
use referee_rules::thinker::{Thinker, thinker};

use super::{foosball, football, push, target};

/// Makes the thinkers of bots that remember nothing: game, name, and the function that answers.
macro_rules! without_memory {
    ($($name:ident: $rules:ty = $think:expr;)*) => {
        $(pub(crate) fn $name() -> Box<dyn Thinker> {
            thinker::<$rules, ()>((), |_bot, view, action| $think(view, action), |_bot, _seed| ())
        })*
    };
}

/// Makes the thinkers of bots that remember something and draw nothing.
macro_rules! with_memory {
    ($($name:ident: $rules:ty, $bot:ty = $think:expr;)*) => {
        $(pub(crate) fn $name() -> Box<dyn Thinker> {
            thinker::<$rules, $bot>(<$bot>::default(), $think, |bot, _seed| bot.clone())
        })*
    };
}

without_memory! {
    football_still: Football = football::still::think;
    football_greedy: Football = football::greedy::think;
    foosball_still: Foosball = foosball::still::think;
    foosball_chaser: Foosball = foosball::chaser::think;
    foosball_planner: Foosball = foosball::planner::think;
    push_homeward: Push = push::homeward::think;
    target_still: Target = |view, action: &mut _| *action = target::still::think(view);
}

with_memory! {
    football_sweeper: Football, football::sweeper::Sweeper = |bot, view, orders| bot.think(view, orders);
    football_champion: Football, football::champion::Champion = |bot, view, orders| bot.think(view, orders);
    push_reader: Push, push::reader::Reader = |bot, view, action| bot.think(view, action);
    push_planner: Push, push::planner::Planner = |bot, view, action| bot.think(view, action);
    target_lurker: Target, target::lurker::Lurker = |bot, view, action| *action = bot.think(view);
    target_bayes: Target, target::bayes::Bayes = |bot, view, action| *action = bot.think(view);
}

pub(crate) fn football_random() -> Box<dyn Thinker> {
    let think = |seed: &mut u64, view: &_, orders: &mut _| football::random::think(*seed, view, orders);
    thinker::<Football, u64>(0, think, |_own, seed| seed.0)
}

pub(crate) fn push_random() -> Box<dyn Thinker> {
    let think = |seed: &mut u64, view: &_, action: &mut _| push::random::think(*seed, view, action);
    thinker::<Push, u64>(0, think, |_own, seed| seed.0)
}

pub(crate) fn target_random() -> Box<dyn Thinker> {
    type Random = target::random::Random;
    let think = |bot: &mut Random, view: &_, action: &mut _| *action = bot.think(view);
    thinker::<Target, Random>(Random::new(0), think, Random::with_seed)
}
