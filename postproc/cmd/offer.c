// SPDX-License-Identifier: BSD-3-Clause
/* Finds out what this user can sample on this machine, and how. */
#include "cmd/offer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* Must match libsampler/control/attach_process.h. */
typedef int (*offer_fn)(struct memphis_query *query, const char **backend, char *reason, size_t bytes);

static void ask_library(struct memphis_offer *offer, const char *device)
{
	char library[PATH_MAX], reason[2048] = "";
	struct memphis_error error;
	void *found = NULL;
	offer_fn ask;
	int rc;

	if (!memphis_library_find(library, &error))
		found = memphis_library_function(library, "memphis_offer", &error);
	if (!found) {
		snprintf(offer->refusal, sizeof(offer->refusal), "%.2000s", error.text);
		return;
	}
	/* The device has been tried: asked for it again, the library would return its error. */
	setenv("MEMPHIS_DEVICE", device, 1);
	setenv("MEMPHIS_BACKEND", "perf", 1);
	memcpy(&ask, &found, sizeof(ask));
	rc = ask(&offer->query, &offer->by, reason, sizeof(reason));
	if (!rc)
		return;
	offer->by = NULL;
	snprintf(offer->refusal, sizeof(offer->refusal), "%s", reason);
	/* Errors of perf for events that the hardware, or this kernel on this hardware, does not have. */
	offer->is_lacking = rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODATA;
}

void memphis_offer_find(struct memphis_offer *offer, const char *root, const char *device)
{
	const char *backend = getenv("MEMPHIS_BACKEND");
	const bool only_perf = backend && !strcmp(backend, "perf"),
		   only_device = backend && !strcmp(backend, "device");
	char reason[320] = ""; /* reason of the device */
	bool opened;
	int rc;

	memset(offer, 0, sizeof(*offer));
	if (!only_perf) {
		rc = memphis_device_query(&offer->query, root, device, &opened);
		if (!rc && offer->query.abi == MEMPHIS_ABI) {
			offer->by = "device";
			return;
		}
		snprintf(reason, sizeof(reason), "%.200s: %s", device,
			 rc ? strerror(-rc) : "the module has another version than this tool");
	}
	snprintf(offer->refusal, sizeof(offer->refusal), "%s", reason);
	if (*root || only_device)
		return;
	ask_library(offer, device);
	if (!offer->by && *reason)
		snprintf(offer->refusal + strlen(offer->refusal),
			 sizeof(offer->refusal) - strlen(offer->refusal), "; nor by the device: %s", reason);
}
