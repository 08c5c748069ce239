// SPDX-License-Identifier: BSD-3-Clause
// Statics: constant, mutable, in modules, in functions, of one name, and behind a cell.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::cell::UnsafeCell;
use std::ptr::addr_of;

static LEVELS: [f64; COUNT] = [1.0; COUNT];
static mut DEPTHS: [f64; COUNT] = [0.0; COUNT];

mod ocean {
    pub static mut GRID: [f64; super::COUNT] = [0.0; super::COUNT];
    pub mod deep {
        pub static mut GRID: [f64; super::super::COUNT] = [0.0; super::super::COUNT];
    }
}

struct Cells(UnsafeCell<[f64; COUNT]>);
unsafe impl Sync for Cells {}
static CELLS: Cells = Cells(UnsafeCell::new([0.0; COUNT]));

#[inline(never)]
fn counter() -> *const [f64; COUNT] {
    static mut CACHE: [f64; COUNT] = [0.0; COUNT];
    unsafe { addr_of!(CACHE) }
}

#[inline(never)]
fn timer() -> *const [f64; COUNT] {
    static mut CACHE: [f64; COUNT] = [0.0; COUNT];
    unsafe { addr_of!(CACHE) }
}

fn main() {
    unsafe {
        truth(&LEVELS, "statics::LEVELS|program::LEVELS;");
        truth(&*addr_of!(DEPTHS), "statics::DEPTHS|program::DEPTHS;");
        truth(&*addr_of!(ocean::GRID), "statics::ocean::GRID|program::ocean::GRID;");
        truth(&*addr_of!(ocean::deep::GRID), "statics::ocean::deep::GRID|program::ocean::deep::GRID;");
        truth(&*CELLS.0.get(), "statics::CELLS|program::CELLS;");
        truth(&*counter(), "statics::counter::CACHE|program::counter::CACHE;");
        truth(&*timer(), "statics::timer::CACHE|program::timer::CACHE;");
    }
}
