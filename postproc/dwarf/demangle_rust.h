/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangles Rust names of both schemes, legacy and "v0". */
#ifndef MEMPHIS_DEMANGLE_RUST_H
#define MEMPHIS_DEMANGLE_RUST_H

#include <stddef.h>

/* Returns the length of the mangled part of the symbol, without suffixes for clones. Returns 0 if it is not a Rust symbol. */
size_t memphis_rust_mangled_bytes(const char *symbol);

/*
 * Returns the malloc'ed path of the function or variable, or NULL if the symbol is malformed or not a Rust
 * symbol. Both schemes give the same form, without hashes, closure numbers and the arguments of generic
 * functions: "matrix::main::{closure}", "<matrix::Matrix as core::clone::Clone>::clone".
 */
char *memphis_demangle_rust(const char *symbol);

#endif
