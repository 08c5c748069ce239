// SPDX-License-Identifier: BSD-3-Clause
// Threads with channels, a caught panic, and a process.
use std::process::Command;
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..8u64)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || {
                for i in 0..100 {
                    sender.send(vec![number; 1000 + i].iter().sum::<u64>()).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    println!("{}", receiver.iter().sum::<u64>());
    for thread in threads {
        thread.join().unwrap();
    }
    std::panic::set_hook(Box::new(|_| {}));
    println!("panic: {}", thread::spawn(|| panic!("no")).join().is_err());
    println!("{:?}", Command::new("sh").args(["-c", "exit 5"]).status().unwrap().code());
    std::process::exit(6);
}
