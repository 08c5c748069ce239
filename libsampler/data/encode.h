/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of samples for SAMPLES chunks. format.h defines the encoding. */
#ifndef MEMPHIS_ENCODE_H
#define MEMPHIS_ENCODE_H

#include <stddef.h>

#include <memphis/format.h>

/* Writes a varint (LEB128, at most 10 bytes). Returns the address after it. */
unsigned char *memphis_encode_varint(unsigned char *out, __u64 value);

/*
 * Encodes the differences between a sample and the previous sample of the same chunk. For the first sample of
 * a chunk, `previous` is all zeros. Writes at most MEMPHIS_SAMPLE_CODE_BYTES_MAX bytes to `out`. Returns
 * their number.
 */
size_t memphis_encode_sample(unsigned char *out, const struct memphis_sample *sample,
			     const struct memphis_sample *previous);

#endif
