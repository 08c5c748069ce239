// SPDX-License-Identifier: BSD-3-Clause
// Boxes, counted pointers, structures that own vectors, options, and what a thread owns.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

struct Model {
    heat: Vec<f64>,
    salt: Box<[f64]>,
}

impl Model {
    #[inline(never)]
    fn new(count: usize) -> Self {
        Model {
            heat: vec![1.0; count], // site: model.heat
            salt: vec![2.0; count].into_boxed_slice(), // site: model.salt
        }
    }
}

#[derive(Clone, Copy)]
struct Cell {
    density: f64,
    speed: [f64; 3],
}

fn main() {
    let model = Model::new(COUNT); // site: model.heat, model.salt
    let boxed: Box<[f64; COUNT]> = Box::new([1.0; COUNT]); // site: boxed
    let counted: Rc<[f64]> = Rc::from(vec![1.0; COUNT]); // site: counted
    let shared: Arc<Vec<f64>> = Arc::new(vec![1.0; COUNT]); // site: shared
    let locked = Mutex::new(vec![1.0f64; COUNT]); // site: locked
    let cells = vec![Cell { density: 1.0, speed: [0.0; 3] }; COUNT / 4]; // site: cells
    let maybe = Some(vec![3.0f64; COUNT]); // site: maybe
    truth(&model.heat, "model.heat;");
    truth(&model.salt, "model.salt;");
    truth(&boxed[..], "boxed;");
    truth(&counted, "counted;");
    truth(&shared, "shared;");
    truth(&locked.lock().unwrap(), "locked;");
    truth(&cells, "cells;");
    if let Some(inner) = &maybe {
        truth(inner, "maybe;");
    }
    let other = Arc::clone(&shared);
    let thread = std::thread::spawn(move || {
        let own = vec![other[0]; COUNT]; // site: own
        truth(&own, "own;");
    });
    thread.join().unwrap();
    assert!(cells[0].density + cells[0].speed[0] > 0.0);
}
