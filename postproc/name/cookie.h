/* SPDX-License-Identifier: BSD-3-Clause */
/* Array cookies: data that C++ stores in a block before the first element of an array. */
#ifndef MEMPHIS_COOKIE_H
#define MEMPHIS_COOKIE_H

#include <elfutils/libdw.h>
#include <stdint.h>

/*
 * Returns the size of the array cookie in a block of `bytes` bytes with elements of `type`; 0 if there is
 * none. `new T[n]` stores n before the elements if delete[] must call destructors (Itanium C++ ABI, section
 * 2.7, array operator new cookies).
 */
uint64_t memphis_cookie_bytes(Dwarf_Die *type, uint64_t bytes);

#endif
