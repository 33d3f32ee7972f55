//! The host's side of a guest: its standard streams, its units, and the functions that it calls. The
//! interpreter passes in the guest's memory and the value of its counter.

use std::collections::VecDeque;
use std::io::Read;

use crate::costs::{BYTE, HOST_CALL};
use crate::pause::Pause;
use crate::wasi::{BADF, Call, FAULT, INVAL, OK};

/// The data that a guest shares with its host.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) input: VecDeque<u8>,
    pub(crate) is_input_closed: bool,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
    arguments: Texts,
    variables: Texts,
    random: u64,
    units: Units,
    /// What the host does before the guest continues.
    pending: Pending,
}

/// Texts that a guest gets at its start. Each ends with a zero byte.
pub(crate) type Texts = Vec<Vec<u8>>;

/// The units of a guest. The cost of a simple instruction is one (`costs`); one is a nanosecond of the guest's time.
#[derive(Debug, Default)]
struct Units {
    /// Units that it may use until it is late.
    budget: i64,
    /// Units that it has used.
    used: i64,
    /// The value of the guest's counter when `used` was last updated. The guest counts down, and pauses below zero.
    counter: i64,
    /// Units that it had used before they were last allowed.
    used_before: i64,
}

/// What the host does before a paused guest continues.
#[derive(Clone, Copy, Debug, Default)]
enum Pending {
    /// Nothing; the function returns nothing.
    #[default]
    Nothing,
    /// The function returns this.
    Return(i32),
    /// A call that waits for input.
    Read([u32; 4]),
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The guest continues with the function's result, if it has one.
    Return(Option<i32>),
    /// It pauses.
    Pause(Pause),
}

/// Units after which the guest pauses even if it may continue, so that its host can stop it or look at a clock.
const SLICE: i64 = 20_000_000;

/// Maximum number of bytes that one `fd_read` or `fd_write` passes on.
const CHUNK_BYTES: usize = 64 * 1024;

/// Maximum number of pieces of memory of a call.
const PIECES_MAX: u32 = 1024;

/// Number of bytes without a newline after which a guest pauses.
const WRITTEN_MAX: usize = 64 * 1024;

impl Host {
    pub(crate) fn new(arguments: Texts, variables: Texts) -> Host {
        Host { arguments, variables, ..Host::default() }
    }

    /// Allows a guest this number of units.
    pub(crate) fn allow(&mut self, units: u64) {
        // Far below the maximum, so that no sum or difference overflows.
        let units = i64::try_from(units).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        self.units.used_before = self.units.used_before.saturating_add(self.units.used);
        (self.units.budget, self.units.used) = (units, 0);
    }

    /// Returns the number of units that the guest had used at its last pause, of those last allowed.
    pub(crate) fn used(&self) -> u64 {
        self.units.used.max(0) as u64
    }

    /// Counts what the guest has used, by its counter.
    pub(crate) fn count_used(&mut self, counter: i64) {
        let units = &mut self.units;
        units.used = units.used.saturating_add(units.counter.saturating_sub(counter));
        units.counter = counter;
    }

    /// Returns the value for the counter with which the guest continues.
    pub(crate) fn new_counter(&mut self) -> i64 {
        let units = &mut self.units;
        units.counter = (units.budget - units.used).clamp(0, SLICE);
        units.counter
    }

    /// Returns why the guest pauses when its counter is below zero.
    pub(crate) fn pause_for_units(&mut self, counter: i64) -> Pause {
        self.count_used(counter);
        self.pending = Pending::Nothing;
        if self.units.used > self.units.budget { Pause::OutOfUnits } else { Pause::Slice }
    }

    /// Called when a paused guest is about to continue.
    pub(crate) fn resume(&mut self, memory: &mut [u8]) -> Step {
        match std::mem::take(&mut self.pending) {
            Pending::Nothing => Step::Return(None),
            Pending::Return(number) => Step::Return(Some(number)),
            Pending::Read(arguments) => self.read(memory, arguments),
        }
    }

    /// Called when the guest calls a function.
    pub(crate) fn call(&mut self, call: Call, arguments: &[i64], memory: &mut [u8], counter: i64) -> Step {
        self.count_used(counter);
        self.charge(HOST_CALL, 0);
        let argument = |index: usize| arguments[index] as u32;
        let number = match call {
            Call::FdRead => return self.read(memory, [argument(0), argument(1), argument(2), argument(3)]),
            Call::FdWrite => return self.write(memory, [argument(0), argument(1), argument(2), argument(3)]),
            Call::ProcExit => return Step::Pause(Pause::Exited(arguments[0] as i32)),
            Call::ArgsGet => put_texts(memory, &self.arguments, argument(0), argument(1)),
            Call::ArgsSizesGet => put_sizes(memory, &self.arguments, argument(0), argument(1)),
            Call::EnvironGet => put_texts(memory, &self.variables, argument(0), argument(1)),
            Call::EnvironSizesGet => put_sizes(memory, &self.variables, argument(0), argument(1)),
            Call::FdClose | Call::SchedYield => Some(OK),
            Call::ClockResGet => put(memory, argument(1), &1u64.to_le_bytes()),
            // A bot that plans by the clock plans by its units.
            Call::ClockTimeGet => {
                let now = self.units.used_before.saturating_add(self.units.used);
                put(memory, argument(2), &now.to_le_bytes())
            }
            Call::FdFdstatGet if argument(0) <= 2 => {
                let mut stat = [0; 24];
                // A character device, so that standard output is flushed at each newline.
                stat[0] = 2;
                put(memory, argument(1), &stat)
            }
            Call::FdFdstatGet => Some(BADF),
            Call::RandomGet => self.random_get(memory, argument(0), argument(1)),
            Call::Fails(number) => Some(number),
        };
        self.return_or_pause(number.unwrap_or(FAULT))
    }

