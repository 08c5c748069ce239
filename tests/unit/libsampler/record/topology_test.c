/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the nodes of a machine from a directory like sysfs. If this fails, memory-only nodes are missing in reports. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/metadata.h"
#include "../../tap.h"

static char root[] = "/tmp/memphis-topology-test-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	mkdir(path, 0755);
	*slash = '/';
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

int main(void)
{
	struct memphis_text_buffer text = {0};
	char command[64];

	if (!mkdtemp(root))
		return 1;
	put("online", "0-1,4\n");
	put("node0/meminfo", "Node 0 MemTotal:       16000 kB\nNode 0 MemFree:  1 kB\n");
	put("node0/cpulist", "0-3,8-11\n");
	put("node0/distance", "10 21 31\n");
	put("node1/meminfo", "Node 1 MemTotal:        8000 kB\n");
	put("node1/cpulist", "4-7\n");
	put("node1/distance", "21 10 31\n");
	put("node4/meminfo", "Node 4 MemTotal:      100000 kB\n");
	put("node4/cpulist", "\n");
	put("node4/distance", "31 31 10\n");
	memphis_metadata_add_topology(&text, root);
	ok(!strcmp(text.data, "node 0 16384000 0-3,8-11 10,21,31\n"
			      "node 1 8192000 4-7 21,10,31\n"
			      "node 4 102400000 - 31,31,10\n"),
	   "nodes are listed with memory, CPUs (a dash for a memory-only node) and distances");
	is(text.lines, 3, "each node has a line");
	memphis_text_clear(&text);
	memphis_metadata_add_topology(&text, "/nonexistent");
	ok(!strncmp(text.data, "node 0 ", 7) && text.lines == 1, "a kernel without NUMA has one node");
	memphis_text_free(&text);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ok(!system(command), "the test cleans up");
	return finish();
}
