/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources of counters that are files of the kernel. Formats: Linux, Documentation/admin-guide/numastat.rst
 * and iostats.rst, Documentation/filesystems/proc.rst; Lustre Operations Manual, llite statistics.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/source.h"
#include "base/fd.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/text.h"

#define NODES "/sys/devices/system/node"
#define PATH  512
#define NAME  256

const char *memphis_counters_root = "";

static struct memphis_text_buffer text; /* content of the file that is being read */

/* The latest message that was returned: the file that could not be read, and the error. */
static char problem[PATH + 64];

static const char *set_problem(const char *path, int err)
{
	snprintf(problem, sizeof(problem), "%s: %s", path, memphis_error_text(-err));
	errno = -err;
	return problem;
}

/* Reads a file into `text`. Returns NULL, or a message with errno set. */
static const char *read_file(const char *format, ...)
{
	char path[PATH];
	va_list args;
	int err, used = snprintf(path, sizeof(path), "%s", memphis_counters_root);

	va_start(args, format);
	vsnprintf(path + used, sizeof(path) - (size_t)used, format, args);
	va_end(args);
	err = memphis_text_read(&text, path);
	if (!err && !text.used)
		err = -ENODATA;
	return err ? set_problem(path + used, err) : NULL;
}

/* Opens a directory below memphis_counters_root. */
static void open_directory(struct memphis_directory *directory, const char *path)
{
	char whole[PATH];

	snprintf(whole, sizeof(whole), "%s%s", memphis_counters_root, path);
	memphis_directory_open(directory, whole);
}

/* Returns the line at *at, or NULL after the last line. Replaces the line's newline by a NUL and advances *at. */
static char *next_line(char **at)
{
	char *line = *at, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*at = end ? end + 1 : NULL;
	return line;
}

/* Splits the first word off the line. Returns "" at the end of the line. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end = word + strcspn(word, " \t");

	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static bool is_number(const char *word, double *number)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	*number = (double)strtoull(word, &end, 10);
	return !*end;
}

static void put_value(struct memphis_counters_sink *sink, const char *name, const char *unit, int node,
		      bool process, double value)
{
	const struct memphis_counters_quantity quantity = {
		.name = name, .unit = unit, .node = node, .process = process};

	sink->value(sink, &quantity, value);
}

/* Passes all lines "KEY NUMBER" of `text` to the sink. */
static void read_pairs(struct memphis_counters_sink *sink, const char *unit, int node, bool process)
{
	char *at = text.data, *line, *key;
	double value;

	while ((line = next_line(&at))) {
		key = next_word(&line);
		if (is_number(next_word(&line), &value))
			put_value(sink, key, unit, node, process, value);
	}
}

/* Lists the nodes for each reading, because nodes may be hot-plugged and their numbers may have gaps. */
static const char *read_numastat(struct memphis_counters_sink *sink)
{
	const char *wrong = NULL, *why, *name;
	struct memphis_directory nodes;
	int node, length;

	open_directory(&nodes, NODES);
	if (nodes.fd < 0)
		return set_problem(NODES, -errno);
	while ((name = memphis_directory_next(&nodes))) {
		if (sscanf(name, "node%d%n", &node, &length) != 1 || name[length])
			continue;
		why = read_file(NODES "/node%d/numastat", node);
		if (why)
			wrong = why;
		else
			read_pairs(sink, "pages", node, false);
	}
	memphis_directory_close(&nodes);
	return wrong;
}

const struct memphis_counters_source memphis_counters_numastat = {.name = "numastat", .read = read_numastat};

/* Returns true if the name of a counter is about paging or page placement. A final '*' in the list matches any suffix. */
static bool is_memory_counter(const char *name)
{
	static const char *const names[] = {
		"numa_*", "pgfault", "pgmajfault", "pgmigrate_*", "pswpin",    "pswpout",
		"thp_*",  "pgpgin",  "pgpgout",    "pgsteal_*",   "compact_*",
	};
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		length = strlen(names[i]);
		if (names[i][length - 1] == '*' ? !strncmp(name, names[i], length - 1)
						: !strcmp(name, names[i]))
			return true;
	}
	return false;
}

/*
 * Reads minflt and majflt, which are fields 10 and 12 of /proc/PID/stat (proc(5)). Field 2 is the command in
 * parentheses, which may contain any character. Counting therefore starts after the last parenthesis.
 */
