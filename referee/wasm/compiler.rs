//! The engine `wasmtime`: a compiler. A guest is a future on a stack of its own. A function of the host that
//! pauses leaves the future unfinished.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

use wasmtime::{
    Caller, Config, Engine, Error, FuncType, Global, InstancePre, Linker, Memory, OptLevel, Store, Val,
    ValType,
};

use crate::costs::STACK_BYTES;
use crate::guest::Machine;
use crate::host::{Host, Step};
use crate::module::Module;
use crate::names::{DEPTH, MORE, UNITS};
use crate::pause::{Pause, Trap};
use crate::refused::Refused;
use crate::wasi::{self, Function};

/// A compiled module with the functions of the host.
pub(crate) struct Program(InstancePre<Data>);

/// The data of the host's functions.
struct Data {
    shared: Arc<Mutex<Shared>>,
    parts: Option<Parts>,
}

/// The data that the guest's future and its owner share.
struct Shared {
    host: Host,
    /// Why the future is not finished, or how the guest has ended its program.
    pause: Option<Pause>,
}

#[derive(Clone, Copy)]
struct Parts {
    memory: Memory,
    units: Global,
    depth: Global,
}

/// The engine's own limit of the stack is never reached: [`STACK_BYTES`] comes first.
const STACK_MAX: usize = 4 * STACK_BYTES as usize;

/// Stack size for functions of the host.
const HOST_STACK: usize = 1 << 20;

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut config = Config::new();
        config.max_wasm_stack(STACK_MAX).async_stack_size(STACK_MAX + HOST_STACK);
        config.cranelift_nan_canonicalization(true).cranelift_opt_level(OptLevel::Speed);
        config.wasm_relaxed_simd(false).wasm_multi_memory(false).wasm_tail_call(false);
        Engine::new(&config).expect("a configuration for this machine")
    })
}

impl Program {
    pub(crate) fn new(module: &Module) -> Result<Program, Refused> {
        let refused = |error: Error| Refused::whole(format!("wasmtime refuses it: {error:#}"));
        let module = wasmtime::Module::new(engine(), module.code()).map_err(refused)?;
        let mut linker = Linker::<Data>::new(engine());
        for function in wasi::FUNCTIONS {
            let result = function.returns().then_some(ValType::I32);
            let of = |letter| if letter == b'I' { ValType::I64 } else { ValType::I32 };
            let kind = FuncType::new(engine(), function.parameters.bytes().map(of), result);
            linker
                .func_new_async(wasi::MODULE, function.name, kind, move |caller, arguments, results| {
                    Box::new(call(function, caller, arguments, results))
                })
                .expect("each name once");
        }
        let kind = FuncType::new(engine(), [], []);
        linker
            .func_new_async(MORE.0, MORE.1, kind, |caller, _, _| Box::new(more(caller)))
            .expect("another module");
        linker.instantiate_pre(&module).map(Program).map_err(refused)
    }

