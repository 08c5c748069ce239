/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of samples in a SAMPLES chunk; format.h describes it, read/decode.h reads it. */
#ifndef MEMPHIS_PERFDATA_VARINT_H
#define MEMPHIS_PERFDATA_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include <memphis/format.h>

/* Writes a number of at most 10 bytes. Returns the address behind it. */
uint8_t *memphis_varint_encode(uint8_t *to, uint64_t value);

/*
 * Encodes a sample relative to the previous one of its chunk, which is all zeros for the first one. Writes at most MEMPHIS_SAMPLE_CODE_BYTES_MAX bytes.
 * Returns their number.
 */
size_t memphis_sample_encode(uint8_t *to, const struct memphis_sample *sample,
			     const struct memphis_sample *previous);

#endif
