// SPDX-License-Identifier: BSD-3-Clause
// Lists of boxes, counted nodes of a graph, and strings.
include!(env!("CORPUS_RS"));
use corpus::truth;
use std::cell::RefCell;
use std::rc::Rc;

struct Node {
    values: [f64; 512],
    next: Option<Box<Node>>,
}

struct Vertex {
    data: [f64; 512],
    edges: RefCell<Vec<Rc<Vertex>>>,
}

#[inline(never)]
fn push(list: Option<Box<Node>>, value: f64) -> Option<Box<Node>> {
    Some(Box::new(Node { values: [value; 512], next: list })) // site: list
}

fn main() {
    let mut list = None;
    for i in 0..64 {
        list = push(list, i as f64); // site: list
    }
    let vertices: Vec<Rc<Vertex>> =
        (0..64).map(|i| Rc::new(Vertex { data: [i as f64; 512], edges: RefCell::new(Vec::new()) })).collect(); // site: vertices[]
    for i in 1..64 {
        vertices[i].edges.borrow_mut().push(Rc::clone(&vertices[i - 1]));
    }
    let mut at = &list;
    while let Some(node) = at {
        truth(&node.values, "list|node|list[];");
        at = &node.next;
    }
    for vertex in &vertices {
        truth(&vertex.data, "vertices[]|vertices;");
    }
}
