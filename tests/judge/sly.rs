//! Judges with one mistake each (`sly.py`): the check certifies none of them. Most fail only at some turn, with some
//! number of seats, at some value of a parameter or in other surroundings.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use referee_judge::check::{Checked, Fixed, Terms};
use referee_play::play;
use referee_play::table::{Question, Table, TableError, Void};
use referee_record::Answer;
use referee_record::error::{Error, ErrorKind};
use referee_rules::{Fault, Parameters, Seat, Seed};

use super::{bad, examine, open, project, with_terms};
use crate::support::{Place, files_below, results_in};
use referee_testutil::no_record::NoRecord;

const DIFFER: &str = "its replies differ between two runs";

/// Where the second is crossed is chance: what is noticed first, too.
const CLOCKED: &str = "its replies differ between two runs|the same answers led to another position";
const LONG: &str =
    "if point == 'describe': out[2], out[4] = 'turns 1000', 'parameter length 1000 900 1000 turns'\n";
const HASTE: &str = "if point == 'describe': out.insert(1, 'patience 3000')\n";

/// Where a judge does something wrong, what it does, and a part of the error.
const SLY: &[(&str, &str, &str)] = &[
    // Faults of bots.
    ("fault", "if seat == 1 and kind == 'late' and g.turn == g.length - 1: sys.exit(1)", "status 1"),
    (
        "fault",
        "if seat == 3 and kind == 'resource' and g.turn == g.length - 1: sys.exit(1)",
        "fault 3 resource",
    ),
    ("fault", "if g.lost[seat] == 3: 1 / 0", "standard error: ZeroDivisionError: division by zero"),
    ("fault", "if len(g.lost) == g.seats == 4: sys.exit(1)", "status 1"),
    ("go", "if not g.given: sys.exit(1)", "status 1"),
    ("go", "if g.turn == 5 and len(g.given) == 2: sys.exit(1)", "status 1"),
    // All seats answer the same.
    ("go", "if len(g.given) == g.seats == 4 and len(set(g.given.values())) == 1: sys.exit(1)", "status 1"),
    // Answers that are nonsense.
    ("check", "if not numbers: sys.exit(1)", "status 1"),
    ("check", "if numbers and numbers[0] < -10**18: sys.exit(1)", "status 1"),
    ("check", "if len(numbers) > 100: sys.exit(1)", "status 1"),
    (
        "check",
        "if seat == 1 and numbers and numbers[0] > 9 and g.turn == g.length - 1: 1 / 0",
        "ZeroDivisionError",
    ),
    ("check", "out[0] = 'fine'", "standard error: IndexError"),
    ("check", "out[0] = 'illegal 2 1 too much' if numbers == [9] else out[0]", "1 is not from 2"),
    ("check", "out[0] = 'fine' if g.checks % 7 else 'malformed now and then'", ""),
    ("answer", "if number > 5 and g.turn == 2: sys.exit(1)", "turn 2: it has ended, with status 1"),
    ("answer", "if g.sums[seat] > 20: 1 / 0", "request: answer"),
    // What must change nothing does.
    ("check", "g.sums[0] += 1", ""),
    ("check", "g.given[seat] = 5", ""),
    ("sample", "g.sums[0] += 1", "the same answers led to another position"),
    ("facts", "g.sums[0] += 1", ""),
    ("facts", "g.checks += 1; out.insert(0, f'fact checks -1 -1 {g.checks}')", DIFFER),
    // The end of the game.
    ("go", "if g.turn == g.length - 1: g.length += 1", "not over after 6 turns"),
    ("over", "out[-2] = 'scores 1'", "1 scores and 1 shares"),
    ("over", "if g.seats == 3: out[-2] = 'scores 1 2 3 4'", "4 scores and 4 shares for 3 seats"),
    ("over", "out[-2] = 'scores ' + 'nan ' * g.seats", "nan is not an integer"),
    ("over", "out[-2] = 'scores ' + '9999999999999 ' * g.seats", "9999999999999 is not from"),
    ("over", "out.insert(-1, 'shares 1 ' + '0 ' * g.seats)", "no seat has any share"),
    ("over", "out.insert(-1, 'over again')", "`over again`: this was said in an earlier line"),
    ("over", "out.insert(0, 'ask 0 1')", "must not ask a seat"),
    ("over", "print(*out, sep='\\n', flush=True); os._exit(0)", "it has ended, with status 0"),
    ("facts", "if g.turn == g.length: sys.exit(1)", "request: facts"),
    // Long games.
    ("any", "LONGif point == 'go' and g.turn == 850: sys.exit(1)", "turn 850: it has ended, with status 1"),
    (
        "any",
        "LONGif point == 'go' and g.turn == 850: out.append(f'effect luck -1 {random.getrandbits(40)}')",
        DIFFER,
    ),
    ("any", "LONGif point == 'go' and g.turn == 899: g.length = 2000", "not over after 1000 turns"),
    ("any", "LONGif point == 'over': out[-2] = 'scores'", "0 scores and 0 shares"),
    (
        "any",
        "LONGif point == 'ask' and g.turn == 890: out.insert(0, 'ask 9 1')",
        "turn 889: `ask 9 1`: 9 is not from 0",
    ),
    // Numbers of seats, and parameters.
    ("start", "if g.seats == 4: sys.exit(1)", "4 seats"),
    ("start", "if g.seats == 3: sys.exit(1)", "3 seats"),
    ("start", "if g.seats == 2: sys.exit(1)", "2 seats"),
    ("start", "if g.side == 1: sys.exit(1)", "side 1, "),
    ("start", "if g.side == 9 and g.length == 1: sys.exit(1)", "side 9, length 1"),
    ("start", "if g.side == 9 and g.seats == 2 and g.length == 6: sys.exit(1)", "2 seats, side 9, length 6"),
    ("over", "if g.side == 1 and g.length == 6: out[-2] = 'scores 1'", "side 1, length 6"),
    // Chance, time and surroundings.
    ("start", "g.sums[0] = random.randrange(10**9)", DIFFER),
    ("start", "random.seed(int(time.time())); g.sums[0] = random.randrange(10**9)", CLOCKED),
    ("go", "out.append(f'effect time -1 {int(time.time())}')", CLOCKED),
    ("go", "out.append(f'effect time -1 {time.monotonic_ns()}')", DIFFER),
    ("over", "out.insert(0, f'effect time -1 {time.time_ns()}')", DIFFER),
    ("start", "g.sums[0] = os.getpid()", DIFFER),
    ("start", "g.sums[0] = len(os.environ)", DIFFER),
    ("start", "g.sums[0] = len(os.environ['PATH'])", DIFFER),
    ("start", "g.sums[0] = len(sys.argv[0])", DIFFER),
    ("start", "g.sums[0] = os.stat(sys.argv[0]).st_ino", DIFFER),
    ("start", "g.sums[0] = abs(hash('a')) % 10**9", DIFFER),
    ("start", "g.sums[0] = id(g) % 10**9", DIFFER),
    (
        "go",
        "out.append('effect order -1 ' + ' '.join(str(ord(w[0])) for w in set(map(str, range(1000))) if w < '2'))",
        DIFFER,
    ),
    ("go", "if g.turn == 5: out.append(f'effect luck -1 {random.getrandbits(40)}')", DIFFER),
    ("describe", "out.insert(1, f'about {time.time_ns()}')", "changes from start to start"),
    ("describe", "out.insert(1, 'about ' + sys.argv[0])", "changes from start to start"),
    ("describe", "out[3] = f'parameter side 5 1 {9 + os.getpid()} unused'", "changes from start to start"),
    // Lines that do not belong there.
    ("go", "print('debug')", "`debug`: this word is not allowed here"),
    ("check", "print('seat', seat)", "`seat "),
    ("ask", "out.append('end')", "`end`: this word is not allowed here"),
    ("sample", "print('> ', end='')", "`> answer"),
    ("sample", "out[0] += ' x'", "x is not an integer"),
    ("go", "out.append('effect sum 9 1')", "9 is not from -1 to"),
    ("go", "out.append('draw x 0 5 1 2')", "the draw requests more than there are candidates"),
    ("ask", "out.insert(0, out[0])", "this seat is asked twice"),
    ("ask", "if g.turn == 5: out.insert(0, 'ask 7 1')", "7 is not from 0"),
    // No reply, or no end of it.
    ("any", "HASTEif point == 'go' and g.turn == 5: time.sleep(3600)", "turn 5: no reply within 3000 ms"),
    ("any", "HASTEif point == 'facts' and g.turn == 5: time.sleep(3600)", "no reply within 3000 ms"),
    (
        "any",
        "HASTEif point == 'over': print('over tur', end='', flush=True); time.sleep(3600)",
        "no reply within 3000 ms",
    ),
    ("any", "HASTEwhile point == 'fault': pass", "no reply within 3000 ms"),
    (
        "any",
        "HASTEwhile point == 'go' and g.turn == 3: sys.stderr.write('x' * 65536)",
        "no reply within 3000 ms",
    ),
    (
        "any",
        "HASTEif point == 'go' and g.turn == 4: os.close(1); time.sleep(3600)",
        "it has closed its output",
    ),
    ("go", "while g.turn == 4: print('say 0 more')", "more than 100000 lines"),
    ("go", "if g.turn == 5: g.hog = bytearray(3 << 30)", "MemoryError"),
    ("go", "if g.turn == 5: os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
    ("go", "if g.turn == 3: sys.exit(0)", "it has ended, with status 0"),
    // Lines of any bytes, words behind the end, and replies that nobody asked for.
    ("ask", "out.insert(0, 'ask -1 5')", "`ask -1 5`: -1 is not from 0"),
    ("ask", "out.insert(0, '\\0')", "this word is not allowed here"),
    ("over", "out[-2] = 'scores ' + '1\\0 ' * g.seats", "is not an integer"),
    ("facts", "out.insert(0, 'fact sco\\0re 0 -1 1')", "is not a name"),
    ("go", "sys.stdout.flush(); os.write(1, b'say 0 \\xff\\xfe\\n')", "a line that is not text in UTF-8"),
    ("go", "out.append('say 0 ' + 'x' * (2 << 20))", "a line of more than 1 MiB"),
    ("over", "out.append('goodbye')", "`goodbye`: this word is not allowed here"),
    ("facts", "if g.turn == g.length: out.append('goodbye')", "`goodbye`: this word is not allowed here"),
    ("start", "print('ask 0 0 0', 'end', sep='\\n', flush=True)", "`ask 0"),
    ("facts", "out.append('end')", "`end`: this word is not allowed here"),
    ("describe", "out.append('end')", "`end`: a line after the end of its reply"),
    ("check", "out[:] = ['fine', 'fine']", "`fine`: this word is not allowed here"),
    ("check", "out[0] = 'fine 1'", "too many words"),
    ("check", "if numbers == [9]: out[0] = f'illegal {2**32} {2**32} x'", "is not from 1 to 4294967295"),
    ("facts", "print('draw x 0 1 1 2', flush=True); input()", "(allowed: fact, end)"),
    (
        "over",
        "print(*out, sep='\\n', flush=True); out[:] = ['x' * 1000] * 20000",
        "this word is not allowed here",
    ),
    ("over", "out.insert(-1, 'shares 0 ' + '0 ' * g.seats)", "0 is not from 1"),
    ("over", "out.insert(-1, f'shares {2**63} ' + '1 ' * g.seats)", "is not an integer of 64 bits"),
    ("over", "out[-2] = 'scores ' + f'{-2**63} ' * g.seats", "is not from -1000000000000"),
    ("ask", "if g.turn == 3: out[:] = ['end']", "no seat is asked, but the game is not over"),
    ("ask", "if g.turn == 3: out[:-1] = ['shared 1 2 3']", "no seat is asked, but the game is not over"),
    ("go", "if g.turn == 3: g.turn -= 1", "not over after 6 turns"),
    ("go", "out.append(f'effect luck -1 {os.urandom(1)[0]}')", DIFFER),
    ("over", "out.insert(0, f'effect time -1 {time.process_time_ns()}')", DIFFER),
    ("start", "g.sums[0] = int(os.stat('.').st_mtime) % 10**9", DIFFER),
    // A child that holds the output, where the sandbox lets it be.
    ("any", "HASTEif point == 'go' and g.turn == 3 and os.fork(): os._exit(0)", "turn 3: "),
    (
        "any",
        "HASTEif point == 'go' and g.turn == 3: os.kill(os.getpid(), signal.SIGSTOP)",
        "turn 3: no reply within 3000 ms",
    ),
    // Pictures.
    (
        "facts",
        "out[-1:-1] = [f'fact wall -1 {cell} 1' for cell in range(10**6)]",
        "a reply of more than 100000 lines",
    ),
    ("facts", "out.insert(0, 'fact score 0 -1 1')", "this fact is given twice"),
    ("facts", "out.insert(0, 'hello')", "`hello`: this word is not allowed here"),
    ("facts", "out.insert(0, 'fact x')", "the line ends too early"),
    (
        "facts",
        "out[-5:] = ['fact rows -1 -1 201', 'fact columns -1 -1 4', 'end']",
        "`fact rows -1 -1 201`: a grid has 1 to 200 rows",
    ),
    (
        "facts",
        "out[-5:] = ['fact rows -1 -1 4', 'fact columns -1 -1 0', 'end']",
        "`fact columns -1 -1 0`: a grid has 1 to 200 columns",
    ),
    ("facts", "out[-5:] = ['fact rows -1 -1 4', 'end']", "a grid needs a fact `columns`, too"),
    ("facts", "out[-5:] = ['fact columns -1 -1 4', 'end']", "a grid needs a fact `rows`, too"),
    ("facts", "out.insert(0, 'fact points -1 -1 4')", "a grid or points, not both"),
    ("facts", "out[-5:] = ['fact points -1 -1 2001', 'end']", "1 to 2000 points"),
    (
        "facts",
        "out[-5:] = ['fact points -1 -1 2', 'fact x -1 0 1001', 'end']",
        "`fact x -1 0 1001`: 1001 is not from 0 to 1000",
    ),
    (
        "facts",
        "out[-5:] = ['fact points -1 -1 2', 'fact y -1 2 10', 'end']",
        "`fact y -1 2 10`: 2 is no place",
    ),
    ("facts", "out[-5:] = ['fact points -1 -1 2', 'fact torus -1 -1 1', 'end']", "only a grid has this"),
    ("facts", "out.insert(0, 'fact cell -1 12 1')", "`fact cell -1 12 1`: 12 is no place"),
    ("facts", "if g.turn == g.length: out.insert(0, 'fact cell -1 12 1')", "12 is no place"),
    ("facts", "out.insert(0, 'fact cell 0 -1 1')", "-1 is no place"),
    ("facts", "out.insert(0, 'fact player 1 1 12')", "`fact player 1 1 12`: 12 is no place"),
    ("facts", "out.insert(0, 'fact player 1 1 -2')", "-2 is no place"),
    ("facts", "out.insert(0, 'fact glyph 1 0 7')", "7 is not the code of a visible ASCII character"),
    ("facts", "out.insert(0, 'fact to 1 0 99')", "99 is no place"),
    ("facts", "out.insert(0, 'fact from 1 -1 1')", "a line needs an index"),
    ("facts", "out.insert(0, 'fact label -1 1 2')", "2 is no label: the description has 1"),
];

/// The kinds of faults that a judge is told.
const FAULTS: &[&str] = &[
    "late",
    "exited",
    "crashed",
    "closed",
    "deaf",
    "early",
    "extra",
    "too_long",
    "malformed",
    "resource",
    "start_failed",
];

/// Names of parameters that are options of commands, too.
const TAKEN: &[&str] = &[
    "seed",
    "quiet",
    "verbose",
    "jobs",
    "dir",
    "set",
    "help",
    "version",
    "sandbox",
    "clock",
    "memory",
    "stderr",
    "watch",
    "repeat",
    "format",
    "vs",
    "interpreter",
    "capacity",
    "first_ms",
    "seats",
];

/// Returns the number of these judges.
pub(super) fn count() -> usize {
    SLY.len() + FAULTS.len() + TAKEN.len()
}

/// Makes a judge with a mistake.
pub(super) fn sly(place: &Place, name: &str, point: &str, code: &str) -> PathBuf {
    let code = code.replace("LONG", LONG).replace("HASTE", HASTE);
    let text = fs::read_to_string(project("tests/judge/sly.py")).unwrap();
    let line = "POINT, CODE = \"none\", \"pass\"";
    assert!(text.contains(line));
    place.program(name, text.replace(line, &format!("POINT, CODE = {point:?}, {code:?}"))).into()
}

fn with_each<T: Sync>(all: &[T], test: impl Fn(usize, &T) + Sync) {
    let left = Mutex::new(all.iter().enumerate());
    let next = || left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((number, one)) = next() {
                    test(number, one);
                }
            });
        }
    });
}

