//! The interpreter, `wasmi`. A guest that pauses is a call that a function of the host has
//! interrupted, and that is resumed later.

use std::fmt;

use wasmi::errors::HostError;
use wasmi::{
    Caller, CompilationMode, Config, Engine, Error, Func, FuncType, Global, Linker, Memory, ResumableCall,
    ResumableCallHostTrap, Store, TrapCode, Val, ValType,
};

use crate::costs::STACK_BYTES;
use crate::host::{Host, Step};
use crate::module::Module;
use crate::names::{DEPTH, MORE, UNITS};
use crate::pause::{Pause, Trap};
use crate::refused::Refused;
use crate::wasi::{self, Function};

/// A module and the functions of the host.
pub(crate) struct Program {
    module: wasmi::Module,
    linker: Linker<Shared>,
}

/// The data of the host's functions.
struct Shared {
    host: Host,
    /// `None` until the guest has been set up.
    parts: Option<Parts>,
}

/// The parts of a guest that its host reads and writes.
#[derive(Clone, Copy)]
struct Parts {
    memory: Memory,
    units: Global,
    depth: Global,
}

/// The engine's own limit of the stack is never reached: [`STACK_BYTES`] comes first.
const STACK_MAX: usize = 4 * STACK_BYTES as usize;

/// Returns the engine of a module. It keeps the module's code, and ends with it.
fn engine() -> Engine {
    let mut config = Config::default();
    config.set_max_stack_height(STACK_MAX).set_max_recursion_depth(STACK_MAX / 64);
    config.wasm_relaxed_simd(false).wasm_multi_memory(false).wasm_tail_call(false);
    // There are many engines, and a deep recursion leaves a large stack.
    config.compilation_mode(CompilationMode::Eager).set_max_cached_stacks(0);
    Engine::new(&config)
}

impl Program {
    pub(crate) fn new(module: &Module) -> Result<Program, Refused> {
        let refused = |error: Error| Refused::whole(format!("wasmi refuses it: {error}"));
        let module = wasmi::Module::new(&engine(), module.code()).map_err(refused)?;
        let mut linker = Linker::new(module.engine());
        for function in wasi::FUNCTIONS {
            let result = function.returns().then_some(ValType::I32);
            let kind_of = |letter| if letter == b'I' { ValType::I64 } else { ValType::I32 };
            let kind = FuncType::new(function.parameters.bytes().map(kind_of), result);
            let call = move |caller: Caller<'_, Shared>, arguments: &[Val], results: &mut [Val]| {
                call(function, caller, arguments, results)
            };
            linker.func_new(wasi::MODULE, function.name, kind, call).expect("each name once");
        }
        linker.func_new(MORE.0, MORE.1, FuncType::new([], []), more).expect("another module");
        Ok(Program { module, linker })
    }

    pub(crate) fn start(&self, host: Host) -> Result<Interpreter, Refused> {
        let mut store = Store::new(self.module.engine(), Shared { host, parts: None });
        let instance = self
            .linker
            .instantiate_and_start(&mut store, &self.module)
            .map_err(|error| Refused::whole(format!("it cannot be set up: {error}")))?;
        let parts = Parts {
            memory: instance.get_memory(&store, "memory").expect("a memory"),
            units: instance.get_global(&store, UNITS).expect("a counter"),
            depth: instance.get_global(&store, DEPTH).expect("a depth"),
        };
        store.data_mut().parts = Some(parts);
        let start = instance.get_func(&store, "_start").expect("a start");
        Ok(Interpreter { store, parts, progress: Progress::New(start) })
    }
}

/// A pause, as the error that interrupts a call.
#[derive(Debug)]
struct Paused(Pause);

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl HostError for Paused {}

/// Does a call of a function of WASI.
fn call(
    function: Function,
    mut caller: Caller<'_, Shared>,
    values: &[Val],
    results: &mut [Val],
) -> Result<(), Error> {
    let parts = caller.data().parts.expect("a guest that has begun");
    let counter = counter(&caller, parts);
    let mut arguments = [0; wasi::PARAMETERS_MAX];
    for (argument, value) in arguments.iter_mut().zip(values) {
        *argument = value.i64().or_else(|| value.i32().map(i64::from)).unwrap_or_default();
    }
    let (memory, shared) = parts.memory.data_and_store_mut(&mut caller);
    match shared.host.call(function.call, &arguments, memory, counter) {
        Step::Return(number) => {
            for (result, number) in results.iter_mut().zip(number) {
                *result = Val::I32(number);
            }
            Ok(())
        }
        Step::Pause(pause) => Err(Error::host(Paused(pause))),
    }
}

