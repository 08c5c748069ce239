// SPDX-License-Identifier: BSD-3-Clause
/*
 * Decodes the registers that real CPUs recorded (tests/records/registers), and compares the samples with what AMD's own decoders print of
 * them. If a test fails, a sample says something else than perf, or the words of a line do not belong to its registers. docs/hardware.md
 * says where samples differ from the words: stores have neither source nor latency.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../tap.h"
#include "ibs_vectors.h"

/* The number after each word, and the field that it stands for. */
enum word {
	LD_OP,
	ST_OP,
	L1_TLB_MISS,
	L2_TLB_MISS,
	DC_MISS,
	LOCKED_OP,
	LINEAR_VALID,
	L2_MISS,
	WIDTH,
	OPEN_REQUESTS,
	LATENCY,
	REMOTE_NODE,
	DATA_SOURCE,
	WORDS
};

static const struct {
	const char *name;
	bool data2; /* in IbsOpData2, not IbsOpData3 */
	unsigned int shift, bits;
} words[WORDS] = {
	[LD_OP] = {"LdOp", false, 0, 1},
	[ST_OP] = {"StOp", false, 1, 1},
	[L1_TLB_MISS] = {"DcL1TlbMiss", false, 2, 1},
	[L2_TLB_MISS] = {"DcL2TlbMiss", false, 3, 1},
	[DC_MISS] = {"DcMiss", false, 7, 1},
	[LOCKED_OP] = {"DcLockedOp", false, 15, 1},
	[LINEAR_VALID] = {"DcLinAddrValid", false, 17, 1},
	[L2_MISS] = {"L2Miss", false, 20, 1},
	[WIDTH] = {"OpMemWidth", false, 22, 4},
	[OPEN_REQUESTS] = {"OpDcMissOpenMemReqs", false, 26, 6},
	[LATENCY] = {"DcMissLat", false, 32, 16},
	[REMOTE_NODE] = {"RmtNode", true, 4, 1},
	[DATA_SOURCE] = {"DataSrc", true, 0, 3},
};

/* What perf calls the sources of loads. */
static const struct {
	const char *words;
	unsigned int source, flags;
} sources[] = {
	{"DataSrc 2=A peer cache in a near CCX", MEMPHIS_SOURCE_PEER_CACHE, 0},
	{"DataSrc 3=DRAM", MEMPHIS_SOURCE_DRAM, 0},
	{"CacheHitSt 0=M-state", MEMPHIS_SOURCE_UNKNOWN, HITM},
};

struct line {
	unsigned int family, model, capabilities;
	__u64 data, data2, data3;
	const char *words;
	unsigned int numbers[WORDS];
};

static unsigned int number_after(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (; text; text = strchr(text, ' '), text = text ? text + 1 : NULL)
		if (!strncmp(text, word, length) && text[length] == ' ')
			return (unsigned int)strtoul(text + length, NULL, 10);
	return 0;
}

static bool words_belong_to_registers(struct line *line)
{
	bool holds = true;
	unsigned int i, field;

	for (i = 0; i < WORDS; i++) {
		field = (words[i].data2 ? line->data2 : line->data3) >> words[i].shift &
			((1U << words[i].bits) - 1);
		if (i == WIDTH)
			field = field ? 1U << (field - 1) : 0;
		line->numbers[i] = number_after(line->words, words[i].name);
		if (line->numbers[i] != field) {
			printf("# %s %u, in the register %u\n", words[i].name, line->numbers[i], field);
			holds = false;
		}
	}
	return holds;
}

/* The sample that the words describe, as an access of user code to user data. */
static unsigned int sample_of_words(const struct line *line, struct memphis_sample *sample)
{
	const unsigned int *number = line->numbers;
	unsigned int i;

	memset(sample, 0, sizeof(*sample));
	if (!number[LD_OP] && !number[ST_OP])
		return MEMPHIS_REASON_NOT_MEMORY;
	if (!number[LINEAR_VALID])
		return MEMPHIS_REASON_NO_ADDRESS;
	sample->flags = (number[LD_OP] ? LOAD : 0) | (number[ST_OP] ? STORE : 0) |
			(number[LOCKED_OP] ? LOCKED : 0) | (number[L1_TLB_MISS] ? TLB1 : 0) |
			(number[L2_TLB_MISS] ? TLB2 : 0);
	if (!number[LD_OP])
		return KEPT;
	sample->source = number[L2_MISS]   ? MEMPHIS_SOURCE_UNKNOWN
			 : number[DC_MISS] ? MEMPHIS_SOURCE_L2
					   : MEMPHIS_SOURCE_L1;
	sample->latency_cycles = number[LATENCY];
	for (i = 0; number[L2_MISS] && i < ARRAY_SIZE(sources); i++)
		if (strstr(line->words, sources[i].words)) {
			sample->source |= sources[i].source;
			sample->flags |= sources[i].flags;
		}
	if (number[L2_MISS] && number[REMOTE_NODE])
		sample->flags |= REMOTE;
	return KEPT;
}

static bool decodes_as_words_say(const struct line *line)
{
	const struct memphis_ibs_record record = {
		.capabilities = line->capabilities,
		.registers = {CTL, PC, line->data, line->data2, line->data3, LINEAR, PHYSICAL},
	};
	struct memphis_ibs_machine machine;
	struct memphis_sample want, got = {0};
	unsigned int want_reason = sample_of_words(line, &want), reason;
	__u64 physical;

	memphis_ibs_machine_init(&machine, line->family, line->model, line->capabilities, USER_LIMIT);
	reason = memphis_ibs_reason(&machine, &record, sizeof(record));
	if (reason == KEPT)
		memphis_ibs_decode(&machine, &record, &got, &physical);
	if (reason == want_reason && got.source == want.source && got.flags == want.flags &&
	    got.latency_cycles == want.latency_cycles)
		return true;
	printf("# reason %u, source %u, flags %#x, latency %u; the words say %u, %u, %#x, %u\n", reason,
	       got.source, got.flags, got.latency_cycles, want_reason, want.source, want.flags,
	       want.latency_cycles);
	return false;
}

static bool read_line(const char *text, struct line *line, char line_words[512], char source[256])
{
	line->words = line_words;
	return sscanf(text + (*text == '~'), "%u-%u\t%x\t%llx\t%llx\t%llx\t%511[^\t]\t%255[^\n]",
		      &line->family, &line->model, &line->capabilities, &line->data, &line->data2,
		      &line->data3, line_words, source) == 8;
}

int main(void)
{
	FILE *file = fopen(RECORDS_DIRECTORY "/registers", "r");
	char text[1024], line_words[512], source[256] = "incomplete";
	unsigned int records = 0;
	struct line line;

	while (file && fgets(text, sizeof(text), file)) {
		if (*text == '#')
			continue;
		records++;
		ok(read_line(text, &line, line_words, source) && words_belong_to_registers(&line) &&
			   decodes_as_words_say(&line),
		   "record %u is decoded as its words say: %s", records, source);
	}
	ok(records >= 189, "%u records of %s", records, RECORDS_DIRECTORY "/registers");
	if (file)
		fclose(file);
	return finish();
}
