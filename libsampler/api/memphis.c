/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of memphis.h, except memphis_begin() and memphis_end(). */
#include <string.h>

#include <memphis.h>

#include "control/session.h"
#include "control/tracking.h"
#include "core/session.h"
#include "core/names.h"
#include "interpose/lifecycle.h"
#include "record/drain.h"
#include "settings/env.h"

PUBLIC int memphis_name(const void *start, size_t bytes, const char *name)
{
	if (!name)
		return memphis_names_add(start, bytes, "", 0);
	return *name ? memphis_names_add(start, bytes, name, strlen(name)) : -EINVAL;
}

PUBLIC int memphis_configure(const char *key, const char *value)
{
	int err;

	if (!key || !value)
		return -EINVAL;
	if (atomic_load(&memphis_session.state) != MEMPHIS_SESSION_FRESH)
		return -EBUSY;
	memphis_lock_take(&memphis_session.start_lock);
	memphis_lock_take(&memphis_session.lock);
	err = memphis_session.state == MEMPHIS_SESSION_FRESH ? memphis_env_set(key, value) : -EBUSY;
	if (!err)
		memphis_tracking_update();
	memphis_lock_release(&memphis_session.lock);
	memphis_lock_release(&memphis_session.start_lock);
	return err;
}

PUBLIC int memphis_pause(void)
{
	memphis_fork_check();
	return memphis_session_pause();
}

PUBLIC int memphis_resume(void)
{
	memphis_fork_check();
	return memphis_session_resume();
}

PUBLIC int memphis_is_sampling(void)
{
	const int state = atomic_load(&memphis_session.state);

	if (state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED)
		return -ENODEV;
	return atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed);
}

PUBLIC int memphis_flush(void)
{
	int err, cancel;

	if (atomic_load(&memphis_session.state) != MEMPHIS_SESSION_READY || memphis_is_copy())
		return -ENODEV;
	cancel = memphis_enter();
	err = memphis_drain_request(MEMPHIS_DRAIN_FILES | MEMPHIS_DRAIN_SETTINGS, 20000);
	memphis_leave(cancel);
	return err;
}

PUBLIC int memphis_status(char *text, size_t bytes)
{
	return memphis_session_status(text, bytes);
}

PUBLIC const char *memphis_version(void)
{
	return MEMPHIS_VERSION;
}
