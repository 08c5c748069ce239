// SPDX-License-Identifier: BSD-3-Clause
/*
 * Downloads files with the client library of elfutils (debuginfod_find_debuginfo(3)), which is loaded at run
 * time if it is installed.
 */
#include "dwarf/debuginfod.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct debuginfod_client;

typedef int (*find_fn)(struct debuginfod_client *, const unsigned char *, int, char **);

static struct {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *);
	find_fn find[2]; /* indexed by enum memphis_debuginfod_what */
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	static const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{"debuginfod_end", &library.end},
		{"debuginfod_find_executable", &library.find[MEMPHIS_DEBUGINFOD_EXECUTABLE]},
		{"debuginfod_find_debuginfo", &library.find[MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION]},
		{"debuginfod_begin", &library.begin},
	};
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;
	size_t i;

	/* Load debuginfod_begin last: if it is set, all other symbols are set, too. */
	for (i = 0; handle && i < sizeof(symbols) / sizeof(*symbols); i++) {
		symbol = dlsym(handle, symbols[i].name);
		if (!symbol)
			return;
		memcpy(symbols[i].to, &symbol, sizeof(symbol));
	}
}

char *memphis_debuginfod(enum memphis_debuginfod_what what, const char *build_id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod_client *client;
	char *path = NULL;
	int fd;

	if (!urls || !*urls || !*build_id)
		return NULL;
	pthread_once(&once, load);
	client = library.begin ? library.begin() : NULL;
	if (!client)
		return NULL;
	/* A length of 0 means that the build-id is a hex string. */
	fd = library.find[what](client, (const unsigned char *)build_id, 0, &path);
	library.end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}