/// Does a call of the function that the counter calls below zero.
fn more(mut caller: Caller<'_, Shared>, _: &[Val], _: &mut [Val]) -> Result<(), Error> {
    let parts = caller.data().parts.expect("a guest that has begun");
    let counter = counter(&caller, parts);
    Err(Error::host(Paused(caller.data_mut().host.pause_for_units(counter))))
}

fn counter(store: impl wasmi::AsContext, parts: Parts) -> i64 {
    parts.units.get(store).i64().unwrap_or_default()
}

/// A guest in progress.
pub(crate) struct Interpreter {
    store: Store<Shared>,
    parts: Parts,
    progress: Progress,
}

enum Progress {
    New(Func),
    Paused(ResumableCallHostTrap),
    Over,
}

impl Interpreter {
    /// Returns the data that the guest shares with its host.
    pub(crate) fn host(&mut self) -> &mut Host {
        &mut self.store.data_mut().host
    }

    /// Returns the number of bytes that the guest has not read.
    pub(crate) fn unread(&self) -> usize {
        self.store.data().host.input.len()
    }

    /// Continues until the next pause. Not called after the end.
    pub(crate) fn go_on(&mut self) -> Pause {
        let Interpreter { store, parts, progress } = self;
        let counter = store.data_mut().host.new_counter();
        parts.units.set(&mut *store, Val::I64(counter)).expect("a counter that can be set");
        let result = match std::mem::replace(progress, Progress::Over) {
            Progress::New(start) => start.call_resumable(&mut *store, &[], &mut []),
            Progress::Paused(interrupted) => {
                let (memory, shared) = parts.memory.data_and_store_mut(&mut *store);
                match shared.host.resume(memory) {
                    Step::Return(None) => interrupted.resume(&mut *store, &[], &mut []),
                    Step::Return(Some(number)) => {
                        interrupted.resume(&mut *store, &[Val::I32(number)], &mut [])
                    }
                    Step::Pause(pause) => {
                        *progress = Progress::Paused(interrupted);
                        return pause;
                    }
                }
            }
            Progress::Over => return Pause::Trapped(Trap::Other),
        };
        match result {
            Ok(ResumableCall::HostTrap(interrupted)) => {
                let paused = interrupted.host_error().downcast_ref();
                let pause = paused.map_or(Pause::Trapped(Trap::Other), |Paused(pause)| *pause);
                if !pause.is_end() {
                    self.progress = Progress::Paused(interrupted);
                }
                pause
            }
            Ok(ResumableCall::Finished) => self.ended(Pause::Exited(0)),
            Ok(ResumableCall::OutOfFuel(_)) => self.ended(Pause::Trapped(Trap::Other)),
            Err(error) => {
                let trap = self.trap(&error);
                self.ended(Pause::Trapped(trap))
            }
        }
    }

    /// Counts what the guest has used in the end, and returns its last pause.
    fn ended(&mut self, pause: Pause) -> Pause {
        let counter = counter(&self.store, self.parts);
        self.store.data_mut().host.count_used(counter);
        pause
    }

    fn trap(&self, error: &Error) -> Trap {
        if self.parts.depth.get(&self.store).i32().is_some_and(|depth| depth < 0) {
            return Trap::Stack;
        }
        match error.as_trap_code() {
            Some(TrapCode::UnreachableCodeReached) => Trap::Unreachable,
            Some(
                TrapCode::IntegerDivisionByZero
                | TrapCode::IntegerOverflow
                | TrapCode::BadConversionToInteger,
            ) => Trap::Arithmetic,
            Some(TrapCode::MemoryOutOfBounds | TrapCode::TableOutOfBounds) => Trap::OutOfBounds,
            Some(TrapCode::IndirectCallToNull | TrapCode::BadSignature) => Trap::BadCall,
            Some(TrapCode::StackOverflow) => Trap::Stack,
            _ => Trap::Other,
        }
    }
}