#[test]
fn no_judge_with_a_mistake_is_certified() {
    let place = Place::new();
    with_each(SLY, |number, (point, code, due)| {
        // Where the number of seats and the parameters do not matter, one table is enough.
        let is_narrow = !["g.seats", "g.side", "g.length == "].iter().any(|word| code.contains(word));
        let seats = is_narrow.then_some(4);
        let set = [("side", "5"), ("length", "6")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let set = if is_narrow && !code.contains("LONG") { set.to_vec() } else { Vec::new() };
        let seed = is_narrow.then_some(Seed(1));
        let terms = Terms { fixed: Fixed { set, seats }, seed, limit: Duration::MAX, ..Terms::default() };
        let error = with_terms(&sly(&place, &format!("j{number}.py"), point, code), &terms, |_| {});
        let error = error.expect_err(&format!("certified: at {point}: {code}"));
        assert_eq!(error.kind(), ErrorKind::Failed, "{code}: {error}");
        let is_due = due.split('|').any(|due| error.to_string().contains(due));
        assert!(is_due, "at {point}: {code}: no {due:?} in {error}");
    });
}

#[test]
fn a_judge_that_dies_of_a_kind_of_fault_is_not_certified() {
    let place = Place::new();
    with_each(FAULTS, |_, kind| {
        let judge = sly(&place, &format!("{kind}.py"), "fault", &format!("if kind == '{kind}': sys.exit(1)"));
        let error = examine(&judge).unwrap_err().to_string();
        assert!(error.contains("status 1") && error.contains(kind), "{kind}: {error}");
    });
}

#[test]
fn a_parameter_with_the_name_of_an_option_is_refused_with_its_line() {
    let place = Place::new();
    for name in TAKEN {
        let judge = sly(
            &place,
            &format!("{name}.py"),
            "describe",
            &format!("out[3] = 'parameter {name} 5 1 9 mine'"),
        );
        // Records can have older judges.
        assert_eq!(open(&judge).is_ok(), !["first_ms", "seats"].contains(name), "{name}");
        let line = format!("`parameter {name} 5 1 9 mine`: {name} is a name that is taken");
        place.referee(&["play", &format!("./{name}.py")]).with_status(2).complaining(&[&line]);
    }
}

#[test]
fn the_check_of_a_good_judge_says_what_it_has_played_and_left_out() {
    let place = Place::new();
    let file = sly(&place, "good.py", "none", "pass");
    let mut titles = Vec::new();
    let checked = with_terms(&file, &Terms { limit: Duration::MAX, ..Terms::default() }, |title| {
        titles.push(title.to_owned())
    });
    let checked = checked.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked.missing, [""; 0]);
    // Three numbers of seats, and the ends of two parameters with the most and the fewest seats.
    assert_eq!(checked.settings, 3 + 8, "{checked:?}");
    for due in [
        "4 seats, seed 1, with faults, killed in between",
        "3 seats, seed 1, no answers",
        "2 seats, side 1, length 6",
    ] {
        assert!(titles.iter().any(|title| title.contains(due)), "{due}: {titles:#?}");
    }
    let said = checked.left_out.join("\n");
    assert!(said.contains("between their ends") && said.contains("other dates"), "{said}");
    assert!(checked.pace.0 > Duration::ZERO && checked.pace.0 <= checked.pace.1, "{:?}", checked.pace);
}

