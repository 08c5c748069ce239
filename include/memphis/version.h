/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* The version of module, library, tool and packages: stated here, and read from here by all of them. */
#ifndef MEMPHIS_VERSION_H
#define MEMPHIS_VERSION_H

#define MEMPHIS_VERSION "0.1.0"

/*
 * The same as numbers, for the preprocessor; and once more in libsampler/api/memphis_fortran.F90. While the former is 0, interfaces
 * may change with the latter.
 */
#define MEMPHIS_VERSION_MAJOR 0
#define MEMPHIS_VERSION_MINOR 1

/* 1 if these headers are of that version or a later one: #if MEMPHIS_VERSION_AT_LEAST(0, 2) */
#define MEMPHIS_VERSION_AT_LEAST(major, minor) \
	(MEMPHIS_VERSION_MAJOR > (major) ||    \
	 (MEMPHIS_VERSION_MAJOR == (major) && MEMPHIS_VERSION_MINOR >= (minor)))

#endif
