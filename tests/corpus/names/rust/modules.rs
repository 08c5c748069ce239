// SPDX-License-Identifier: BSD-3-Clause
// Statics of one name in modules and functions, also of generic ones, and behind a mutex.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::ptr::addr_of;
use std::sync::Mutex;

mod ice {
    pub mod state {
        pub static mut FIELD: [f64; 1 << 14] = [0.0; 1 << 14];
    }
}

mod sea {
    pub mod state {
        pub static mut FIELD: [f64; 1 << 14] = [0.0; 1 << 14];
    }
}

static LOCKED: Mutex<[f64; COUNT]> = Mutex::new([0.0; COUNT]);

#[inline(never)]
fn generic<T: Copy>(_: T) -> *const [f64; COUNT] {
    static mut SHARED: [f64; COUNT] = [0.0; COUNT];
    unsafe { addr_of!(SHARED) }
}

fn main() {
    unsafe {
        truth(&*addr_of!(ice::state::FIELD), "modules::ice::state::FIELD;");
        truth(&*addr_of!(sea::state::FIELD), "modules::sea::state::FIELD;");
        truth(&*generic(1), "modules::generic::SHARED;");
        truth(&*generic(1.0), "modules::generic::SHARED;");
    }
    truth(&LOCKED.lock().unwrap()[..], "modules::LOCKED;");
}
