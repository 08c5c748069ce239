/* SPDX-License-Identifier: BSD-3-Clause */
/* The coding of samples in SAMPLES chunks; format.h declares it. */
#ifndef MEMPHIS_ENCODE_H
#define MEMPHIS_ENCODE_H

#include <stddef.h>

#include <memphis/format.h>

/*
 * Code one sample against the one before it in the same chunk (all zeros for the first). Writes at most
 * MEMPHIS_SAMPLE_CODE_BYTES_MAX bytes to `out`; returns how many.
 */
size_t memphis_encode_sample(unsigned char *out, const struct memphis_sample *sample,
			     const struct memphis_sample *previous);

#endif
