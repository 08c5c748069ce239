/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread may get its own descriptor table by unshare(2) with CLONE_FILES, or by close_range(2) with
 * CLOSE_RANGE_UNSHARE. The thread expects that a descriptor that it closes is really closed. If the drain
 * shares the old table, the drain is ended and then started again with the new table. It can't be started
 * again if children belong to another PID namespace.
 */
#include <sched.h>

#include "base/busy.h"
#include "base/proc.h"
#include "base/sys.h"
#include "control/session.h"
#include "interpose/next_symbols.h"
#include "record/drain.h"

MEMPHIS_NAMESPACES(MEMPHIS_DECLARE)

/*
 * Ends the drain if only it and the caller share the table. Returns true in this case. Stores the argument
 * for restart_drain() in *cancel.
 */
static bool end_drain(int *cancel)
{
	if (!memphis_drain_shares_descriptors() || !memphis_session_is_usable() || memphis_proc_has_threads())
		return false;
	*cancel = memphis_enter();
	memphis_drain_leave(MEMPHIS_DRAIN_LEAVE_MS);
	return true;
}

static void restart_drain(int cancel)
{
	int saved = errno;

	memphis_drain_return();
	memphis_leave(cancel);
	errno = saved;
}

int MEMPHIS_ENTRY(unshare)(int flags)
{
	int err, cancel, saved = errno;

	memphis_next_complete();
	if (!(flags & CLONE_FILES) || (flags & CLONE_NEWPID) || !end_drain(&cancel))
		return memphis_next.unshare(flags);
	err = memphis_next.unshare(flags);
	errno = err ? errno : saved;
	restart_drain(cancel);
	return err;
}

static int close_descriptors(unsigned int first, unsigned int last, int flags)
{
	if (memphis_next.close_range)
		return memphis_next.close_range(first, last, flags);
	return (int)syscall(SYS_close_range, first, last, flags);
}

int MEMPHIS_ENTRY(close_range)(unsigned int first, unsigned int last, int flags)
{
	int err, cancel, saved = errno;

	memphis_next_setup();
	if (!(flags & CLOSE_RANGE_UNSHARE) || !end_drain(&cancel))
		return close_descriptors(first, last, flags);
	err = close_descriptors(first, last, flags);
	errno = err ? errno : saved;
	restart_drain(cancel);
	return err;
}
