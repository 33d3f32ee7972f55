/// Remembers what you want from question to question.
#[derive(Default)]
struct Memory;

/// A frame for any game: q has the integers of the question. Return those of your answer.
fn think(_q: &[i32], _memory: &mut Memory) -> Vec<i32> {
    vec![0] // change this: the rules say what an answer is
}
