/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* The version of module, library, tool and packages. All of them read it from this file. */
#ifndef MEMPHIS_VERSION_H
#define MEMPHIS_VERSION_H

#define MEMPHIS_VERSION "0.1.0"

/*
 * The version as numbers, for the preprocessor; repeated in libsampler/api/memphis_fortran.F90. While the major version is 0,
 * interfaces may change with each minor version.
 */
#define MEMPHIS_VERSION_MAJOR 0
#define MEMPHIS_VERSION_MINOR 1

/* Nonzero if the headers have at least this version: #if MEMPHIS_VERSION_AT_LEAST(0, 2) */
#define MEMPHIS_VERSION_AT_LEAST(major, minor) \
	(MEMPHIS_VERSION_MAJOR > (major) ||    \
	 (MEMPHIS_VERSION_MAJOR == (major) && MEMPHIS_VERSION_MINOR >= (minor)))

#endif
