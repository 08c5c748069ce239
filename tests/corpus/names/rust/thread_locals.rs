// SPDX-License-Identifier: BSD-3-Clause
// Thread-local arrays and vectors, and arrays of the stack.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::cell::{Cell, RefCell};

thread_local! {
    static SCRATCH: RefCell<[f64; COUNT]> = RefCell::new([0.0; COUNT]);
    static COUNTER: Cell<u64> = Cell::new(0);
    static BUFFER: RefCell<Vec<f64>> = RefCell::new(Vec::new());
}

#[inline(never)]
fn work() {
    SCRATCH.with(|scratch| truth(&scratch.borrow()[..], "*SCRATCH*;"));
    BUFFER.with(|buffer| {
        buffer.borrow_mut().resize(COUNT, 1.0); // site: *BUFFER*|buffer
        truth(&buffer.borrow(), "*BUFFER*|buffer;");
    });
    COUNTER.with(|counter| counter.set(counter.get() + 1));
}

fn main() {
    work();
    std::thread::spawn(work).join().unwrap();
    let local = [1.0f64; COUNT];
    truth(&local, "*local;");
}
