// SPDX-License-Identifier: BSD-3-Clause
/* The key "answer" of the JSON report: the sentences and numbers of the first screen. */
#include "output/answer.h"

#include <math.h>
#include <string.h>

#include "diagnose/finding_gist.h"
#include "output/output.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"

#define UNBROKEN 100000 /* line width at which no line is broken */

/* Writes the text without trailing spaces, or null if it is empty. Closes the text. */
static void put_words(struct memphis_json *json, const char *key, struct memphis_text *words)
{
	while (words->bytes && strchr(" \n", words->text[words->bytes - 1]))
		memphis_text_cut(words, words->bytes - 1);
	memphis_json_string(json, key, words->bytes && !words->failed ? words->text : NULL);
	json->text->failed |= words->failed;
	memphis_text_close(words);
}

static void put_report_words(struct memphis_json *json, const char *key, const struct memphis_report *report,
			     void (*say)(const struct memphis_report *report, struct memphis_text *text))
{
	struct memphis_text words = {.width = UNBROKEN};

	say(report, &words);
	put_words(json, key, &words);
}

static void put_finding_words(struct memphis_json *json, const char *key, const struct memphis_report *report,
			      const struct memphis_finding *finding,
			      void (*say)(const struct memphis_report *report,
					  const struct memphis_finding *finding, struct memphis_text *text))
{
	struct memphis_text words = {.width = UNBROKEN};

	say(report, finding, &words);
	put_words(json, key, &words);
}

static void put_share(struct memphis_json *json, const char *key, bool known, double share, double low,
		      double high)
{
	if (!known) {
		memphis_json_string(json, key, NULL);
		return;
	}
	memphis_json_open(json, key, '{');
	memphis_json_real(json, "share", share);
	memphis_json_real(json, "share_low", low);
	memphis_json_real(json, "share_high", high);
	memphis_json_close(json, '}');
}

static void put_remote_share(struct memphis_json *json, const struct memphis_report *report)
{
	struct memphis_share share;
	const bool known = memphis_remote_share(report, json->text, &share);

	put_share(json, "remote", known, share.share, share.low, share.high);
}

/* Writes the cost of waiting for remote DRAM, as a share of the threads' time or of all waiting. */
static void put_waiting_cost(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const struct memphis_whole whole = memphis_whole_of(report);
	const bool known = whole.cycles > 0 && waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count;
	const double of = known ? 1 / whole.cycles : 0;
	struct memphis_estimate remote = {0}, gain = {0};

	if (known) {
		remote = memphis_waited_for(waiting, &waiting->all, MEMPHIS_WAIT_REMOTE_DRAM);
		gain = memphis_gain(waiting, &waiting->all);
	}
	memphis_json_string(json, "whole", whole.cycles > 0 ? whole.words : NULL);
	memphis_json_string(json, "saving", whole.cycles > 0 ? whole.saving : NULL);
	put_share(json, "waiting", known, of * remote.value, of * remote.low,
		  fmax(of * remote.value, fmin(1, of * remote.high)));
	put_share(json, "gain", known && memphis_gain_is_known(&waiting->all), of * gain.value, of * gain.low,
		  fmin(1, of * gain.high));
}

static void put_limits(struct memphis_json *json, const struct memphis_report *report)
{
	struct memphis_text limits = {.width = UNBROKEN}, line = {0};
	struct memphis_span rest, one;

	memphis_answer_put_limits(report, &limits);
	rest = (struct memphis_span){limits.text, limits.bytes};
	memphis_json_open(json, "limits", '[');
	while (memphis_next_line(&rest, &one)) {
		memphis_text_add(&line, one.text, one.bytes);
		put_words(json, NULL, &line);
	}
	memphis_json_close(json, ']');
	json->text->failed |= limits.failed;
	memphis_text_close(&limits);
}

static void append_remedy(const struct memphis_report *report, const struct memphis_finding *finding,
			  struct memphis_text *text)
{
	memphis_finding_put_remedy(finding, report->profile, text);
}

static void put_cause(struct memphis_json *json, const struct memphis_report *report,
		      const struct memphis_finding *finding)
{
	memphis_json_open(json, NULL, '{');
	put_finding_words(json, "place", report, finding, memphis_answer_put_place);
	put_finding_words(json, "problem", report, finding, memphis_answer_put_problem);
	put_finding_words(json, "remedy", report, finding, append_remedy);
	put_finding_words(json, "saving", report, finding, memphis_answer_put_saving);
	memphis_json_real(json, "share", memphis_answer_saving(report, finding));
	memphis_json_close(json, '}');
}

void memphis_answer_json(const struct memphis_report *report, struct memphis_json *json)
{
	size_t i;

	memphis_json_open(json, "answer", '{');
	put_report_words(json, "command", report, memphis_put_commands);
	put_report_words(json, "run", report, memphis_answer_put_run);
	put_report_words(json, "sampling", report, memphis_put_sampling);
	put_report_words(json, "selected", report, memphis_answer_put_selected);
	put_report_words(json, "sentence", report, memphis_answer_put_shares);
	put_report_words(json, "verdict", report, memphis_put_verdict);
	put_remote_share(json, report);
	put_waiting_cost(json, report);
	put_limits(json, report);
	memphis_json_open(json, "causes", '[');
	for (i = 0; i < report->findings.count; i++)
		put_cause(json, report, &report->findings.list[i]);
	memphis_json_close(json, ']');
	if (report->findings.count)
		memphis_json_string(json, "none", NULL);
	else
		put_report_words(json, "none", report, memphis_put_no_findings);
	put_report_words(json, "unexplained", report, memphis_answer_put_unexplained);
	memphis_json_close(json, '}');
}
