/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C checksums of sample files. The result does not depend on the CPU, as files may be read on another
 * machine than the one that recorded them.
 */
#ifndef MEMPHIS_CHECKSUM_H
#define MEMPHIS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the checksum `sum` (0 at the start) extended by the data. Uses the CPU's CRC instruction if it has
 * one.
 */
uint32_t memphis_checksum(uint32_t sum, const void *data, size_t bytes);

/* Like memphis_checksum(), but always uses lookup tables. */
uint32_t memphis_checksum_portable(uint32_t sum, const void *data, size_t bytes);

#endif
