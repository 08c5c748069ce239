/* SPDX-License-Identifier: BSD-3-Clause */
/* Readings of the device's counters of memory controllers, and work with known traffic. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "../../device/session.h"

#define ARRAY_BYTES (16u << 20) /* eight times the L3 */

/* Reads the counters; returns 0 or a positive errno. */
int try_traffic(int fd, struct memphis_controllers *traffic);
/* The same; ends the program on failure. */
struct memphis_controllers traffic_of(int fd);
uint64_t all_bytes(const struct memphis_controllers *traffic);

/* Copies a word of each line from one array to the other, and back: each round reads both arrays, and writes one. */
void copy_rounds(uint64_t *to, uint64_t *from, unsigned long rounds);

#endif
