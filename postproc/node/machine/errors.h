/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that the hardware counts: of memory, of PCIe devices, and of ports to the fabric; and a file with the counts of the last look. */
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
	const char *name;      /* in files */
	const char *directory; /* directory in which the paths of devices begin */
	const char *device;    /* name of a device in sentences: "memory controller" */
	const char *none;      /* sentence for machines on which no device counts errors */
	const char *since;     /* event since which errors are counted: "boot" */
	bool from_boot;        /* true: the counts are 0 after a boot */
	bool is_optional;      /* true: a machine without such devices lacks nothing */
};

extern const struct memphis_error_class_row memphis_error_classes[MEMPHIS_ERROR_CLASSES];

enum memphis_severity {
	MEMPHIS_SEVERITY_PART,     /* the errors are also counted in another row; this one shows the place */
	MEMPHIS_SEVERITY_REPEATED, /* the hardware repeated a transfer, or will; it costs time */
	MEMPHIS_SEVERITY_WEAK,     /* nothing was lost, but the part is failing */
	MEMPHIS_SEVERITY_LOST      /* data was lost */
};

/* A kind of counter. */
struct memphis_error_row {
	enum memphis_error_class class;
	enum memphis_severity severity;
	const char *devices; /* pattern of the devices in the class's directory */
	const char *file;    /* in the device's directory: a number, or lines "NAME number" */
	const char *total;   /* NULL, or the line with the sum of all lines */
	const char *word;    /* in files, and in sentences: "3 corrected" */
	unsigned int bits;   /* size of a counter that stops at its largest value; 0: others */
	const char *remedy;
};

struct memphis_error_count {
	const struct memphis_error_row *row;
	char device[96];
	char leading[32]; /* name of the line with the largest number; "" if there are no lines */
	uint64_t value;
};

struct memphis_error_counts {
	struct memphis_error_count *list; /* by class, device and row */
	size_t count, room;
	char host[128], boot[40]; /* boot: the kernel's identification of this boot; "" if unknown */
	uint64_t time;            /* seconds since 1970 */
};

/* Returns the end of the list, which is NULL if there are no counts. */
static inline const struct memphis_error_count *
memphis_error_counts_end(const struct memphis_error_counts *counts)
{
	return counts->list ? counts->list + counts->count : NULL;
}

/* Reads all counters below the root directory. Returns 0 or -ENOMEM; the counts must be closed in both cases. */
int memphis_error_counts_read(struct memphis_error_counts *counts, const char *root, const char *host);
void memphis_error_counts_close(struct memphis_error_counts *counts);

/* Returns a row with these names, or NULL. If a class has rows for a whole and for its parts, these have the same names. */
const struct memphis_error_row *memphis_error_row_find(struct memphis_span class, struct memphis_span word);

/* Returns whether the counter has stopped at its largest value. */
bool memphis_error_count_stopped(const struct memphis_error_count *count);

/* Appends what the device is: the label of a memory module, the driver and the names of a PCI device, a port's PCI address. Returns false if nothing is known. */
bool memphis_error_about(struct memphis_text *text, const char *root,
			 const struct memphis_error_count *count);

/* Returns the number of errors since `before`. If the count was reset since then, by a boot or a user, returns all errors. */
uint64_t memphis_errors_since(const struct memphis_error_counts *now, const struct memphis_error_count *count,
			      const struct memphis_error_counts *before);

/*
 * Save and load the counts. The file contains only counts that are not 0. Loading returns -ENOENT if there is no file yet; after any error, there is
 * nothing to close.
 */
int memphis_error_counts_save(const struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error);
int memphis_error_counts_load(struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error);

#endif
