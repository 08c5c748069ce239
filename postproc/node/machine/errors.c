// SPDX-License-Identifier: BSD-3-Clause
/* The table of the hardware's error counters, and the code that reads them. */
#include "node/machine/errors.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/order.h"
#include "node/machine/machine.h"

const struct memphis_error_class_row memphis_error_classes[MEMPHIS_ERROR_CLASSES] = {
	[MEMPHIS_ERRORS_MEMORY] = {"memory", "/sys/devices/system/edac/mc/", "memory controller",
				   "no EDAC driver counts them here", "boot", true, false},
	[MEMPHIS_ERRORS_PCIE] = {"pcie", "/sys/bus/pci/devices/", "device",
				 "no device reports them to the kernel (AER)", "boot", true, false},
	[MEMPHIS_ERRORS_FABRIC] = {"fabric", "/sys/class/infiniband/", "port", "no port",
				   "the last reset of the counters", false, true},
};

#define MODULE "have the memory module changed that ras-mc-ctl --errors, the label or dmesg names"
#define LINK                                                                                            \
	"errors of the link to this device: reseat the device, its riser or its cable, and update its " \
	"firmware; "                                                                                    \
	"lspci -vv -s ADDRESS shows whether the link has its full width and speed (LnkSta), dmesg the " \
	"errors"
#define CABLE "change the cable, or else the port of the switch; ibqueryerrors shows the errors of both ends"
#define RESET "; perfquery -R resets the counts"

/*
 * Memory: EDAC (Linux, Documentation/admin-guide/ras.rst). Memory modules are dimmN, or rankN if the driver
 * knows only ranks. The older csrowN have the same counts and are not read. PCIe:
 * Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats. Fabric: PortCounters, InfiniBand Architecture
 * Specification volume 1, section 16.1.3.5. These counters stop at their largest value. Counters of
 * constraints, of management packets (VL15) and of packets that a switch sends back show settings, not
 * errors, and are not read.
 */
static const struct memphis_error_row rows[] = {
#define MEMORY(severity, devices, file, word)                                                            \
	{                                                                                                \
		MEMPHIS_ERRORS_MEMORY, MEMPHIS_SEVERITY_##severity, devices, file, NULL, word, 0, MODULE \
	}
	MEMORY(WEAK, "mc*", "ce_count", "corrected"),
	MEMORY(LOST, "mc*", "ue_count", "uncorrected"),
	MEMORY(PART, "mc*/dimm*", "dimm_ce_count", "corrected"),
	MEMORY(PART, "mc*/dimm*", "dimm_ue_count", "uncorrected"),
	MEMORY(PART, "mc*/rank*", "dimm_ce_count", "corrected"),
	MEMORY(PART, "mc*/rank*", "dimm_ue_count", "uncorrected"),
#define PCIE(severity, file, total, word)                                                         \
	{                                                                                         \
		MEMPHIS_ERRORS_PCIE, MEMPHIS_SEVERITY_##severity, "*", file, total, word, 0, LINK \
	}
	PCIE(REPEATED, "aer_dev_correctable", "TOTAL_ERR_COR", "corrected"),
	PCIE(WEAK, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", "nonfatal"),
	PCIE(LOST, "aer_dev_fatal", "TOTAL_ERR_FATAL", "fatal"),
#define FABRIC(severity, name, bits, remedy)                                                             \
	{                                                                                                \
		MEMPHIS_ERRORS_FABRIC, MEMPHIS_SEVERITY_##severity, "*/ports/*", "counters/" name, NULL, \
			name, bits, remedy RESET                                                         \
	}
	FABRIC(REPEATED, "symbol_error", 16, CABLE),
	FABRIC(WEAK, "link_error_recovery", 8, CABLE),
	FABRIC(WEAK, "link_downed", 8, CABLE),
	FABRIC(WEAK, "port_rcv_errors", 16, CABLE),
	FABRIC(WEAK, "local_link_integrity_errors", 4, CABLE),
	FABRIC(REPEATED, "port_rcv_remote_physical_errors", 16,
	       "another link of the fabric has errors: ibqueryerrors names it"),
	FABRIC(REPEATED, "port_xmit_discards", 16,
	       "packets waited too long for a switch: look for congestion and slow receivers in the fabric (ibqueryerrors)"),
	FABRIC(WEAK, "excessive_buffer_overrun_errors", 4,
	       "the port received more than it has buffers for: update the firmware of adapter and switch"),
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/*
 * Files that contain the name of a device. The name is the target's name for a link, the directory's own name
 * for a directory, and the contents for a file.
 */
static const struct {
	enum memphis_error_class class;
	const char *path;
} names[] = {
	{MEMPHIS_ERRORS_MEMORY, "dimm_label"},   {MEMPHIS_ERRORS_MEMORY, "dimm_location"},
	{MEMPHIS_ERRORS_PCIE, "infiniband/*"},   {MEMPHIS_ERRORS_PCIE, "net/*"},
	{MEMPHIS_ERRORS_PCIE, "nvme/*"},         {MEMPHIS_ERRORS_PCIE, "driver"},
	{MEMPHIS_ERRORS_FABRIC, "../../device"},
};

/* Appends a path to a glob pattern, with special characters escaped. */
static void put_escaped_path(struct memphis_text *text, const char *path)
{
	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			memphis_text_put(text, "\\");
		memphis_text_add(text, path, 1);
	}
}

/*
 * Finds the files below the root directory that match a pattern. The resulting paths begin with the root.
 * Returns false if there are none, or if memory is exhausted.
 */
static bool find_files(const char *root, const char *directory, const char *device, const char *pattern,
		       glob_t *found)
{
	struct memphis_text text = {0};
	bool any;

	put_escaped_path(&text, root);
	memphis_text_put(&text, directory);
	if (device) {
		put_escaped_path(&text, device);
		memphis_text_put(&text, "/");
	}
	memphis_text_put(&text, pattern);
	any = !text.failed && !glob(text.text, 0, NULL, found);
	memphis_text_close(&text);
	return any;
}

static bool put_name(struct memphis_text *text, const char *path)
{
	char target[PATH_MAX], *contents;
	struct stat status;
	ssize_t bytes;
	const size_t before = text->bytes;

	if (lstat(path, &status))
		return false;
	if (S_ISLNK(status.st_mode)) {
		bytes = readlink(path, target, sizeof(target) - 1);
		target[bytes > 0 ? bytes : 0] = '\0';
		memphis_text_put(text, memphis_basename(target));
	} else if (S_ISDIR(status.st_mode)) {
		memphis_text_put(text, memphis_basename(path));
	} else {
		contents = memphis_root_read("", "%s", path);
		memphis_text_put(text, contents ? contents : "");
		free(contents);
	}
	return text->bytes > before;
}

bool memphis_error_about(struct memphis_text *text, const char *root, const struct memphis_error_count *count)
{
	const size_t begin = text->bytes;
	size_t i, separator;
	glob_t found;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].class != count->row->class ||
		    !find_files(root, memphis_error_classes[names[i].class].directory, count->device,
				names[i].path, &found))
			continue;
		separator = text->bytes;
		if (separator > begin)
			memphis_text_put(text, ", ");
		if (!put_name(text, found.gl_pathv[0]) && text->bytes > begin) {
			text->bytes = separator;
			text->text[separator] = '\0';
		}
		globfree(&found);
	}
	return text->bytes > begin;
}