#[test]
fn what_there_was_no_time_for_is_named_and_nothing_is_certified() {
    let place = Place::new();
    let file = sly(&place, "good.py", "none", "pass");
    let checked = with_terms(&file, &Terms { limit: Duration::ZERO, ..Terms::default() }, |_| {}).unwrap();
    assert!(checked.missing.iter().any(|part| part.contains("11 of 11 settings")), "{checked:?}");
    let told = place.referee(&["judge", "check", "good.py", "--seconds", "0"]).with_status(3);
    assert!(
        told.out.contains("not covered: 11 of 11 settings") && !told.out.contains("the same each time"),
        "{}",
        told.out
    );
    assert!(told.err.contains("is not certified: 0 seconds were too short"), "{}", told.err);
}

#[test]
fn seats_parameters_and_seed_can_be_given_and_the_last_game_is_written_down() {
    let place = Place::new();
    sly(&place, "dies.py", "go", "if g.side == 7 and g.turn == 2: sys.exit('of a wall')");
    let words =
        ["judge", "check", "dies.py", "--seats", "3", "--seed", "9", "--transcript", "t.txt", "--set"];
    let told = place.referee(&[&words[..], &["side=7"]].concat()).with_status(3);
    for due in [
        "3 seats, side 7, seed 9, all answers allowed",
        "turn 2: it has ended, with status 1",
        "request: go",
        "standard error: of a wall",
    ] {
        assert!(told.err.contains(due), "{due}: {}", told.err);
    }
    let transcript = fs::read_to_string(place.path("t.txt")).unwrap();
    for due in ["# 3 seats, side 7, seed 9", "> start 3 7 4", "< ask 0 0 0 0 0 0", "! of a wall"] {
        assert!(transcript.contains(due), "{due}: {transcript}");
    }
    let good = place.referee(&[&words[..], &["side=6"]].concat()).with_status(0);
    let last = good.out.lines().last().unwrap_or_default();
    assert!(last.ends_with("in the games that --seats, --set and --seed leave."), "{}", good.out);
    assert!(
        good.out.contains("left out: other values of side")
            && good.out.contains("other numbers of seats than 3"),
        "{}",
        good.out
    );
    for (wrong, due) in
        [("side", "write NAME=VALUE"), ("wall=3", "wall"), ("side=10", "10"), ("seats=2", "use --seats")]
    {
        place
            .referee(&["judge", "check", "dies.py", "--set", wrong])
            .with_status(2)
            .complaining(&["--set", due]);
    }
    place
        .referee(&["judge", "check", "dies.py", "--seats", "5"])
        .with_status(2)
        .complaining(&["has 2 to 4 seats"]);
}

