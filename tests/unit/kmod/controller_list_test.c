// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of events of memory controllers that root passes to the module. If a test fails, what users read by the device is not what root
 * has selected, or bytes are added to the wrong node.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"
#include "controllers/list.h"

static struct memphis_controller_list list;

/* The copy ends at the end of its memory, so that the sanitizer sees reads behind it. */
static int parse(const char *text)
{
	char *copy = strdup(text);
	int error;

	memset(&list, 0, sizeof(list));
	error = memphis_controller_list_parse(&list, copy);
	free(copy);
	return error;
}

static void check_list(void)
{
	const struct memphis_controller_event *event = list.events;
	const struct memphis_controller *entry = list.entries;

	ok(!parse("read 64 26 0x10a 1 0xffffffffffffffff 0:0,8:1 amd_umc cas_read\n"
		  "\n"
		  " write\t32 27 522 0 0 8:1 amd_umc cas_write ;read 64 28 0x10a 0 0 9:1 amd_umc cas_read;\n"),
	   "lines, semicolons, blanks and empty lines");
	is(list.event_count, 4, "an event for each CPU");
	is(list.entry_count, 3, "an entry for each name, node and kind");
	ok(event[0].type == 26 && event[0].cpu == 0 && event[0].bytes == 64 && event[0].entry == 0 &&
		   event[0].config[0] == 0x10a && event[0].config[1] == 1 && event[0].config[2] == ~0ull,
	   "the members of an event");
	ok(event[1].cpu == 8 && event[1].entry == 1 && event[1].config[2] == ~0ull, "its second place");
	ok(event[2].type == 27 && event[2].bytes == 32 && event[2].config[0] == 0x20a && event[2].entry == 2,
	   "decimal numbers");
	ok(event[3].cpu == 9 && event[3].entry == 1, "events of one node and name are added up");
	ok(!strcmp(entry[0].name, "amd_umc cas_read") && entry[0].node == 0 &&
		   entry[0].kind == MEMPHIS_CONTROLLER_READ && !strcmp(entry[1].name, "amd_umc cas_read") &&
		   entry[1].node == 1 && !strcmp(entry[2].name, "amd_umc cas_write") && entry[2].node == 1 &&
		   entry[2].kind == MEMPHIS_CONTROLLER_WRITE,
	   "names, nodes and kinds of entries");
	ok(!parse("read 64 26 0 0 0 0:-1 a"), "a CPU without a known node");
	is(list.entries[0].node, -1, "has node -1");
	ok(!parse("read 64 26 0 0 0 4294967295:2147483647 1234567890123456789012345678901"),
	   "largest values");
	ok(!parse("") && !list.event_count && !parse(" ;\n\t"), "an empty list");
}

static void check_wrong(void)
{
	static const struct {
		const char *name, *text;
	} wrong[] = {
		{"no kind", "64 26 0 0 0 0:0 a"},
		{"unknown kind", "both 64 26 0 0 0 0:0 a"},
		{"longer kind", "reads 64 26 0 0 0 0:0 a"},
		{"no bytes", "read 0 26 0 0 0 0:0 a"},
		{"too many bytes", "read 4294967296 26 0 0 0 0:0 a"},
		{"the core's PMU", "read 64 4 0 0 0 0:0 a"},
		{"software events", "read 64 1 0 0 0 0:0 a"},
		{"negative number", "read 64 26 -1 0 0 0:0 a"},
		{"number beyond 64 bits", "read 64 26 0x10000000000000000 0 0 0:0 a"},
		{"decimal beyond 64 bits", "read 64 26 18446744073709551616 0 0 0:0 a"},
		{"no digits", "read 64 26 0x 0 0 0:0 a"},
		{"a word behind a number", "read 64 26 0x10z 0 0 0:0 a"},
		{"no config2", "read 64 26 0 0 0:0 a"},
		{"no node", "read 64 26 0 0 0 0 a"},
		{"no CPU", "read 64 26 0 0 0 :0 a"},
		{"a comma at the end", "read 64 26 0 0 0 0:0, a"},
		{"a comma and a line", "read 64 26 0 0 0 0:0,\nread 64 26 0 0 0 0:0 a"},
		{"a node below -1", "read 64 26 0 0 0 0:-10 a"},
		{"a node too large", "read 64 26 0 0 0 0:2147483648 a"},
		{"no name", "read 64 26 0 0 0 0:0"},
		{"a blank name", "read 64 26 0 0 0 0:0  "},
		{"a name in the next line", "read 64 26 0 0 0 0:0\na"},
		{"a name of 64 characters",
		 "read 64 26 0 0 0 0:0 1234567890123456789012345678901212345678901234567890123456789012"},
		{"a line that ends early", "read 64"},
		{"a wrong line behind a right one", "read 64 26 0 0 0 0:0 a\nread"},
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		is(parse(wrong[i].text), -EINVAL, wrong[i].name);
}

static void check_limits(void)
{
	char text[16384] = "read 64 26 0 0 0 0:0";
	int i;

	for (i = 1; i < MEMPHIS_CONTROLLER_EVENTS_MAX; i++)
		sprintf(text + strlen(text), ",%d:0", i);
	strcat(text, " a\n");
	ok(!parse(text), "as many events as fit");
	strcat(text, "read 64 26 0 0 0 0:0 a");
	is(parse(text), -E2BIG, "an event more");
	*text = '\0';
	for (i = 0; i < MEMPHIS_CONTROLLERS_MAX; i++)
		sprintf(text + strlen(text), "read 64 26 0 0 0 0:%d a\n", i);
	ok(!parse(text), "as many entries as fit");
	strcat(text, "write 64 26 0 0 0 0:0 a\n");
	is(parse(text), -E2BIG, "an entry more");
}

int main(void)
{
	check_list();
	check_wrong();
	check_limits();
	return finish();
}