static void read_own_faults(struct memphis_counters_sink *sink)
{
	char path[MEMPHIS_PROC_PATH];
	char *at;
	double value;
	int field;

	if (read_file("%s", memphis_proc(path, "stat")))
		return;
	at = strrchr(text.data, ')');
	at = at && at[1] ? at + 2 : NULL;
	for (field = 3; at && *at && field <= 12; field++) {
		char *word = next_word(&at);

		if ((field == 10 || field == 12) && is_number(word, &value))
			put_value(sink, field == 10 ? "minor_faults" : "major_faults", "count", -1, true,
				  value);
	}
}

static const char *read_vmstat(struct memphis_counters_sink *sink)
{
	const char *why = read_file("/proc/vmstat");
	char *at, *line, *key;
	double value;

	if (why)
		return why;
	for (at = text.data; (line = next_line(&at));) {
		key = next_word(&line);
		if (is_memory_counter(key) && is_number(next_word(&line), &value))
			put_value(sink, key, "count", -1, false, value);
	}
	read_own_faults(sink);
	return NULL;
}

const struct memphis_counters_source memphis_counters_vmstat = {.name = "vmstat", .read = read_vmstat};

/* Columns of /proc/net/dev after the interface name. Columns 0 to 7 are for receive, 8 to 15 for transmit. */
static const struct {
	unsigned int column;
	const char *name, *unit;
} net_columns[] = {
	{0, "rx_bytes", "bytes"},
	{1, "rx_packets", "count"},
	{8, "tx_bytes", "bytes"},
	{9, "tx_packets", "count"},
};

static void read_interface(struct memphis_counters_sink *sink, const char *interface, char *numbers)
{
	unsigned int column, i;
	char name[NAME];
	double value;

	for (column = i = 0; i < ARRAY_SIZE(net_columns) && is_number(next_word(&numbers), &value);
	     column++) {
		if (column != net_columns[i].column)
			continue;
		snprintf(name, sizeof(name), "%.64s %s", interface, net_columns[i].name);
		put_value(sink, name, net_columns[i].unit, -1, false, value);
		i++;
	}
}

/*
 * Passes the counters of a port, which count units of four bytes (Linux,
 * Documentation/ABI/stable/sysfs-class-infiniband, port_xmit_data).
 */
static void read_infiniband_port(struct memphis_counters_sink *sink, const char *device, const char *port)
{
	static const struct {
		const char *file, *name;
	} counters[] = {{"port_rcv_data", "rx_bytes"}, {"port_xmit_data", "tx_bytes"}};
	char name[NAME];
	double value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (read_file("/sys/class/infiniband/%s/ports/%s/counters/%s", device, port,
			      counters[i].file))
			continue;
		text.data[strcspn(text.data, "\n")] = '\0';
		if (!is_number(text.data, &value))
			continue;
		snprintf(name, sizeof(name), "%.64s/%.16s %s", device, port, counters[i].name);
		put_value(sink, name, "bytes", -1, false, 4 * value);
	}
}

static void read_infiniband(struct memphis_counters_sink *sink)
{
	struct memphis_directory devices, ports;
	const char *device, *port;
	char path[PATH];

	open_directory(&devices, "/sys/class/infiniband");
	while ((device = memphis_directory_next(&devices))) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s/ports", device);
		open_directory(&ports, path);
		while ((port = memphis_directory_next(&ports)))
			read_infiniband_port(sink, device, port);
		memphis_directory_close(&ports);
	}
	memphis_directory_close(&devices);
}

/* Passes the counters of the interfaces in the network namespace of the process. */
static const char *read_net(struct memphis_counters_sink *sink)
{
	char path[MEMPHIS_PROC_PATH];
	const char *why = read_file("%s", memphis_proc(path, "net/dev"));
	char *at, *line, *colon;

	if (why)
		return why;
	for (at = text.data; (line = next_line(&at));) {
		colon = strchr(line, ':');
		if (!colon)
			continue; /* column headings */
		*colon = '\0';
		line += strspn(line, " ");
		if (strcmp(line, "lo"))
			read_interface(sink, line, colon + 1);
	}
	read_infiniband(sink);
	return NULL;
}

const struct memphis_counters_source memphis_counters_net = {.name = "net", .read = read_net};

/* Passes the values of /proc/PID/io, whose lines have the format "KEY: NUMBER". */
static const char *read_own_io(struct memphis_counters_sink *sink)
{
	char path[MEMPHIS_PROC_PATH];
	const char *why = read_file("%s", memphis_proc(path, "io"));
	char *at, *line, *colon;
	double value;

	if (why)
		return why;
	for (at = text.data; (line = next_line(&at));) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon++ = '\0';
		if (is_number(next_word(&colon), &value))
			put_value(sink, line, strncmp(line, "sysc", 4) ? "bytes" : "count", -1, true, value);
	}
	return NULL;
}