bool memphis_error_count_stopped(const struct memphis_error_count *count)
{
	return count->row->bits && count->value >= (UINT64_C(1) << count->row->bits) - 1;
}

/* Finds the line "NAME number" with the largest number. Skips lines with totals. */
static void find_largest_line(struct memphis_error_count *count, const char *text)
{
	struct memphis_span rest = {text, strlen(text)}, line, name;
	uint64_t value, most = 0;

	while (memphis_next_line(&rest, &line)) {
		if (!memphis_next_field(&line, &name) || !memphis_next_number(&line, false, &value) ||
		    value <= most || !strncmp(name.text, "TOTAL", 5))
			continue;
		most = value;
		snprintf(count->leading, sizeof(count->leading), "%.*s", (int)name.bytes, name.text);
	}
}

static bool read_count(struct memphis_error_count *count, const char *path)
{
	char *text = memphis_root_read("", "%s", path);
	bool found;

	if (text && count->row->total) {
		found = memphis_number_after(&count->value, text, count->row->total);
		find_largest_line(count, text);
	} else {
		found = text && sscanf(text, "%" SCNu64, &count->value) == 1;
	}
	free(text);
	return found;
}

static int read_row(struct memphis_error_counts *counts, const char *root,
		    const struct memphis_error_row *row)
{
	const char *directory = memphis_error_classes[row->class].directory, *device;
	struct memphis_error_count count, *added;
	const size_t file_bytes = strlen(row->file) + 1;
	char pattern[96];
	glob_t found;
	size_t i;
	int rc = 0;

	snprintf(pattern, sizeof(pattern), "%s/%s", row->devices, row->file);
	if (!find_files(root, directory, NULL, pattern, &found))
		return 0;
	for (i = 0; !rc && i < found.gl_pathc; i++) {
		count = (struct memphis_error_count){.row = row};
		device = found.gl_pathv[i] + strlen(root) + strlen(directory);
		snprintf(count.device, sizeof(count.device), "%.*s", (int)(strlen(device) - file_bytes),
			 device);
		if (!read_count(&count, found.gl_pathv[i]))
			continue;
		added = memphis_append(counts->list, counts->count, counts->room);
		if (added)
			*added = count;
		else
			rc = -ENOMEM;
	}
	globfree(&found);
	return rc;
}

static int compare_counts(const void *a, const void *b)
{
	const struct memphis_error_count *x = a, *y = b;
	const int order = strverscmp(x->device, y->device);

	if (x->row->class != y->row->class)
		return x->row->class < y->row->class ? -1 : 1;
	return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

int memphis_error_counts_read(struct memphis_error_counts *counts, const char *root, const char *host)
{
	char *boot = memphis_root_read(root, "/proc/sys/kernel/random/boot_id");
	size_t i;
	int rc = 0;

	*counts = (struct memphis_error_counts){.time = (uint64_t)time(NULL)};
	snprintf(counts->host, sizeof(counts->host), "%s", host);
	snprintf(counts->boot, sizeof(counts->boot), "%s", boot ? boot : "");
	free(boot);
	for (i = 0; !rc && i < ROWS; i++)
		rc = read_row(counts, root, &rows[i]);
	memphis_sort(counts->list, counts->count, compare_counts);
	return rc;
}

void memphis_error_counts_close(struct memphis_error_counts *counts)
{
	free(counts->list);
	memset(counts, 0, sizeof(*counts));
}

const struct memphis_error_row *memphis_error_row_find(struct memphis_span class, struct memphis_span word)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (memphis_span_is(class, memphis_error_classes[rows[i].class].name) &&
		    memphis_span_is(word, rows[i].word))
			return &rows[i];
	return NULL;
}
