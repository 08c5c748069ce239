/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling of names of Rust: of the legacy scheme and of "v0". */
#ifndef MEMPHIS_DEMANGLE_RUST_H
#define MEMPHIS_DEMANGLE_RUST_H

#include <stddef.h>

/* Returns the length of the mangled part of the symbol, without what the compiler appends to clones; 0 if it is none of Rust. */
size_t memphis_rust_mangled_bytes(const char *symbol);

/*
 * Returns the path of the function or variable, malloc'ed; NULL if the symbol is none of Rust, or is malformed. Both schemes give
 * the same form: without hashes, numbers of closures and the arguments of generic functions, "matrix::main::{closure}", "<matrix::Matrix as
 * core::clone::Clone>::clone".
 */
char *memphis_demangle_rust(const char *symbol);

#endif
