/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kind of an observed access, or-ed into the MemOpIdx that is passed to observe_access(). */
#ifndef TCG_OBSERVE_KIND_H
#define TCG_OBSERVE_KIND_H

#define OBSERVE_STORE (1u << 31)
#define OBSERVE_RMW   (1u << 30) /* one locked read-modify-write */
#define OBSERVE_EACH  (1u << 29) /* access of a string instruction, never part of the previous op */
#define OBSERVE_KINDS (OBSERVE_STORE | OBSERVE_RMW | OBSERVE_EACH)

#endif
