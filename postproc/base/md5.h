/* SPDX-License-Identifier: BSD-3-Clause */
/* The MD5 digest (RFC 1321). Debug information identifies source files by it. */
#ifndef MEMPHIS_MD5_H
#define MEMPHIS_MD5_H

#include <stddef.h>
#include <stdint.h>

#define MEMPHIS_MD5_BYTES 16

void memphis_md5(const void *data, size_t bytes, uint8_t digest[MEMPHIS_MD5_BYTES]);

#endif
