// SPDX-License-Identifier: BSD-3-Clause
// Vectors: by the macro, grown, with a capacity, collected, of vectors, moved, as slices in boxes.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};

#[inline(never)]
fn make(count: usize) -> Vec<f64> {
    let mut made = Vec::with_capacity(count); // site: result
    made.resize(count, 1.0);
    made
}

fn main() {
    let zeroed = vec![0.0f64; COUNT]; // site: zeroed
    let filled = vec![1.0f64; COUNT]; // site: filled
    let mut grown: Vec<f64> = Vec::new();
    for i in 0..COUNT {
        grown.push(i as f64); // site: grown
    }
    let mut reserved: Vec<f64> = Vec::with_capacity(COUNT); // site: reserved
    reserved.extend((0..COUNT).map(|i| i as f64));
    let collected: Vec<f64> = (0..COUNT).map(|i| i as f64).collect(); // site: collected
    let copied = collected.clone(); // site: copied
    let rows: Vec<Vec<f64>> = (0..8).map(|i| vec![i as f64; COUNT]).collect(); // site: rows[]
    let result = make(COUNT); // site: result
    let sliced = vec![2.0f64; COUNT].into_boxed_slice(); // site: sliced
    let text = "x".repeat(8 * COUNT); // site: text
    truth(&zeroed, "zeroed;");
    truth(&filled, "filled;");
    truth(&grown, "grown;");
    truth(&reserved, "reserved;");
    truth(&collected, "collected;");
    truth(&copied, "copied;");
    for row in &rows {
        truth(row, "rows[]|rows;");
    }
    truth(&result, "result|made;");
    truth(&sliced, "sliced;");
    truth(text.as_bytes(), "text;");
}