    /// Charges the guest for a call, or for bytes.
    ///
    /// Bytes of `args_get` and `environ_get` are free, and those that `fd_read` and `fd_write` have passed on before
    /// they find a piece out of bounds. To charge them would change records (`costs::COSTS`).
    fn charge(&mut self, units: i64, bytes: usize) {
        let cost = units + BYTE * bytes as i64;
        self.units.used = self.units.used.saturating_add(cost);
    }

    /// Returns from a call with this error number; first pauses if the guest has used more units than allowed.
    fn return_or_pause(&mut self, number: i32) -> Step {
        if self.units.used <= self.units.budget {
            return Step::Return(Some(number));
        }
        self.pending = Pending::Return(number);
        Step::Pause(Pause::OutOfUnits)
    }

    /// Does `fd_read`: a descriptor, the place of a list of pieces and their number, the place of the result.
    fn read(&mut self, memory: &mut [u8], arguments: [u32; 4]) -> Step {
        let [descriptor, pieces, count, result] = arguments;
        if descriptor != 0 {
            return self.return_or_pause(BADF);
        }
        if self.input.is_empty() && !self.is_input_closed {
            self.pending = Pending::Read(arguments);
            return Step::Pause(Pause::Waits);
        }
        let number = self.read_into(memory, pieces, count, result).unwrap_or_else(|number| number);
        self.return_or_pause(number)
    }

    /// Returns an error number, be it as `Ok` or as `Err`.
    fn read_into(&mut self, memory: &mut [u8], pieces: u32, count: u32, result: u32) -> Result<i32, i32> {
        let mut total = 0;
        for (at, length) in pieces_of(memory, pieces, count)? {
            let length = (length as usize).min(self.input.len()).min(CHUNK_BYTES - total);
            let piece = bytes(memory, at, length as u32).ok_or(FAULT)?;
            self.input.read_exact(piece).expect("no more than there is");
            total += length;
        }
        self.charge(0, total);
        put(memory, result, &(total as u32).to_le_bytes()).ok_or(FAULT)
    }

    /// Does `fd_write`, with the same arguments as [`read`](Host::read).
    fn write(&mut self, memory: &mut [u8], arguments: [u32; 4]) -> Step {
        let [descriptor, pieces, count, result] = arguments;
        let number = match descriptor {
            1 | 2 => self
                .write_from(memory, descriptor == 1, pieces, count, result)
                .unwrap_or_else(|number| number),
            _ => BADF,
        };
        // Units are not looked at: the host takes the output with its time, and sees whether that is late.
        let has_line = self.output.contains(&b'\n');
        if has_line || self.output.len().max(self.errors.len()) > WRITTEN_MAX {
            self.pending = Pending::Return(number);
            return Step::Pause(Pause::Wrote);
        }
        self.return_or_pause(number)
    }

    fn write_from(
        &mut self,
        memory: &mut [u8],
        is_output: bool,
        pieces: u32,
        count: u32,
        result: u32,
    ) -> Result<i32, i32> {
        let stream = if is_output { &mut self.output } else { &mut self.errors };
        let mut total = 0;
        for (at, length) in pieces_of(memory, pieces, count)? {
            let piece = bytes(memory, at, length).ok_or(FAULT)?;
            let length = piece.len().min(CHUNK_BYTES - total);
            stream.extend_from_slice(&piece[..length]);
            total += length;
        }
        self.charge(0, total);
        put(memory, result, &(total as u32).to_le_bytes()).ok_or(FAULT)
    }

    /// Writes the same numbers in every game (of SplitMix64, without its last step): a bot that wants others computes
    /// them from its questions. A call can fill the whole memory, and is charged for that afterwards.
    fn random_get(&mut self, memory: &mut [u8], at: u32, length: u32) -> Option<i32> {
        let piece = bytes(memory, at, length)?;
        for byte in piece {
            self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            *byte = (mixed >> 56) as u8;
        }
        self.charge(0, length as usize);
        Some(OK)
    }
}

/// Reads the list of pieces of memory of a call: the place and the length of each.
fn pieces_of(memory: &mut [u8], at: u32, count: u32) -> Result<Vec<(u32, u32)>, i32> {
    if count > PIECES_MAX {
        return Err(INVAL);
    }
    let list = bytes(memory, at, 8 * count).ok_or(FAULT)?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    Ok(list.chunks_exact(8).map(|piece| (word(&piece[..4]), word(&piece[4..]))).collect())
}

/// Returns a part of the memory; `None` if it is out of bounds.
fn bytes(memory: &mut [u8], at: u32, length: u32) -> Option<&mut [u8]> {
    memory.get_mut(at as usize..)?.get_mut(..length as usize)
}

/// Writes into the memory; `None` if it would be out of bounds.
fn put(memory: &mut [u8], at: u32, value: &[u8]) -> Option<i32> {
    bytes(memory, at, value.len() as u32)?.copy_from_slice(value);
    Some(OK)
}

fn put_sizes(memory: &mut [u8], texts: &Texts, count: u32, size: u32) -> Option<i32> {
    put(memory, count, &(texts.len() as u32).to_le_bytes())?;
    put(memory, size, &(texts.iter().map(Vec::len).sum::<usize>() as u32).to_le_bytes())
}

fn put_texts(memory: &mut [u8], texts: &Texts, pointers: u32, mut at: u32) -> Option<i32> {
    for (index, text) in texts.iter().enumerate() {
        put(memory, pointers.checked_add(4 * index as u32)?, &at.to_le_bytes())?;
        put(memory, at, text)?;
        at = at.checked_add(text.len() as u32)?;
    }
    Some(OK)
}
