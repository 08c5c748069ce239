/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ops of an instruction: which of its accesses are a further op, and the count of ops. Included by observe.c. */
#ifndef TARGET_I386_OBSERVE_OP_H
#define TARGET_I386_OBSERVE_OP_H

#include "observe.h"

/* Returns true if the access continues the previous op at the same or the next address. */
static inline bool is_same_op(const ObserveState *o, const ObserveAccess *a, bool each)
{
	uint64_t end = a->vaddr + a->bytes;

	/* The store of a read-modify-write, or the second one of INS: QEMU probes the page with a store before it reads the device. */
	if (a->store && !a->load && a->vaddr >= o->op_start && end <= o->op_end && !(each && o->op_load)) {
		return true;
	}
	/* The next piece of a wide load or store, on the same line. */
	return !each && a->load == o->op_load && a->store == o->op_store && a->vaddr == o->op_end &&
	       a->vaddr % CACHE_LINE_BYTES;
}

static inline void begin_op(ObserveState *o, uint64_t vaddr, unsigned bytes, bool load, bool store)
{
	o->op_accesses = OBSERVE_OP_MORE;
	o->op_load = load;
	o->op_store = store;
	o->op_start = vaddr;
	o->op_end = vaddr + bytes;
	if (load && ++o->loads >= o->loads_due) {
		clock_loads_due(o);
	}
}

/* Returns true if the access is a further op: the instruction's start or an earlier access has not counted it. */
static inline bool is_new_op(ObserveState *o, const ObserveAccess *a, bool each)
{
	bool first = o->op_accesses == OBSERVE_OP_FIRST;

	if (!first && is_same_op(o, a, each)) {
		o->op_store |= a->store;
		o->op_end = MAX(o->op_end, a->vaddr + a->bytes);
		return false;
	}
	begin_op(o, a->vaddr, a->bytes, a->load, a->store);
	return !first;
}

/* Counts an L1 hit as an op, or as a part of one. Returns false, and counts nothing, if it would end the countdown. */
static inline bool count_hit(ObserveState *o, uint64_t vaddr, unsigned bytes, uint32_t info)
{
	bool store = info & OBSERVE_STORE;

	if (o->op_accesses != OBSERVE_OP_FIRST) {
		const ObserveAccess a = {.vaddr = vaddr, .bytes = bytes, .load = !store, .store = store};

		if (is_same_op(o, &a, info & OBSERVE_EACH)) {
			o->op_store |= store;
			o->op_end = MAX(o->op_end, vaddr + bytes);
			return true;
		}
		if (observe_ops_left(o) <= 0) {
			return false;
		}
		observe_use_ops(o, 1);
	}
	begin_op(o, vaddr, bytes, !store, store);
	return true;
}

#endif
