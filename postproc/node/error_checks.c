// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks of the errors that the hardware counts: since boot, since the last look (memphis node --since),
 * and during the checks.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "node/node.h"

#define LISTED 8 /* maximum number of devices in the evidence; JSON lists all devices */

/* Verdicts by severity. `ever`: there was an error, but not during the checks. `now`: there was an error during the checks. */
static const struct {
	enum memphis_verdict ever, now;
} verdicts[] = {
	[MEMPHIS_SEVERITY_PART] = {MEMPHIS_VERDICT_OK, MEMPHIS_VERDICT_OK},
	[MEMPHIS_SEVERITY_REPEATED] = {MEMPHIS_VERDICT_WARN, MEMPHIS_VERDICT_WARN},
	[MEMPHIS_SEVERITY_WEAK] = {MEMPHIS_VERDICT_WARN, MEMPHIS_VERDICT_FAIL},
	[MEMPHIS_SEVERITY_LOST] = {MEMPHIS_VERDICT_FAIL, MEMPHIS_VERDICT_FAIL},
};

static uint64_t count_errors_during_check(const struct memphis_examination *examination,
					  const struct memphis_error_count *count)
{
	return memphis_errors_since(&examination->after->errors, count, &examination->before->errors);
}

/* Returns the number of errors since the last look. If there was no last look, returns the number of all errors. */
static uint64_t new_errors(const struct memphis_examination *examination,
			   const struct memphis_error_count *count)
{
	return examination->last ? memphis_errors_since(&examination->after->errors, count, examination->last)
				 : count->value;
}

static enum memphis_verdict judge_count(const struct memphis_examination *examination,
					const struct memphis_error_count *count)
{
	return count_errors_during_check(examination, count) ? verdicts[count->row->severity].now
	       : count->value                                ? verdicts[count->row->severity].ever
							     : MEMPHIS_VERDICT_OK;
}

static void put_count(const struct memphis_examination *examination, const struct memphis_error_count *count,
		      struct memphis_text *text)
{
	const uint64_t now = count_errors_during_check(examination, count);

	memphis_text_print(text, "%" PRIu64 "%s %s", count->value,
			   memphis_error_count_stopped(count) ? " or more" : "", count->row->word);
	if (*count->leading)
		memphis_text_print(text, " (most %s)", count->leading);
	if (examination->last)
		memphis_text_print(text, ", %" PRIu64 " since the last look", new_errors(examination, count));
	if (now)
		memphis_text_print(text, ", %" PRIu64 " during the check", now);
}

/* The counts of one device, which are consecutive in the list. */
struct device {
	const struct memphis_error_count *first, *end;
	/* any: at least one count is not 0; moved: at least one count has increased during the checks */
	bool any, moved;
};

static bool next_device(const struct memphis_examination *examination, enum memphis_error_class class,
			struct device *device)
{
	const struct memphis_error_counts *counts = &examination->after->errors;
	const struct memphis_error_count *end = memphis_error_counts_end(counts), *count;

	count = device->end ? device->end : counts->list;
	while (count < end && count->row->class != class)
		count++;
	*device = (struct device){.first = count};
	for (; count < end && count->row->class == class && !strcmp(count->device, device->first->device);
	     count++) {
		device->any |= count->value > 0;
		device->moved |= count_errors_during_check(examination, count) > 0;
	}
	device->end = count;
	return device->first < end;
}

static void put_device(const struct memphis_examination *examination, const struct device *device,
		       struct memphis_text *text)
{
	const struct memphis_error_count *count;
	struct memphis_text about = {0};
	const char *separator = ": ";

	memphis_text_put(text, device->first->device);
	if (memphis_error_about(&about, examination->machine->root, device->first))
		memphis_text_print(text, " (%s)", about.text);
	memphis_text_close(&about);
	for (count = device->first; count < device->end; count++) {
		if (!count->value)
			continue;
		memphis_text_put(text, separator);
		put_count(examination, count, text);
		separator = "; ";
	}
}

/*
 * Lists the devices with errors. Devices with errors during the checks come first. Returns the number of
 * devices that have error counters.
 */
static size_t put_devices(const struct memphis_examination *examination, enum memphis_error_class class,
			  struct memphis_text *text)
{
	size_t listed = 0, left_out = 0, devices = 0;
	struct device device;
	int moved;

	for (moved = 1; moved >= 0; moved--) {
		device = (struct device){.first = NULL};
		while (next_device(examination, class, &device)) {
			devices += moved && device.first->row->severity != MEMPHIS_SEVERITY_PART;
			if (!device.any || device.moved != (moved == 1))
				continue;
			if (listed == LISTED) {
				left_out++;
				continue;
			}
			if (listed++)
				memphis_text_put(text, "; ");
			put_device(examination, &device, text);
		}
	}
	if (left_out)
		memphis_text_print(text, "; and %zu more", left_out);
	return devices;
}

