/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that passes, whatever the system's clock is set to. */
#ifndef MEMPHIS_CLOCK_H
#define MEMPHIS_CLOCK_H

/* Returns the seconds since some time in the past. */
double memphis_clock_s(void);

/* Waits so many seconds; signals that are handled do not shorten that. */
void memphis_clock_wait(double seconds);

#endif
