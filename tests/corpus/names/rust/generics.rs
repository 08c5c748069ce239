// SPDX-License-Identifier: BSD-3-Clause
// Generic types and functions that allocate for their callers, closures, and trait objects.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};

struct Field<T> {
    data: Vec<T>,
}

impl<T: Clone> Field<T> {
    #[inline(never)]
    fn new(value: T, count: usize) -> Self {
        Field { data: vec![value; count] }
    }
}

trait Source {
    fn values(&self) -> Vec<f64>;
}

struct Constant(f64);

impl Source for Constant {
    fn values(&self) -> Vec<f64> {
        vec![self.0; COUNT] // site: given
    }
}

#[inline(never)]
fn twice<F: Fn(usize) -> Vec<f64>>(make: F) -> (Vec<f64>, Vec<f64>) {
    let first = make(COUNT);
    let second = make(COUNT);
    (first, second)
}

fn main() {
    let heat = Field::new(1.0f64, COUNT); // site: heat.data
    let salt = Field::new(2.0f64, COUNT); // site: salt.data
    let marks = Field::new(3u64, COUNT); // site: marks.data
    let source: Box<dyn Source> = Box::new(Constant(1.0));
    let given = source.values(); // site: given
    let (left, right) = twice(|count| vec![5.0; count]);
    truth(&heat.data, "heat.data|heat;");
    truth(&salt.data, "salt.data|salt;");
    truth(&marks.data, "marks.data|marks;");
    truth(&given, "given;");
    truth(&left, "left|first;");
    truth(&right, "right|second;");
}