static void put_last_look_time(const struct memphis_examination *examination, struct memphis_text *text)
{
	const struct memphis_error_counts *now = &examination->after->errors, *last = examination->last;
	const time_t seconds = last ? (time_t)last->time : 0;
	char date[32];
	struct tm tm;

	if (!last || !gmtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm))
		return;
	memphis_text_print(text, "; the last look was at %s%s", date,
			   *now->boot && *last->boot && strcmp(now->boot, last->boot) ? ", before this boot"
										      : "");
}

/* Appends the remedies for all counts with this verdict. Appends each remedy only once. */
static void put_remedies(const struct memphis_examination *examination, enum memphis_error_class class,
			 enum memphis_verdict verdict, struct memphis_text *text)
{
	const struct memphis_error_counts *counts = &examination->after->errors;
	const struct memphis_error_count *count;

	for (count = counts->list; count < memphis_error_counts_end(counts); count++) {
		if (count->row->class != class || judge_count(examination, count) != verdict ||
		    (text->bytes && strstr(text->text, count->row->remedy)))
			continue;
		memphis_text_print(text, "%s%s", text->bytes ? "; " : "", count->row->remedy);
	}
}

static enum memphis_verdict check_class(const struct memphis_examination *examination,
					enum memphis_error_class class, struct memphis_check_result *finding)
{
	const struct memphis_error_class_row *row = &memphis_error_classes[class];
	const struct memphis_error_counts *counts = &examination->after->errors;
	const struct memphis_error_count *count;
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK, worst = MEMPHIS_VERDICT_OK;
	struct memphis_text list = {0};
	uint64_t sum = 0;
	size_t devices = put_devices(examination, class, &list);

	if (!devices) {
		memphis_text_close(&list);
		memphis_check_unknown(finding, row->none);
		return row->is_optional ? MEMPHIS_VERDICT_OK : MEMPHIS_VERDICT_UNKNOWN;
	}
	for (count = counts->list; count < memphis_error_counts_end(counts); count++) {
		if (count->row->class != class || count->row->severity == MEMPHIS_SEVERITY_PART)
			continue;
		sum += new_errors(examination, count);
		verdict = judge_count(examination, count);
		/* The enum declares the verdicts from OK to FAIL in ascending order. */
		if (verdict > worst)
			worst = verdict;
	}
	memphis_text_print(&finding->value, "%" PRIu64, sum);
	memphis_text_print(&finding->evidence, "%zu %s%s since %s: %s", devices, row->device,
			   devices == 1 ? "" : "s", row->since, list.bytes ? list.text : "none");
	memphis_text_close(&list);
	put_last_look_time(examination, &finding->evidence);
	if (worst != MEMPHIS_VERDICT_OK)
		put_remedies(examination, class, worst, &finding->remedy);
	if (worst != MEMPHIS_VERDICT_OK && examination->last)
		memphis_text_put(&finding->remedy, "; after that, remove the file of the last look");
	return worst;
}

enum memphis_verdict memphis_check_memory_errors(const struct memphis_examination *examination,
						 struct memphis_check_result *finding)
{
	return check_class(examination, MEMPHIS_ERRORS_MEMORY, finding);
}

enum memphis_verdict memphis_check_pcie_errors(const struct memphis_examination *examination,
					       struct memphis_check_result *finding)
{
	return check_class(examination, MEMPHIS_ERRORS_PCIE, finding);
}

enum memphis_verdict memphis_check_fabric_errors(const struct memphis_examination *examination,
						 struct memphis_check_result *finding)
{
	return check_class(examination, MEMPHIS_ERRORS_FABRIC, finding);
}

void memphis_errors_json(const struct memphis_examination *examination, struct memphis_json *json)
{
	const struct memphis_error_counts *counts = &examination->after->errors;
	const struct memphis_error_count *count;
	struct memphis_text about = {0};

	memphis_json_open(json, "errors", '[');
	for (count = counts->list; count < memphis_error_counts_end(counts); count++) {
		if (!count->value)
			continue;
		about.bytes = 0;
		memphis_error_about(&about, examination->machine->root, count);
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "class", memphis_error_classes[count->row->class].name);
		memphis_json_string(json, "device", count->device);
		memphis_json_string(json, "about", about.bytes ? about.text : NULL);
		memphis_json_string(json, "counter", count->row->word);
		memphis_json_bool(json, "part", count->row->severity == MEMPHIS_SEVERITY_PART);
		memphis_json_number(json, "count", count->value);
		if (examination->last)
			memphis_json_number(json, "since_last_look", new_errors(examination, count));
		else
			memphis_json_null(json, "since_last_look");
		memphis_json_number(json, "during_check", count_errors_during_check(examination, count));
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_text_close(&about);
}
