/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time by the model clock: see model-time.h. QEMU's count of instructions serves as the count of cycles: a load that waits takes its latency from
 * what the vCPU may still run. Between two turns, the count is the time of the busy vCPU that is behind all others, and timers expire by
 * that; during a turn it is the time of the running one.
 */
#include "qemu/osdep.h"
#include "qemu/seqlock.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "system/cpu-timers-internal.h"
#include "system/model-time.h"

#define CPUS_MAX 64

/* How far a vCPU may be ahead of another busy one. A turn costs some microseconds of the host's time. */
#define TURN 10000

bool model_time;
static int64_t ahead[CPUS_MAX]; /* cycles of each vCPU beyond the count between turns */
static bool was_idle[CPUS_MAX];
static int64_t begun; /* the count at the beginning of the turn */

void model_time_stall(CPUState *cs, unsigned cycles)
{
	IcountDecr *decr = &cs->neg.icount_decr;
	uint16_t taken;

	/* The vCPU may run low + extra; QEMU moves a part of it to low, which translated code counts down. */
	cs->icount_extra -= cycles;
	if (cs->icount_extra < 0) {
		taken = MIN(-cs->icount_extra, decr->u16.low);
		decr->u16.low -= taken;
		cs->icount_extra += taken;
	}
}

static bool is_idle(CPUState *cs)
{
	return cs->halted && !cpu_has_work(cs);
}

static void set_count(int64_t count)
{
	seqlock_write_lock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
	qatomic_set_i64(&timers_state.qemu_icount, count);
	seqlock_write_unlock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
}

int64_t model_time_begin(CPUState *cs, int64_t limit, int64_t share)
{
	bool alone = true;
	CPUState *other;

	if (!model_time) {
		return MIN(limit, share);
	}
	CPU_FOREACH(other)
	{
		was_idle[other->cpu_index] = is_idle(other);
		alone &= other == cs || was_idle[other->cpu_index];
	}
	begun = timers_state.qemu_icount;
	set_count(begun + ahead[cs->cpu_index]);
	return MAX((alone ? limit : MIN(limit, TURN)) - ahead[cs->cpu_index], 0);
}

bool model_time_waits(const CPUState *cs)
{
	return model_time && ahead[cs->cpu_index] > 0;
}

void model_time_end(CPUState *cs)
{
	int64_t own = timers_state.qemu_icount - begun, least = INT64_MAX, most = 0, step;
	CPUState *other;

	if (!model_time) {
		return;
	}
	ahead[cs->cpu_index] = own;
	CPU_FOREACH(other)
	{
		int64_t *its = &ahead[other->cpu_index];

		most = MAX(most, *its);
		if (is_idle(other)) {
			continue;
		}
		/* Interrupts that wake a vCPU end the turn, so that it goes on at the time of the vCPU that sent it one. */
		if (was_idle[other->cpu_index] && other != cs) {
			*its = MAX(*its, own);
		}
		least = MIN(least, *its);
	}
	step = least == INT64_MAX ? most : least;
	CPU_FOREACH(other)
	{
		ahead[other->cpu_index] = MAX(ahead[other->cpu_index] - step, 0);
	}
	set_count(begun + step);
}
