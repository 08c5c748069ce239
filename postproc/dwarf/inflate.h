/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decompression of debug sections compressed with zstd (gABI, ELFCOMPRESS_ZSTD), for a libelf that lacks
 * zstd: elfutils before 0.189 inflates zlib only.
 */
#ifndef MEMPHIS_INFLATE_H
#define MEMPHIS_INFLATE_H

#include <libelf.h>
#include <stddef.h>

struct memphis_inflated {
	Elf *elf; /* ELF handle of the image; NULL: nothing was decompressed */
	void *image;
	size_t bytes;
};

/*
 * Decompresses the zstd sections of the file, which must be 64-bit and of native byte order. On success (0),
 * inflated->elf refers to an image with decompressed sections, or is NULL if the file has no zstd sections.
 * Fails with -EBADMSG (damaged file), -ENOTSUP (built without libzstd) or -ENOMEM. Call
 * memphis_inflated_close() in every case, after closing whatever uses the ELF handle.
 */
int memphis_inflate(struct memphis_inflated *inflated, int fd);
void memphis_inflated_close(struct memphis_inflated *inflated);

#endif
