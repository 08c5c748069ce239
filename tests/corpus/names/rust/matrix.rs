// SPDX-License-Identifier: BSD-3-Clause
// A matrix type of one's own, with operators, behind references and in an array.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};
use std::alloc::{alloc, Layout};
use std::ops::Add;

#[derive(Clone)]
struct Matrix {
    values: Vec<f64>,
    columns: usize,
}

impl Matrix {
    #[inline(never)]
    fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { values: vec![0.0; rows * columns], columns }
    }
}

impl Add for &Matrix {
    type Output = Matrix;
    fn add(self, other: &Matrix) -> Matrix {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| a + b).collect(); // site: sum.values
        Matrix { values, columns: self.columns }
    }
}

fn main() {
    let mass = Matrix::zeros(128, COUNT / 128); // site: mass.values
    let damping = Matrix::zeros(128, COUNT / 128); // site: damping.values
    let sum = &mass + &damping; // site: sum.values
    let copies = [sum.clone(), mass.clone()]; // site: copies[].values
    let layout = Layout::array::<f64>(COUNT).unwrap();
    let raw = unsafe { alloc(layout) as *mut f64 }; // site: raw
    unsafe { raw.write(1.0) };
    truth(&mass.values, "mass.values|mass;");
    truth(&damping.values, "damping.values|damping;");
    truth(&sum.values, "sum.values|sum|values;");
    for copy in &copies {
        truth(&copy.values, "copies[].values|copies[]|copies|copy.values;");
    }
    truth(unsafe { std::slice::from_raw_parts(raw, COUNT) }, "raw;");
}
