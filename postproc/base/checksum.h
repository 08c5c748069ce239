/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C of sample files, on any CPU: files are read elsewhere than where they were recorded. */
#ifndef MEMPHIS_CHECKSUM_H
#define MEMPHIS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `sum`, 0 at the start; by the CPU's own instruction where it has one. */
uint32_t memphis_checksum(uint32_t sum, const void *data, size_t bytes);

/* The same, by tables. */
uint32_t memphis_checksum_portable(uint32_t sum, const void *data, size_t bytes);

#endif
