/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether allocations are tracked, and from which size. */
#include <sys/auxv.h>

#include "backend/backend.h"
#include "base/clock.h"
#include "control/tracking.h"
#include "core/alloc_min.h"
#include "core/sample_epoch.h"
#include "core/sanitizer.h"
#include "data/byte_sampler.h"
#include "data/events.h"
#include "record/allocator.h"
#include "settings/env.h"
#include "unwind/cfi.h"

static bool is_interposed = true;

void memphis_tracking_setup(bool interposed)
{
	static int done;

	is_interposed = interposed;
	/* Libraries that are initialised before the C library may allocate before the environment exists. */
	if (done || !environ)
		return;
	done = 1;
	memphis_env_load();
	memphis_cfi_setup();
	memphis_tracking_update();
}

void memphis_tracking_update(void)
{
	static bool was_off, is_known;

	/*
	 * If the functions are not interposed, the library would see no calls. Change the setting, so that
	 * the metadata shows it.
	 */
	if (is_interposed || !is_known)
		was_off = memphis_settings.alloc_min_bytes == UINT64_MAX;
	is_known = true;
	if (!is_interposed)
		memphis_settings.alloc_min_bytes = UINT64_MAX;
	/* If no sample can be taken, no block ever needs a name. */
	if (memphis_settings.disable || !memphis_env_is_chosen() || getauxval(AT_SECURE) ||
	    memphis_sanitizer() || !memphis_backend_is_there() || memphis_events_setup()) {
		memphis_alloc_stop();
		return;
	}
	memphis_clock_setup();
	memphis_events_digest = memphis_sample_epoch_digest;
	__atomic_store_n(&memphis_parts_tracked, !was_off, __ATOMIC_RELAXED);
	__atomic_store_n(&memphis_alloc_min, memphis_settings.alloc_min_bytes, __ATOMIC_RELAXED);
	if (memphis_allocator_can_be_tracked()) {
		__atomic_store_n(&memphis_block_min, memphis_settings.alloc_min_bytes, __ATOMIC_RELAXED);
		__atomic_store_n(
			&memphis_small_mean,
			memphis_settings.alloc_min_bytes == UINT64_MAX ? 0 : memphis_settings.small_bytes,
			__ATOMIC_RELAXED);
	}
}
