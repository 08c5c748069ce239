// SPDX-License-Identifier: BSD-3-Clause
// Boxes: of arrays, leaked, from raw parts, in vectors, and of trait objects.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};

trait Field {
    fn values(&self) -> &[f64];
}

struct Scalar {
    data: [f64; COUNT],
}

impl Field for Scalar {
    fn values(&self) -> &[f64] {
        &self.data
    }
}

fn main() {
    let leaked: &'static mut [f64] = Box::leak(vec![1.0; COUNT].into_boxed_slice()); // site: leaked
    let raw: *mut [f64; COUNT] = Box::into_raw(Box::new([2.0; COUNT])); // site: raw
    let objects: Vec<Box<dyn Field>> = vec![Box::new(Scalar { data: [3.0; COUNT] })]; // site: objects[]
    let slices: Vec<Box<[f64]>> = (0..4).map(|_| vec![4.0; COUNT].into_boxed_slice()).collect(); // site: slices[]
    truth(leaked, "leaked;");
    let whole: &[f64; COUNT] = unsafe { &*raw };
    truth(&whole[..], "raw;");
    truth(objects[0].values(), "objects[]|objects;");
    for slice in &slices {
        truth(slice, "slices[]|slices;");
    }
}
