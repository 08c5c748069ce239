/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader must know about the process and its machine, as text for chunks (docs/format.md). */
#ifndef MEMPHIS_FACTS_H
#define MEMPHIS_FACTS_H

#include "base/text.h"

struct memphis_session;

/* SETTINGS as sampling starts; and what changes until it stops (`closing`: with the stop times). */
void memphis_metadata_settings(struct memphis_text *text, const struct memphis_session *session);
void memphis_metadata_activity(struct memphis_text *text, const struct memphis_session *session, int closing);

/* TOPOLOGY, from `root` ("/sys/devices/system/node"). */
void memphis_metadata_topology(struct memphis_text *text, const char *root);

/* Part of SETTINGS: how the machine is set up; `root`: "", or a directory in the place of the root. */
void memphis_metadata_machine(struct memphis_text *text, const char *root);

#endif
