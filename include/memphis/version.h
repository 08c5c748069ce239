/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* Version of the kernel module, the library, the command-line tool and the packages, all of which read it from this file. */
#ifndef MEMPHIS_VERSION_H
#define MEMPHIS_VERSION_H

#define MEMPHIS_VERSION "0.1.0"

/*
 * The version as two numbers, for use in #if. libsampler/api/memphis_fortran.F90 contains a copy of these
 * numbers. While the major version is 0, each minor version may change the interfaces.
 */
#define MEMPHIS_VERSION_MAJOR 0
#define MEMPHIS_VERSION_MINOR 1

/* True if the version of the headers is at least major.minor. Example: #if MEMPHIS_VERSION_AT_LEAST(0, 2) */
#define MEMPHIS_VERSION_AT_LEAST(major, minor) \
	(MEMPHIS_VERSION_MAJOR > (major) ||    \
	 (MEMPHIS_VERSION_MAJOR == (major) && MEMPHIS_VERSION_MINOR >= (minor)))

#endif
