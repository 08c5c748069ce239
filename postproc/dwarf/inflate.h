/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decompresses debug sections compressed with zstd (gABI, ELFCOMPRESS_ZSTD) for a libelf that cannot do it:
 * before version 0.189, elfutils decompresses zlib only.
 */
#ifndef MEMPHIS_INFLATE_H
#define MEMPHIS_INFLATE_H

#include <libelf.h>
#include <stddef.h>

struct memphis_inflated {
	Elf *elf; /* ELF handle of the image; NULL if nothing was decompressed */
	void *image;
	size_t bytes;
};

/*
 * Decompresses the zstd sections of the file, which must be 64-bit and of native byte order. On success,
 * returns 0; inflated->elf then refers to an image with decompressed sections, or is NULL if the file has no
 * zstd sections. Returns -EBADMSG if the file is damaged, -ENOTSUP if the tool was built without libzstd, or
 * -ENOMEM. The caller must call memphis_inflated_close() in every case, after closing all users of the ELF
 * handle.
 */
int memphis_inflate(struct memphis_inflated *inflated, int fd);
void memphis_inflated_close(struct memphis_inflated *inflated);

#endif
