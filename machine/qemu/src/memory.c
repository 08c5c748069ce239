/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that the memory of the nodes reads and writes: see memory.h.
 *
 * For exact counts, each line has the number of the instruction that stored into it last. It is 0 for lines that nothing has
 * stored into since they were clean, or since counting began. So lines dirtied = lines written back + lines still dirty.
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "memory.h"
#include "truth-table.h"

#define INTERLEAVE_SHIFT 2 /* lines of 64 bytes in 256 bytes */

/* Number of an instruction: that of its CPU, and its position in the CPU's list, from 1 on. */
#define WHO_CPU_SHIFT  26
#define WHO_INDEX(who) ((who) & ((1u << WHO_CPU_SHIFT) - 1))
#define WHO_BEFORE     0u /* stored before counting began */

#define CPUS_MAX    64
#define RECENT      1024u
#define RECENT_ROWS 256u

typedef struct InstructionRow {
	uint64_t space, pc, who;
} InstructionRow;

typedef struct MemoryRow {
	uint64_t who, home;
	uint64_t counts[MEMORY_COUNTS];
} MemoryRow;

typedef struct HintRow {
	uint64_t who;
	uint64_t levels[MEMORY_HINT_LEVELS];
} HintRow;

struct MemoryCpu {
	int index, node;
	uint64_t *channels; /* [node][channel][write]: lines caused by this vCPU since power on */
	uint64_t space, pc;
	uint32_t who; /* of space and pc; 0 if it has not been needed yet */
	InstructionRow recent[RECENT];
	Table instructions, rows, hints;
	MemoryRow *recent_rows[RECENT_ROWS];
	InstructionRow *list; /* by position */
	size_t listed, list_size;
};

static MemoryCpu *memory_cpus[CPUS_MAX];
static int nodes;
static uint64_t line_count;
uint32_t *memory_last_stored;
static bool counting;

/* Totals of the channels when counting began, and those of earlier times of counting: [node][channel][write]. */
static uint64_t *channels_before, *channels_counted;

void memory_init(int node_count, uint64_t lines)
{
	nodes = node_count;
	line_count = lines;
	channels_before = g_new0(uint64_t, nodes * MEMORY_CHANNELS * 2);
	channels_counted = g_new0(uint64_t, nodes * MEMORY_CHANNELS * 2);
}

static void init_tables(MemoryCpu *m)
{
	table_init(&m->instructions, sizeof(InstructionRow), offsetof(InstructionRow, who));
	table_init(&m->rows, sizeof(MemoryRow), offsetof(MemoryRow, counts));
	table_init(&m->hints, sizeof(HintRow), offsetof(HintRow, levels));
	memset(m->recent_rows, 0, sizeof(m->recent_rows));
}

MemoryCpu *memory_cpu_new(int index, int node)
{
	MemoryCpu *m = g_new0(MemoryCpu, 1);

	m->index = index;
	m->node = node;
	m->channels = g_new0(uint64_t, nodes * MEMORY_CHANNELS * 2);
	init_tables(m);
	qatomic_set(&memory_cpus[index], m);
	return m;
}

/* ---- channels ---- */

static uint64_t *channel_of(uint64_t *channels, int node, int channel, bool write)
{
	return &channels[(node * MEMORY_CHANNELS + channel) * 2 + write];
}

static void count_line(MemoryCpu *m, uint64_t line, int home, bool write)
{
	uint64_t *n = channel_of(m->channels, home, (line >> INTERLEAVE_SHIFT) % MEMORY_CHANNELS, write);

	qatomic_set(n, *n + 1);
}

uint64_t memory_channel(int node, int channel, bool write)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CPUS_MAX; i++) {
		MemoryCpu *m = qatomic_read(&memory_cpus[i]);

		sum += m ? qatomic_read(channel_of(m->channels, node, channel, write)) : 0;
	}
	return sum;
}

/* ---- instructions ---- */

void memory_instruction(MemoryCpu *m, uint64_t space, uint64_t pc)
{
	m->space = space;
	m->pc = pc;
	m->who = 0;
}

