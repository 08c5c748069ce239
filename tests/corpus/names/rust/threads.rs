// SPDX-License-Identifier: BSD-3-Clause
// Vectors of threads: given to them, made by them, shared, and sent back.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::sync::{mpsc, Arc, Mutex};

fn main() {
    let given = vec![1.0; COUNT]; // site: given
    let total = Arc::new(Mutex::new(vec![0.0f64; COUNT])); // site: total
    let (sender, receiver) = mpsc::channel();
    let mine = Arc::clone(&total);
    let thread = std::thread::spawn(move || {
        let made = vec![2.0; COUNT]; // site: made
        truth(&given, "given;");
        truth(&made, "made;");
        mine.lock().unwrap()[0] = made[0];
        sender.send(made).unwrap();
    });
    thread.join().unwrap();
    let received: Vec<f64> = receiver.recv().unwrap();
    truth(&received, "made|received;");
    truth(&total.lock().unwrap(), "total;");
}
