/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes samples for a SAMPLES chunk. format.h describes the encoding, and read/decode.h decodes it. */
#ifndef MEMPHIS_PERFDATA_VARINT_H
#define MEMPHIS_PERFDATA_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include <memphis/format.h>

/*
 * Writes a number. Returns the address after its last byte. Also for a short number, `to` must have room for 10 bytes, of
 * which those after the number are overwritten.
 */
uint8_t *memphis_varint_encode(uint8_t *to, uint64_t value);

/*
 * Encodes a sample relative to the previous sample of its chunk. For the first sample, `previous` is all
 * zeros. Writes at most MEMPHIS_SAMPLE_CODE_BYTES_MAX bytes. Returns the number of bytes.
 */
size_t memphis_sample_encode(uint8_t *to, const struct memphis_sample *sample,
			     const struct memphis_sample *previous);

#endif
