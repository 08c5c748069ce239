/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of the process and its machine, as text for chunks (docs/format.md). */
#ifndef MEMPHIS_METADATA_H
#define MEMPHIS_METADATA_H

#include "base/text.h"

struct memphis_session;

/*
 * Append lines of SETTINGS. memphis_metadata_add_settings() appends the settings that are known when sampling
 * starts. memphis_metadata_add_activity() appends the values that change until sampling stops. `closing`: it also
 * appends the stop times.
 */
void memphis_metadata_add_settings(struct memphis_text_buffer *text, const struct memphis_session *session);
void memphis_metadata_add_activity(struct memphis_text_buffer *text, const struct memphis_session *session,
				   int closing);

/* Appends lines of TOPOLOGY, read from `root` ("/sys/devices/system/node"). */
void memphis_metadata_add_topology(struct memphis_text_buffer *text, const char *root);

/*
 * Appends lines of SETTINGS that describe the configuration of the machine. `root`: prefix of the paths of
 * /proc and /sys, normally "".
 */
void memphis_metadata_add_machine(struct memphis_text_buffer *text, const char *root);

#endif
