/* SPDX-License-Identifier: BSD-3-Clause */
/* Array cookies: what C++ stores in a block before the first element of an array. */
#ifndef MEMPHIS_COOKIE_H
#define MEMPHIS_COOKIE_H

#include <elfutils/libdw.h>
#include <stdint.h>

/*
 * `new T[n]` stores n before the elements if delete[] must call destructors (Itanium C++ ABI, 2.7, array
 * operator new cookies). Returns the number of bytes before the first element in a block of `bytes` bytes
 * with elements of `type`; 0 without a cookie.
 */
uint64_t memphis_cookie_bytes(Dwarf_Die *type, uint64_t bytes);

#endif
