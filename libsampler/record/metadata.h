/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of the process and its machine, as text for chunks (docs/format.md). */
#ifndef MEMPHIS_METADATA_H
#define MEMPHIS_METADATA_H

#include "base/text.h"

struct memphis_session;

/*
 * These functions append lines of SETTINGS: memphis_metadata_settings() those that are known when sampling starts,
 * memphis_metadata_activity() those that change until sampling stops. `closing`: the stop times are appended, too.
 */
void memphis_metadata_settings(struct memphis_text_buffer *text, const struct memphis_session *session);
void memphis_metadata_activity(struct memphis_text_buffer *text, const struct memphis_session *session,
			       int closing);

/* Appends lines of TOPOLOGY, read from `root` ("/sys/devices/system/node"). */
void memphis_metadata_topology(struct memphis_text_buffer *text, const char *root);

/*
 * Appends lines of SETTINGS that describe the configuration of the machine. `root`: "", or a directory to use
 * instead of /.
 */
void memphis_metadata_machine(struct memphis_text_buffer *text, const char *root);

#endif
