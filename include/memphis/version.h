/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* The version of module, library, tool and packages: stated here, and read from here by all of them. */
#ifndef MEMPHIS_VERSION_H
#define MEMPHIS_VERSION_H

#define MEMPHIS_VERSION "0.1.0"

#endif
