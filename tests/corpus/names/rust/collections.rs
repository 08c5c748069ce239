// SPDX-License-Identifier: BSD-3-Clause
// Hash maps, trees, deques and heaps.
// corpus: varies tree
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

fn main() {
    let mut table: HashMap<u64, [f64; 8]> = HashMap::with_capacity(1 << 10); // site: table
    for i in 0..1000u64 {
        table.insert(i, [i as f64; 8]);
    }
    let mut queue: VecDeque<f64> = VecDeque::with_capacity(COUNT); // site: queue
    for i in 0..COUNT - 1 {
        queue.push_back(i as f64);
    }
    let heap: BinaryHeap<u64> = (0..COUNT as u64).collect(); // site: heap
    let mut tree: BTreeMap<u64, [f64; 8]> = BTreeMap::new();
    for i in 0..1000u64 {
        tree.insert(i, [i as f64; 8]); // site: tree
    }
    for value in table.values() {
        truth(value, "table;");
    }
    truth(queue.as_slices().0, "queue;");
    truth(&heap.into_vec(), "heap;"); // the same memory
    for value in tree.values() {
        truth(value, "tree|tree[];");
    }
}
