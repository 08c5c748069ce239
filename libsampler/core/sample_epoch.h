/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has anything been sampled or named since? Asked by threads that allocate, now and then: a block that came and went
 * meanwhile explains nothing if not.
 */
#ifndef MEMPHIS_QUIET_H
#define MEMPHIS_QUIET_H

#include "base/sys.h"

/*
 * A digest of how far all rings are filled and how many names were given: two equal ones, and nothing came in between.
 * Returns 0 when it can't be told just now. Takes no lock.
 */
int memphis_sample_epoch_digest(__u64 *digest);

/* Around the end of a ring's map: nobody looks at rings in between. One caller at a time. */
void memphis_sample_epoch_pause(void);
void memphis_sample_epoch_resume(void);

/* In the child of a fork: nobody else is left. */
void memphis_sample_epoch_forked(void);

#endif