static uint32_t add_instruction(MemoryCpu *m, const uint64_t *key)
{
	InstructionRow *row = table_row(&m->instructions, key);

	if (!row->who) {
		if (m->listed == m->list_size) {
			m->list_size = MAX(2 * m->list_size, 1024);
			m->list = g_renew(InstructionRow, m->list, m->list_size);
		}
		row->who = (uint64_t)m->index << WHO_CPU_SHIFT | (m->listed + 1);
		assert(m->listed + 1 < 1u << WHO_CPU_SHIFT);
		m->list[m->listed++] = *row;
	}
	return row->who;
}

uint32_t memory_who(MemoryCpu *m)
{
	InstructionRow *recent = &m->recent[(m->pc ^ m->pc >> 10) % RECENT];

	if (!m->who) {
		if (!recent->who || recent->pc != m->pc || recent->space != m->space) {
			const uint64_t key[] = {m->space, m->pc};

			*recent = (InstructionRow){m->space, m->pc, add_instruction(m, key)};
		}
		m->who = recent->who;
	}
	return m->who;
}

static uint64_t *counts_of(MemoryCpu *m, uint32_t who, int home)
{
	const uint64_t key[] = {who, home};
	MemoryRow **recent = &m->recent_rows[(who ^ who >> 8 ^ home) % RECENT_ROWS];
	size_t size = m->rows.size;

	if (!*recent || (*recent)->who != who || (*recent)->home != (uint64_t)home) {
		MemoryRow *row = table_row(&m->rows, key);

		if (m->rows.size != size) {
			/* The table has grown, so that all rows are elsewhere. */
			memset(m->recent_rows, 0, sizeof(m->recent_rows));
		}
		*recent = row;
	}
	return (*recent)->counts;
}

/* ---- lines ---- */

void memory_read(MemoryCpu *m, uint64_t line, int home, MemoryCount reason)
{
	count_line(m, line, home, false);
	if (counting) {
		counts_of(m, memory_who(m), home)[reason]++;
	}
}

void memory_stored(MemoryCpu *m, uint64_t line, int home)
{
	if (!counting) {
		return;
	}
	if (memory_last_stored[line] == WHO_BEFORE) {
		counts_of(m, memory_who(m), home)[MEMORY_DIRTIED]++;
	}
	qatomic_set(&memory_last_stored[line], memory_who(m));
}

void memory_written_back(MemoryCpu *m, uint64_t line, int home)
{
	count_line(m, line, home, true);
	if (counting) {
		counts_of(m, memory_last_stored[line], home)[MEMORY_WRITTEN]++;
		qatomic_set(&memory_last_stored[line], WHO_BEFORE);
	}
}

void memory_bypassed(MemoryCpu *m, uint64_t line, int home, unsigned bytes, uint32_t who)
{
	count_line(m, line, home, true);
	if (counting) {
		uint64_t *counts = counts_of(m, who, home);

		counts[bytes == 64 ? MEMORY_NT_LINES : MEMORY_NT_PARTS]++;
		counts[MEMORY_NT_BYTES] += bytes;
	}
}

void memory_hinted(MemoryCpu *m, int level)
{
	if (counting) {
		const uint64_t key[] = {memory_who(m)};

		((HintRow *)table_row(&m->hints, key))->levels[level]++;
	}
}

/* ---- exact counts ---- */

static void forget_stores(void)
{
	if (memory_last_stored) {
		munmap(memory_last_stored, line_count * sizeof(*memory_last_stored));
	}
	memory_last_stored = mmap(NULL, line_count * sizeof(*memory_last_stored), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory_last_stored == MAP_FAILED) {
		error_report("exact counts: no memory for the stores of %" PRIu64 " lines", line_count);
		exit(1);
	}
}

static void note_channels(uint64_t *counted)
{
	int node, channel, write;

	for (node = 0; node < nodes; node++) {
		for (channel = 0; channel < MEMORY_CHANNELS; channel++) {
			for (write = 0; write < 2; write++) {
				uint64_t now = memory_channel(node, channel, write);
				uint64_t *before = channel_of(channels_before, node, channel, write);

				if (counted) {
					*channel_of(counted, node, channel, write) += now - *before;
				}
				*before = now;
			}
		}
	}
}

void memory_start(void)
{
	if (!counting) {
		forget_stores();
		note_channels(NULL);
		counting = true;
	}
}