/// A table at which each seat always does the same.
struct Fixed4<'a>(&'a [Result<i64, Fault>], Vec<Seat>);

impl Table for Fixed4<'_> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.1 = questions.iter().map(|question| question.seat).collect();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let answer = |seat: &Seat| match &self.0[seat.index()] {
            Ok(number) => Answer { integers: vec![*number], ..Answer::empty(*seat) },
            Err(fault) => Answer { fault: Some(fault.clone()), ..Answer::empty(*seat) },
        };
        *answers = self.1.iter().map(answer).collect();
        Ok(())
    }
}

#[test]
fn the_seat_whose_answer_makes_a_judge_fail_is_found_if_there_is_one() {
    let place = Place::new();
    let seven = sly(&place, "seven.py", "answer", "if number == 7: sys.exit(1)");
    let checked = sly(&place, "checked.py", "check", "if numbers == [7]: sys.exit(1)");
    let late = sly(&place, "late.py", "fault", "if kind == 'late': sys.exit(1)");
    let always = sly(&place, "always.py", "go", "sys.exit(1)");
    let equal = sly(&place, "equal.py", "go", "if list(g.given.values()).count(7) == 2: sys.exit(1)");
    let ahead = bad(&place, "ahead_seven");
    let (one, two, three) = (Ok(1), Ok(7), Err(Fault::Late));
    let who = |judge: &Path, all: &[&Result<i64, Fault>]| {
        let entry = open(judge).unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        let _ = parameters.set("seats", all.len() as i64);
        let all: Vec<_> = all.iter().map(|given| (*given).clone()).collect();
        let mut game = entry.start(&parameters, Seed(7));
        let error = play(&mut *game, &mut Fixed4(&all, Vec::new()), &mut NoRecord).unwrap_err();
        match error.cause() {
            Some(TableError::Void(Void::JudgeFailed { seat, .. })) => seat.map(Seat::index),
            _ => panic!("{error:?}"),
        }
    };
    for judge in [&seven, &checked, &ahead] {
        assert_eq!(who(judge, &[&one, &two]), Some(1), "{judge:?}");
        assert_eq!(who(judge, &[&two, &one]), Some(0), "{judge:?}");
        assert_eq!(who(judge, &[&two, &two]), None, "{judge:?}: each of them does");
    }
    assert_eq!(who(&seven, &[&one, &one, &one, &two]), Some(3));
    assert_eq!(who(&seven, &[&one, &one, &two, &three]), Some(2));
    assert_eq!(who(&late, &[&one, &three, &one]), Some(1));
    assert_eq!(who(&always, &[&one, &two]), None);
    assert_eq!(who(&equal, &[&two, &two]), None, "either of them does");
    assert_eq!(who(&equal, &[&one, &two, &two, &one]), None);
}