/* Returns false for partitions, RAID and loop devices. Other devices back them, so their traffic would be counted twice. */
static bool is_real_disk(const char *name)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/sys/block/%.64s/device", memphis_counters_root, name);
	return !access(path, F_OK);
}

/*
 * Passes the values of /proc/diskstats. Each line has major, minor and name, and then numbers. Numbers 3 and
 * 7 are the sectors of 512 bytes that were read and written.
 */
static const char *read_disks(struct memphis_counters_sink *sink)
{
	const char *why = read_file("/proc/diskstats"), *disk;
	char *at, *line, name[NAME];
	double value;
	int field;

	/* On a machine without disks, the list is empty. */
	if (why)
		return errno == ENODATA ? NULL : why;
	for (at = text.data; (line = next_line(&at));) {
		next_word(&line);
		next_word(&line);
		disk = next_word(&line);
		if (!*disk || !is_real_disk(disk))
			continue;
		for (field = 1; field <= 7 && is_number(next_word(&line), &value); field++) {
			if (field != 3 && field != 7)
				continue;
			snprintf(name, sizeof(name), "%.64s %s", disk,
				 field == 3 ? "read_bytes" : "write_bytes");
			put_value(sink, name, "bytes", -1, false, 512 * value);
		}
	}
	return NULL;
}

/*
 * Passes the traffic of NFS mounts. Each mount has a line "device S mounted on DIRECTORY with fstype nfs4
 * ...", followed by a line "bytes:" with 8 numbers. Numbers 5 and 6 are the bytes read and written over the
 * network (Linux, fs/nfs/iostat.h: NFSIOS_SERVERREADBYTES and NFSIOS_SERVERWRITTENBYTES).
 */
static void read_nfs(struct memphis_counters_sink *sink)
{
	char path[MEMPHIS_PROC_PATH], mount[NAME] = "", name[NAME + 16];
	char *at, *line, *type, *directory;
	double value;
	int field;

	if (read_file("%s", memphis_proc(path, "mountstats")))
		return;
	for (at = text.data; (line = next_line(&at));) {
		line += strspn(line, " \t");
		directory = strncmp(line, "device ", 7) ? NULL : strstr(line, " mounted on ");
		if (directory) {
			type = strstr(directory, " with fstype nfs");
			directory += strlen(" mounted on ");
			snprintf(mount, sizeof(mount), "%.*s", type ? (int)(type - directory) : 0, directory);
		}
		if (!*mount || strncmp(line, "bytes:", 6))
			continue;
		line += 6;
		for (field = 1; field <= 6 && is_number(next_word(&line), &value); field++) {
			if (field < 5)
				continue;
			snprintf(name, sizeof(name), "%s %s", mount,
				 field == 5 ? "read_bytes" : "write_bytes");
			put_value(sink, name, "bytes", -1, false, value);
		}
	}
}

/* Passes the SUM of the lines "read_bytes N samples [bytes] MIN MAX SUM" and of the same lines with write_bytes. */
static void read_lustre_mount(struct memphis_counters_sink *sink, const char *mount)
{
	char *at, *line, *key, *word, name[NAME];
	double value;
	int field;

	for (at = text.data; (line = next_line(&at));) {
		key = next_word(&line);
		if (strcmp(key, "read_bytes") && strcmp(key, "write_bytes"))
			continue;
		for (field = 1, word = ""; field <= 6; field++)
			word = next_word(&line);
		if (!is_number(word, &value))
			continue;
		snprintf(name, sizeof(name), "%.128s %s", mount, key);
		put_value(sink, name, "bytes", -1, false, value);
	}
}

static void read_lustre(struct memphis_counters_sink *sink)
{
	/* Before Lustre 2.13, the statistics were in procfs. Since then, they are in debugfs, which only root can read. */
	static const char *const places[] = {"/proc/fs/lustre/llite", "/sys/kernel/debug/lustre/llite"};
	struct memphis_directory mounts;
	const char *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		open_directory(&mounts, places[i]);
		while ((name = memphis_directory_next(&mounts)))
			if (!read_file("%s/%s/stats", places[i], name))
				read_lustre_mount(sink, name);
		memphis_directory_close(&mounts);
	}
}

static const char *read_io(struct memphis_counters_sink *sink)
{
	const char *own = read_own_io(sink), *disks;
	char first[sizeof(problem)];

	if (own)
		own = strcpy(first, own);
	disks = read_disks(sink);
	read_nfs(sink);
	read_lustre(sink);
	if (!own)
		return disks;
	strcpy(problem, first);
	return problem;
}

const struct memphis_counters_source memphis_counters_io = {.name = "io", .read = read_io};
