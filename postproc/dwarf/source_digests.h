/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the MD5 digests of source files, which DWARF 5's line tables may contain (DWARF 5, section 6.2.4.1, DW_LNCT_MD5). */
#ifndef MEMPHIS_SOURCE_DIGESTS_H
#define MEMPHIS_SOURCE_DIGESTS_H

#include "base/md5.h"
#include "dwarf/binary.h"

/*
 * Returns the digest of the source file that the compiler read. Returns NULL if there is none, or if
 * compilations have read different versions of the file. Reads all line tables of the binary on first use.
 */
const uint8_t *memphis_source_digest_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
					  const char *path);
void memphis_source_digests_close(struct memphis_binary *binary);

#endif
