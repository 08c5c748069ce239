// SPDX-License-Identifier: BSD-3-Clause
// Structures of structures, vectors of structures, options in structures, and what methods allocate.
include!(env!("CORPUS_RS"));
use corpus::{truth, COUNT};

#[derive(Default)]
struct Mesh {
    x: Vec<f64>,
    y: Vec<f64>,
}

#[derive(Default)]
struct Model {
    mesh: Mesh,
    heat: Option<Vec<f64>>,
    levels: Vec<Mesh>,
}

impl Model {
    #[inline(never)]
    fn fill(&mut self) {
        self.mesh.x = vec![1.0; COUNT]; // site: model.mesh.x
        self.mesh.y.resize(COUNT, 2.0); // site: model.mesh.y
        self.heat = Some(vec![3.0; COUNT]); // site: model.heat
        for _ in 0..3 {
            let mut mesh = Mesh::default();
            mesh.x.resize(COUNT, 4.0); // site: model.levels[].x
            self.levels.push(mesh);
        }
    }
}

fn main() {
    let mut model = Model::default();
    model.fill();
    truth(&model.mesh.x, "model.mesh.x|self.mesh.x;");
    truth(&model.mesh.y, "model.mesh.y|self.mesh.y;");
    truth(model.heat.as_ref().unwrap(), "model.heat|self.heat;");
    for mesh in &model.levels {
        truth(&mesh.x, "model.levels[].x|self.levels[].x|mesh.x;");
    }
}