    pub(crate) fn start(&self, host: Host) -> Result<Box<dyn Machine>, Refused> {
        let shared = Arc::new(Mutex::new(Shared { host, pause: None }));
        let mut store = Store::new(engine(), Data { shared: Arc::clone(&shared), parts: None });
        let refused = |error: Error| Refused::whole(format!("it cannot be set up: {error:#}"));
        let instance = match poll(pin!(self.0.instantiate_async(&mut store))) {
            Poll::Ready(instance) => instance.map_err(refused)?,
            Poll::Pending => return Err(Refused::whole("it cannot be set up without a pause")),
        };
        let parts = Parts {
            memory: instance.get_memory(&mut store, "memory").expect("a memory"),
            units: instance.get_global(&mut store, UNITS).expect("a counter"),
            depth: instance.get_global(&mut store, DEPTH).expect("a depth"),
        };
        store.data_mut().parts = Some(parts);
        let start = instance.get_func(&mut store, "_start").expect("a start");
        let own = Arc::clone(&shared);
        let future = Box::pin(async move {
            set_counter(&mut store, parts, &own);
            let called = start.call_async(&mut store, &[], &mut []).await;
            ended(called, &mut store, parts, &own)
        });
        Ok(Box::new(Compiler { future, shared }))
    }
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn counter(store: impl wasmtime::AsContextMut, parts: Parts) -> i64 {
    parts.units.get(store).i64().unwrap_or_default()
}

fn set_counter(store: impl wasmtime::AsContextMut, parts: Parts, shared: &Mutex<Shared>) {
    let counter = lock(shared).host.refill();
    parts.units.set(store, Val::I64(counter)).expect("a counter that can be set");
}

/// Leaves the guest's future unfinished until its owner polls it again.
async fn pause(shared: &Mutex<Shared>, why: Pause) {
    lock(shared).pause = Some(why);
    let mut polled = false;
    std::future::poll_fn(|_| match std::mem::replace(&mut polled, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

async fn call(
    function: Function,
    mut caller: Caller<'_, Data>,
    values: &[Val],
    results: &mut [Val],
) -> Result<(), Error> {
    let parts = caller.data().parts.expect("a guest that has begun");
    let shared = Arc::clone(&caller.data().shared);
    let counter = counter(&mut caller, parts);
    let mut arguments = [0; wasi::PARAMETERS_MAX];
    for (argument, value) in arguments.iter_mut().zip(values) {
        *argument = value.i64().or_else(|| value.i32().map(i64::from)).unwrap_or_default();
    }
    let mut step =
        lock(&shared).host.call(function.call, &arguments, parts.memory.data_mut(&mut caller), counter);
    loop {
        match step {
            Step::Return(number) => {
                for (result, number) in results.iter_mut().zip(number) {
                    *result = Val::I32(number);
                }
                return Ok(());
            }
            Step::Pause(end) if end.is_end() => {
                lock(&shared).pause = Some(end);
                return Err(Error::msg("the guest has ended its program"));
            }
            Step::Pause(why) => pause(&shared, why).await,
        }
        set_counter(&mut caller, parts, &shared);
        step = lock(&shared).host.resume(parts.memory.data_mut(&mut caller));
    }
}

async fn more(mut caller: Caller<'_, Data>) -> Result<(), Error> {
    let parts = caller.data().parts.expect("a guest that has begun");
    let shared = Arc::clone(&caller.data().shared);
    let counter = counter(&mut caller, parts);
    let why = lock(&shared).host.more(counter);
    pause(&shared, why).await;
    set_counter(&mut caller, parts, &shared);
    // No result to write: the function returns nothing.
    let _ = lock(&shared).host.resume(&mut []);
    Ok(())
}

/// Returns how a guest has ended.
fn ended(called: Result<(), Error>, store: &mut Store<Data>, parts: Parts, shared: &Mutex<Shared>) -> Pause {
    if let Some(pause) = lock(shared).pause.take() {
        return pause;
    }
    let counter = counter(&mut *store, parts);
    lock(shared).host.settle(counter);
    let is_too_deep = parts.depth.get(store).i32().is_some_and(|depth| depth < 0);
    match called {
        Ok(()) => Pause::Exited(0),
        Err(_) if is_too_deep => Pause::Trapped(Trap::Stack),
        Err(error) => Pause::Trapped(trap(error.downcast_ref())),
    }
}

fn trap(trap: Option<&wasmtime::Trap>) -> Trap {
    use wasmtime::Trap as T;
    match trap {
        Some(T::UnreachableCodeReached) => Trap::Unreachable,
        Some(T::IntegerDivisionByZero | T::IntegerOverflow | T::BadConversionToInteger) => Trap::Arithmetic,
        Some(T::MemoryOutOfBounds | T::TableOutOfBounds) => Trap::OutOfBounds,
        Some(T::IndirectCallToNull | T::BadSignature) => Trap::BadCall,
        Some(T::StackOverflow) => Trap::Stack,
        _ => Trap::Other,
    }
}

struct Compiler {
    future: Pin<Box<dyn Future<Output = Pause>>>,
    shared: Arc<Mutex<Shared>>,
}

impl Machine for Compiler {
    fn with_host(&mut self, look: &mut dyn FnMut(&mut Host)) {
        look(&mut lock(&self.shared).host);
    }

    fn unread(&self) -> usize {
        lock(&self.shared).host.input.len()
    }

    fn go_on(&mut self) -> Pause {
        match poll(self.future.as_mut()) {
            Poll::Ready(end) => end,
            Poll::Pending => lock(&self.shared).pause.take().unwrap_or(Pause::Trapped(Trap::Other)),
        }
    }
}
