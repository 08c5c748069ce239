/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the sampling session of this process. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc_min.h"
#include "settings/env.h"
#include "settings/hardware.h"
#include "base/say.h"
#include "base/text.h"
#include "core/session.h"
#include "data/spans.h"

struct memphis_hot memphis_hot __attribute__((aligned(4096)));
int memphis_hot_is_wiped;

struct memphis_session memphis_session;

void memphis_session_watch(int counters)
{
	struct memphis_session *s = &memphis_session;

	atomic_store(&s->lead.counters, counters);
	if (s->log)
		atomic_store(&s->lead.watched, INT_MAX);
	else
		atomic_store(&s->lead.watched,
			     counters > memphis_spans_depth ? counters : memphis_spans_depth);
}

void memphis_session_fail(const char *where, int err, const char *remedy)
{
	struct memphis_session *s = &memphis_session;

	if (err == EBADF && s->tries_again)
		return;
	snprintf(s->problem, sizeof(s->problem), "%s%s%s; %s", where, err ? ": " : "",
		 err ? memphis_error_text(err) : "", remedy);
	if (memphis_env_speaks())
		memphis_say("memphis: not sampling: %s\n", s->problem);
	atomic_store(&s->state, MEMPHIS_SESSION_DEAD);
	atomic_store(&s->attaching, 0);
	memphis_alloc_stop();
}

int memphis_session_status(char *text, size_t bytes)
{
	struct memphis_session *s = &memphis_session;

	switch (atomic_load(&s->state)) {
	case MEMPHIS_SESSION_FRESH:
		return snprintf(text, bytes, "not sampling: no caliper was opened yet");
	case MEMPHIS_SESSION_DEAD:
		return snprintf(text, bytes, "not sampling: %s", s->problem);
	case MEMPHIS_SESSION_CLOSED:
		return snprintf(text, bytes, "not sampling: the process is ending");
	default:
		return snprintf(text, bytes, "%s: %s, period %llu %s, %u threads, writing to %s",
				memphis_hot.sampling ? "sampling" : "ready", s->query.pmu, s->config.period,
				memphis_count_names[s->config.count], (unsigned int)s->threads_attached,
				s->directory);
	}
}
