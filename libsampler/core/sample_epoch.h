/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sample epochs. Each sample and each explicit name starts a new epoch. A thread that allocates compares
 * epochs from time to time. A block that was allocated and released within one epoch can't contain any
 * sample.
 */
#ifndef MEMPHIS_SAMPLE_EPOCH_H
#define MEMPHIS_SAMPLE_EPOCH_H

#include "base/sys.h"

/*
 * Computes a digest of the heads of all rings and of the number of names. If two digests are equal, no sample
 * was taken and no name was given between them. Returns 1 and stores the digest. Returns 0 if no digest is
 * available now. Takes no lock.
 */
int memphis_sample_epoch_digest(__u64 *digest);

/* Called before and after a ring is unmapped. No digest is computed in between. Only one thread at a time may call them. */
void memphis_sample_epoch_pause(void);
void memphis_sample_epoch_resume(void);

/* Fork handler of the child, in which no other thread exists. */
void memphis_sample_epoch_forked(void);

#endif
