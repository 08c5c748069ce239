// SPDX-License-Identifier: BSD-3-Clause
// Vec<Vec<f64>>, and fields in Arc<Mutex<..>> that are assigned through the lock.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};

use std::sync::{Arc, Mutex};

struct State {
    rho: Vec<f64>,
    grids: Vec<Vec<f64>>,
    halo: Option<Box<[f64]>>,
}

impl State {
    fn new(n: usize) -> Self {
        State { rho: vec![1.0; n], grids: (0..3).map(|_| vec![0.0; n]).collect(), halo: None }
    }
}

fn main() {
    let state = Arc::new(Mutex::new(State::new(COUNT)));
    state.lock().unwrap().halo = Some(vec![2.0; COUNT].into_boxed_slice());
    let table: Vec<Vec<f64>> = vec![vec![1.0; COUNT]; 2];
    let held = state.lock().unwrap();
    truth(&held.rho, "rho|state.rho|state*rho;");
    truth(&held.grids[1], "grids|state.grids[]|*grids*;");
    truth(held.halo.as_ref().unwrap(), "halo|*halo*;");
    truth(&table[1], "table[]|table;");
}