void memory_dirty(uint64_t line, int home)
{
	uint32_t who = memory_last_stored[line];

	if (who != WHO_BEFORE) {
		counts_of(memory_cpus[who >> WHO_CPU_SHIFT], who, home)[MEMORY_DIRTY]++;
	}
}

void memory_stop(void)
{
	if (counting) {
		note_channels(channels_counted);
		counting = false;
	}
}

void memory_reset(void)
{
	int i;

	for (i = 0; i < CPUS_MAX; i++) {
		MemoryCpu *m = memory_cpus[i];

		if (m) {
			table_free(&m->instructions);
			table_free(&m->rows);
			table_free(&m->hints);
			init_tables(m);
			memset(m->recent, 0, sizeof(m->recent));
			m->listed = 0;
		}
	}
	memset(channels_counted, 0, nodes * MEMORY_CHANNELS * 2 * sizeof(*channels_counted));
	note_channels(NULL);
	if (counting) {
		forget_stores();
	}
}

/* ---- the file ---- */

void memory_write_head(FILE *f, const char *const *levels)
{
	int i;

	fprintf(f,
		"#memory\tcpu\tnode\tspace\tpc\thome\tload\tstore\tprefetch\tdirtied\twritten\tdirty\tnt_lines\tnt_parts\tnt_bytes\n");
	fprintf(f, "#prefetch\tcpu\tnode\tspace\tpc");
	for (i = 0; i < MEMORY_HINT_LEVELS - 1; i++) {
		fprintf(f, "\t%s", levels[i]);
	}
	fprintf(f, "\tnone\n#channel\tnode\tchannel\tread\twritten\n");
}

static void write_instruction(FILE *f, const char *kind, uint32_t who)
{
	const MemoryCpu *m = who == WHO_BEFORE ? NULL : memory_cpus[who >> WHO_CPU_SHIFT];

	if (m) {
		const InstructionRow *row = &m->list[WHO_INDEX(who) - 1];

		fprintf(f, "%s\t%d\t%d\t0x%" PRIx64 "\t0x%" PRIx64, kind, m->index, m->node, row->space,
			row->pc);
	} else {
		fprintf(f, "%s\t-1\t-1\t0x0\t0x0", kind);
	}
}

/* A line is often written back by another vCPU than that of the instruction: one row for each instruction and home. */
static void merge_rows(Table *all)
{
	int i, k;

	for (i = 0; i < CPUS_MAX; i++) {
		const MemoryRow *row;
		size_t at = 0;

		while (memory_cpus[i] && (row = table_next(&memory_cpus[i]->rows, &at))) {
			MemoryRow *sum = table_row(all, &row->who);

			for (k = 0; k < MEMORY_COUNTS; k++) {
				sum->counts[k] += row->counts[k];
			}
		}
	}
}

void memory_write(FILE *f)
{
	const MemoryRow *row;
	const HintRow *hint;
	Table all;
	size_t at = 0;
	int i, k, node;

	table_init(&all, sizeof(MemoryRow), offsetof(MemoryRow, counts));
	merge_rows(&all);
	while ((row = table_next(&all, &at))) {
		write_instruction(f, "memory", row->who);
		fprintf(f, "\t%" PRIu64, row->home);
		for (k = 0; k < MEMORY_COUNTS; k++) {
			fprintf(f, "\t%" PRIu64, row->counts[k]);
		}
		fputc('\n', f);
	}
	table_free(&all);
	for (i = 0; i < CPUS_MAX; i++) {
		at = 0;
		while (memory_cpus[i] && (hint = table_next(&memory_cpus[i]->hints, &at))) {
			write_instruction(f, "prefetch", hint->who);
			for (k = 0; k < MEMORY_HINT_LEVELS; k++) {
				fprintf(f, "\t%" PRIu64, hint->levels[k]);
			}
			fputc('\n', f);
		}
	}
	if (counting) {
		note_channels(channels_counted);
	}
	for (node = 0; node < nodes; node++) {
		for (k = 0; k < MEMORY_CHANNELS; k++) {
			fprintf(f, "channel\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\n", node, k,
				*channel_of(channels_counted, node, k, false),
				*channel_of(channels_counted, node, k, true));
		}
	}
}
