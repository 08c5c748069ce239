/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debug information that is compressed with zstd (gABI, ELFCOMPRESS_ZSTD), for a libelf that does not read it: elfutils before 0.189
 * inflates zlib only.
 */
#ifndef MEMPHIS_INFLATE_H
#define MEMPHIS_INFLATE_H

#include <libelf.h>
#include <stddef.h>

struct memphis_inflated {
	Elf *elf; /* of the image; NULL: nothing was to be inflated */
	void *image;
	size_t bytes;
};

/*
 * Looks at a 64-bit file of this machine's byte order. 0: `inflated` has it with these sections as they were before, or nothing, because none
 * was compressed so. -EBADMSG: damaged; -ENOTSUP: built without libzstd; -ENOMEM. Close it in any case, after what was made of the ELF.
 */
int memphis_inflate(struct memphis_inflated *inflated, int fd);
void memphis_inflated_close(struct memphis_inflated *inflated);

#endif