#[test]
fn a_void_game_names_that_seat_and_keeps_the_standard_error_of_the_judge() {
    let place = Place::new();
    sly(&place, "dies.py", "answer", "if number == 7: 1 / 0");
    for (bot, number) in [("calm.py", 1), ("wild.py", 7)] {
        place.program(bot, format!("#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print({number}, flush=True)\n"));
    }
    let words = ["play", "./dies.py", "./calm.py", "./wild.py", "--seats", "2"];
    place.referee(&words).with_status(1).complaining(&["ZeroDivisionError"]);
    let voids = fs::read_to_string(place.path("games/voids.csv")).unwrap();
    let row = voids.lines().find(|line| line.contains("judge_failed")).unwrap();
    assert!(row.contains(",judge_failed,1,wild,1,"), "{voids}");
    let files: Vec<PathBuf> =
        fs::read_dir(place.path("games/stderr")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert!(file.to_string_lossy().ends_with("-judge.txt"), "{file:?}");
        let kept = fs::read_to_string(file).unwrap();
        assert!(kept.contains("Traceback") && kept.contains("ZeroDivisionError"), "{kept}");
    }
    assert!(
        !place.path("games/results.csv").exists() || results_in(&place.path("games")).is_empty(),
        "nobody loses"
    );
    place.referee(&["audit", "games"]).with_status(0);
}

