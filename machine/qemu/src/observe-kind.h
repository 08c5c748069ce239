/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kind of an observed access, or-ed into the MemOpIdx that is passed to observe_access(). */
#ifndef TCG_OBSERVE_KIND_H
#define TCG_OBSERVE_KIND_H

#define OBSERVE_STORE (1u << 31)
#define OBSERVE_RMW   (1u << 30) /* one locked read-modify-write */
#define OBSERVE_EACH  (1u << 29) /* access of a string instruction, never part of the previous op */
#define OBSERVE_NT    (1u << 28) /* non-temporal store */
#define OBSERVE_KINDS (OBSERVE_STORE | OBSERVE_RMW | OBSERVE_EACH | OBSERVE_NT)

/* Hints to the caches; the MMU index is above them. */
enum {
	OBSERVE_HINT_L1,    /* fetch the line */
	OBSERVE_HINT_L2,    /* fetch it, but not into the L1 */
	OBSERVE_HINT_STORE, /* fetch it to store into it */
	OBSERVE_HINT_FLUSH, /* write it back, and drop it */
	OBSERVE_HINT_CLEAN, /* write it back, and keep it */
};
#define OBSERVE_HINTS          0xfu
#define OBSERVE_HINT_MMU_SHIFT 4

#endif
