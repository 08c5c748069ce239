/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that C++ makes by new: what stands in the block before the first element. */
#ifndef MEMPHIS_COOKIE_H
#define MEMPHIS_COOKIE_H

#include <elfutils/libdw.h>
#include <stdint.h>

/*
 * `new T[n]` keeps n in front of the elements if delete[] has to call destructors (Itanium C++ ABI, 2.7, array operator new cookies).
 * Bytes before the first element in a block of `bytes` bytes that is made of elements of `type`: 0 if there is no cookie.
 */
uint64_t memphis_cookie_bytes(Dwarf_Die *type, uint64_t bytes);

#endif
