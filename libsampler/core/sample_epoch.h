/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An epoch ends with each sample and each explicit name. Threads that allocate compare epochs now and then: a block that
 * was allocated and released within one epoch can't be the owner of any sample.
 */
#ifndef MEMPHIS_SAMPLE_EPOCH_H
#define MEMPHIS_SAMPLE_EPOCH_H

#include "base/sys.h"

/*
 * Digest of the heads of all rings and of the number of names: if two digests are equal, no sample and no name came in
 * between. Returns 0 if no digest is available at the moment. Takes no lock.
 */
int memphis_sample_epoch_digest(__u64 *digest);

/* Around unmapping a ring: no digest is taken in between. One caller at a time. */
void memphis_sample_epoch_pause(void);
void memphis_sample_epoch_resume(void);

/* In the child of a fork: no other thread is left. */
void memphis_sample_epoch_forked(void);

#endif
