/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of the process and its machine, as text for chunks (docs/format.md). */
#ifndef MEMPHIS_METADATA_H
#define MEMPHIS_METADATA_H

#include "base/text.h"

struct memphis_session;

/* Lines of SETTINGS: what is known when sampling starts, and what changes until it stops (`closing`: with stop times). */
void memphis_metadata_settings(struct memphis_text *text, const struct memphis_session *session);
void memphis_metadata_activity(struct memphis_text *text, const struct memphis_session *session, int closing);

/* Lines of TOPOLOGY, read from `root` ("/sys/devices/system/node"). */
void memphis_metadata_topology(struct memphis_text *text, const char *root);

/* Lines of SETTINGS: how the machine is set up. `root`: "", or the directory to take for /. */
void memphis_metadata_machine(struct memphis_text *text, const char *root);

#endif
