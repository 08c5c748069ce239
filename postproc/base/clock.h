/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic time, which does not depend on the setting of the system's clock. */
#ifndef MEMPHIS_CLOCK_H
#define MEMPHIS_CLOCK_H

/* Returns the time in seconds since a fixed point in the past. */
double memphis_clock_s(void);

/* Waits for `seconds`. A signal that is handled meanwhile does not shorten the wait. */
void memphis_clock_wait(double seconds);

#endif
