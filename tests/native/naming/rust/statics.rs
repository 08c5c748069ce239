// SPDX-License-Identifier: BSD-3-Clause
// A static array, and one that changes.
use std::os::raw::{c_char, c_void};
use std::ptr::addr_of_mut;

extern "C" {
    fn native_watch(start: *const c_void, bytes: usize, name: *const c_char);
}

const COUNT: usize = 1 << 14;

static LEVELS: [f64; COUNT] = [1.0; COUNT];
static mut DEPTHS: [f64; COUNT] = [0.0; COUNT];

fn watch(slice: &[f64], name: &'static str) {
    unsafe { native_watch(slice.as_ptr().cast(), std::mem::size_of_val(slice), name.as_ptr().cast()) }
}

#[inline(never)]
fn sum_of(depths: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..COUNT {
        sum += LEVELS[i]; // expect: rodata:statics::LEVELS
        depths[i] = sum; // expect: bss:statics::DEPTHS
    }
    sum
}

fn main() {
    let depths = unsafe { &mut *addr_of_mut!(DEPTHS) };
    watch(&LEVELS, "rodata:statics::LEVELS\0");
    watch(depths, "bss:statics::DEPTHS\0");
    std::process::exit((sum_of(depths) < 0.0) as i32);
}
