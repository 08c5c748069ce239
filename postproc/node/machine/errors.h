/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors that the hardware counts: of memory, of PCIe devices, and of ports to the fabric. Also reads and
 * writes the file with the counts of the last look (memphis node --since).
 */
#ifndef MEMPHIS_MACHINE_ERRORS_H
#define MEMPHIS_MACHINE_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum memphis_error_class {
	MEMPHIS_ERRORS_MEMORY,
	MEMPHIS_ERRORS_PCIE,
	MEMPHIS_ERRORS_FABRIC,
	MEMPHIS_ERROR_CLASSES
};

struct memphis_error_class_row {
	const char *name;      /* name in files */
	const char *directory; /* directory in which the paths of the devices begin */
	const char *device;    /* name of a device in sentences: "memory controller" */
	const char *none;      /* sentence for machines on which no device counts errors */
	const char *since;     /* start of counting, in sentences: "boot" */
	bool from_boot;        /* true: the counts are 0 after a boot */
	bool is_optional;      /* true: it is normal that a machine has no such device */
};

extern const struct memphis_error_class_row memphis_error_classes[MEMPHIS_ERROR_CLASSES];

enum memphis_severity {
	/* another row also counts these errors; this row shows which part of the device had them */
	MEMPHIS_SEVERITY_PART,
	MEMPHIS_SEVERITY_REPEATED, /* the hardware repeated a transfer, or will repeat it, which costs time */
	MEMPHIS_SEVERITY_WEAK,     /* nothing was lost, but the component is failing */
	MEMPHIS_SEVERITY_LOST      /* data was lost */
};

/* A kind of error counter. */
struct memphis_error_row {
	enum memphis_error_class class;
	enum memphis_severity severity;
	const char *devices; /* glob pattern of the devices in the class's directory */
	const char *file;    /* file in the device's directory with a number, or with lines "NAME number" */
	/* name of the line with the sum of all lines; NULL if the file contains one number */
	const char *total;
	const char *word; /* name of the counter in files and in sentences: "3 corrected" */
	/* number of bits of a counter that stops at its largest value; 0 if it does not stop */
	unsigned int bits;
	const char *remedy;
};

struct memphis_error_count {
	const struct memphis_error_row *row;
	char device[96];
	char leading[32]; /* name of the line with the largest number; "" if there are no lines */
	uint64_t value;
};

struct memphis_error_counts {
	struct memphis_error_count *list; /* sorted by class, device and row */
	size_t count, room;
	char host[128], boot[40]; /* boot: boot id of the kernel; "" if unknown */
	uint64_t time;            /* seconds since 1970 */
};

/* Returns the end of the list. Returns NULL if there are no counts. */
static inline const struct memphis_error_count *
memphis_error_counts_end(const struct memphis_error_counts *counts)
{
	return counts->list ? counts->list + counts->count : NULL;
}

/* Reads all counters below the root directory. Returns 0 or -ENOMEM; the counts must be closed in both cases. */
int memphis_error_counts_read(struct memphis_error_counts *counts, const char *root, const char *host);
void memphis_error_counts_close(struct memphis_error_counts *counts);

/* Returns a row with these names, or NULL. If a class has rows for a whole device and for its parts, they have the same names. */
const struct memphis_error_row *memphis_error_row_find(struct memphis_span class, struct memphis_span word);

/* Returns true if the counter has stopped at its largest value. */
bool memphis_error_count_stopped(const struct memphis_error_count *count);

/*
 * Appends a description of the device: the label of a memory module, the driver and the names of a PCI
 * device, or the PCI address of a port. Returns false if nothing is known.
 */
bool memphis_error_about(struct memphis_text *text, const char *root,
			 const struct memphis_error_count *count);

/* Returns the number of errors since `before`. If a boot or a user has reset the count since then, returns the whole count. */
uint64_t memphis_errors_since(const struct memphis_error_counts *now, const struct memphis_error_count *count,
			      const struct memphis_error_counts *before);

/*
 * Save and load the counts. The file contains only counts that are not 0. Loading returns -ENOENT if there is
 * no file yet. After any error, there is nothing to close.
 */
int memphis_error_counts_save(const struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error);
int memphis_error_counts_load(struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error);

#endif
