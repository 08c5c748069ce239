/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition in libmemphis.a. If a program is linked with `-u memphis_wrapped --wrap=NAME ...`, for each
 * name in packaging/wrap, it calls the library's wrappers as with the shared library. With --wrap (ld(1)),
 * references to NAME become __wrap_NAME, and references to __real_NAME become NAME.
 */
#include "interpose/next_symbols.h"

extern const char memphis_wrapped;
const char memphis_wrapped = 1;

#define REAL(when, result, name, parameters, arguments, stand_in) extern result __real_##name parameters;
MEMPHIS_WRAPPED(REAL)
extern int __real_close_range(unsigned int first, unsigned int last, int flags) __attribute__((weak));
extern size_t malloc_usable_size(void *block);

#define ENTRY(when, result, name, parameters, arguments, stand_in) .name = __real_##name,
struct memphis_next memphis_next = {MEMPHIS_WRAPPED(ENTRY).malloc_usable_size = malloc_usable_size};