#[test]
fn void_games_of_a_hill_and_of_a_tournament_name_that_seat_too() {
    let place = Place::new();
    // In a check game no other seat answers.
    sly(&place, "dies.py", "answer", "if number == 7 and g.turn == 3 and g.sums.count(3) == 1: 1 / 0");
    for (bot, number) in [("calm", 1), ("wild", 7)] {
        let code = format!("import sys\nfor line in sys.stdin:\n    print({number}, flush=True)\n");
        place.program(bot, format!("#!/usr/bin/env python3\n{code}"));
    }
    place
        .referee(&["hill", "new", "h", "./dies.py", "--seats", "2", "--no-key", "--seed", "1"])
        .with_status(0);
    for bot in ["./calm", "./wild"] {
        place.referee(&["hill", "submit", "h", bot]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    let bots = "[[entrant]]\nname = \"calm\"\nprogram = \"./calm\"\n[[entrant]]\nname = \"wild\"\nprogram = \"./wild\"\n";
    let cup = "name = \"cup\"\ngame = \"./dies.py\"\nseed = 1\n[format]\nkind = \"round-robin\"\n[parameters]\nseats = 2\n";
    fs::write(place.path("cup.toml"), format!("{cup}{bots}")).unwrap();
    place.referee(&["tournament", "plan", "cup.toml", "--dir", "t"]).with_status(0);
    place.referee(&["tournament", "run", "--dir", "t"]);
    for root in ["h", "t"] {
        let voids = fs::read_to_string(place.path(root).join("voids.csv")).unwrap();
        let rows: Vec<&str> = voids.lines().filter(|line| line.contains(",judge_failed,")).collect();
        assert!(!rows.is_empty(), "{root}: {voids}");
        assert!(rows.iter().all(|row| row.contains(",wild,1,")), "{root}: {voids}");
        let mut kept = files_below(&place.path(root).join("stderr"), "txt");
        kept.retain(|file| file.to_string_lossy().ends_with("-judge.txt"));
        assert_eq!(kept.len(), rows.len(), "{root}: {kept:?}");
        for file in kept {
            let text = fs::read_to_string(file).unwrap();
            assert!(text.starts_with("Traceback") && text.contains("ZeroDivisionError"), "{text}");
        }
    }
}

#[test]
fn a_game_of_one_seat_says_its_shares_or_does_not_count() {
    let place = Place::new();
    let one = "if point == 'describe': out[1] = 'seats 1 1'\nif point == 'facts': del out[-2]\n";
    let without = sly(&place, "without.py", "any", one);
    let error = examine(&without).unwrap_err().to_string();
    assert!(error.contains("a game of one seat needs `shares`"), "{error}");
    let with = sly(
        &place,
        "with.py",
        "any",
        &format!("{one}if point == 'over': out.insert(-1, f'shares 60 {{g.sums[0]}}')"),
    );
    let checked: Result<Checked, Error> = examine(&with);
    assert_eq!(checked.map(|checked| checked.missing).map_err(|error| error.to_string()), Ok(Vec::new()));
    let terms = Terms { fixed: Fixed { seats: Some(2), ..Fixed::default() }, ..Terms::default() };
    assert_eq!(with_terms(&with, &terms, |_| {}).unwrap_err().kind(), ErrorKind::Input);
}
