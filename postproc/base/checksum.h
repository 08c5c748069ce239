/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C of sample files, on any CPU: files may be read on a machine other than the one that recorded them.
 */
#ifndef MEMPHIS_CHECKSUM_H
#define MEMPHIS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum `sum` (0 at the start), using the CPU's CRC instruction if available. */
uint32_t memphis_checksum(uint32_t sum, const void *data, size_t bytes);

/* As memphis_checksum(), with lookup tables only. */
uint32_t memphis_checksum_portable(uint32_t sum, const void *data, size_t bytes);

#endif
