/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model MSRs C001_1F00.., which start, stop, reset and dump the exact counts; the dump and the switch run while all vCPUs are
 * stopped. File format: machine/truth/README.md in the repository.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/cpu-timers.h"
#include "cpu.h"
#include "clock.h"
#include "observe-registers.h"
#include "observe-switch.h"
#include "truth-count.h"

#define MSR_MODEL_ID            0xc0011f00
#define MSR_MODEL_CONTROL       0xc0011f01
#define MSR_MODEL_DELIVERED     0xc0011f02 /* by this vCPU, since power on */
#define MSR_MODEL_DELIVERED_ALL 0xc0011f03
#define MSR_MODEL_LAST          0xc0011f0f

#define MODEL_ID 0x55504d4d00000002ull /* low half: version of this interface */

enum { CONTROL_START = 1, CONTROL_STOP, CONTROL_RESET, CONTROL_DUMP };
#define CONTROL_COMMAND      0xffu
#define CONTROL_NUMBER_SHIFT 8 /* CONTROL_DUMP: number of the file; 0: the file without a number */
#define CONTROL_NUMBER_MAX   0xffffu
#define STATUS_COUNTING      1
#define STATUS_HAS_FILE      2
#define STATUS_DUMP_FAILED   4

static bool dump_failed;

/* ---- the file ---- */

static const char *const level_names[MEM_LEVELS] = {
	"l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other",
};

static void write_head(FILE *f)
{
	const ObserveConfig *c = observe_config;
	uint64_t total = 0, since = 0;
	CPUState *cs;
	int i;

	fprintf(f, "memphis-truth\t3\n");
	fprintf(f, "nodes\t%d\n", cachemodel_nodes());
	fprintf(f, "cache\tline_bytes\t%u\tl1_kib\t%u\tl2_kib\t%u\tl3_kib\t%u\n", CACHE_LINE_BYTES, c->l1_kib,
		c->l2_kib, c->l3_kib);
	fprintf(f, "latency\tl1\t%u\tl2\t%u\tl3\t%u\tpeer\t%u\trpeer\t%u\tldram\t%u\trdram\t%u\tjitter\t%d\n",
		c->lat_l1, c->lat_l2, c->lat_l3, c->lat_peer, c->lat_rcache, c->lat_dram, c->lat_rdram,
		c->lat_jitter);
	fprintf(f, "#delivered\tcpu\tnode\tsince_reset\tsince_power_on\n");
	CPU_FOREACH(cs)
	{
		ObserveCpu *cpu = observe_cpu(cpu_env(cs));
		uint64_t n = qatomic_read(&cpu->delivered);

		fprintf(f, "delivered\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\n", cpu->index, cpu->node,
			n - cpu->truth->delivered_before, n);
		since += n - cpu->truth->delivered_before;
		total += n;
	}
	fprintf(f, "delivered_total\t%" PRIu64 "\t%" PRIu64 "\n", since, total);
	CPU_FOREACH(cs)
	{
		ObserveCpu *cpu = observe_cpu(cpu_env(cs));

		fprintf(f, "untranslated\t%d\t%" PRIu64 "\n", cpu->index, cpu->untranslated);
	}
	fprintf(f, "#clock\tcpu\tnode\tspace\tprivilege\tinstructions\tcycles");
	for (i = 0; i < MEM_LEVELS; i++) {
		fprintf(f, "\t%s", level_names[i]);
	}
	for (i = 0; i < MEM_LEVELS; i++) {
		fprintf(f, "\t%s_cycles", level_names[i]);
	}
	fprintf(f, "\n#pc\tcpu\tnode\tspace\tpc");
	for (i = 0; i < MEM_LEVELS; i++) {
		fprintf(f, "\t%s_load\t%s_store", level_names[i], level_names[i]);
	}
	for (i = 0; i < MEM_LEVELS; i++) {
		fprintf(f, "\telig_%s_load\telig_%s_store", level_names[i], level_names[i]);
	}
	fprintf(f, "\n#page\tcpu\tnode\tspace\tpc\tpage\thome\tload\tstore\telig_load\telig_store\n");
	memory_write_head(f, level_names);
}

/* Writes a tab and a number. The file has some hundred thousand lines of up to 37 numbers, of which most are 0. */
static void write_number(FILE *f, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = '0' + value % 10;
	} while ((value /= 10));
	putc_unlocked('\t', f);
	fwrite_unlocked(at, 1, digits + sizeof(digits) - at, f);
}

static void write_address(FILE *f, uint64_t value)
{
	char digits[19], *at = digits + sizeof(digits);

	do {
		*--at = "0123456789abcdef"[value % 16];
	} while ((value /= 16));
	*--at = 'x';
	*--at = '0';
	*--at = '\t';
	fwrite_unlocked(at, 1, digits + sizeof(digits) - at, f);
}

/* Begins a line of an instruction. */
static void write_instruction(FILE *f, const char *kind, const ObserveCpu *cpu, uint64_t space, uint64_t pc)
{
	fputs_unlocked(kind, f);
	write_number(f, cpu->index);
	write_number(f, cpu->node);
	write_address(f, space);
	write_address(f, pc);
}

static void write_clock(FILE *f, const ObserveCpu *cpu)
{
	const ClockRow *row;
	size_t at = 0;
	int k;

	while ((row = table_next(&cpu->truth->clocks, &at))) {
		fprintf(f, "clock\t%d\t%d\t0x%" PRIx64 "\t%s\t%" PRIu64 "\t%" PRIu64, cpu->index, cpu->node,
			row->space, row->user ? "user" : "kernel", row->insns, row->cycles);
		for (k = 0; k < MEM_LEVELS; k++) {
			fprintf(f, "\t%" PRIu64, row->loads[k]);
		}
		for (k = 0; k < MEM_LEVELS; k++) {
			fprintf(f, "\t%" PRIu64, row->stalls[k]);
		}
		fputc('\n', f);
	}
}

static void write_cpu(FILE *f, ObserveCpu *cpu)
{
	const PcRow *row;
	const PageRow *page;
	size_t at = 0;
	int k;

	write_clock(f, cpu);
	while ((row = table_next(&cpu->truth->pcs, &at))) {
		write_instruction(f, "pc", cpu, row->space, row->pc);
		for (k = 0; k < 2 * MEM_LEVELS; k++) {
			write_number(f, truth_level(cpu->truth, row, k / 2)->all[k % 2]);
		}
		for (k = 0; k < 2 * MEM_LEVELS; k++) {
			write_number(f, truth_level(cpu->truth, row, k / 2)->eligible[k % 2]);
		}
		putc_unlocked('\n', f);
	}
	at = 0;
	while ((page = table_next(&cpu->truth->pages, &at))) {
		write_instruction(f, "page", cpu, page->space, page->pc);
		write_address(f, page->page);
		write_number(f, page->home);
		for (k = 0; k < 2; k++) {
			write_number(f, page->all[k]);
		}
		for (k = 0; k < 2; k++) {
			write_number(f, page->eligible[k]);
		}
		putc_unlocked('\n', f);
	}
}

/* Write the file atomically: write it under another name in the same directory, then rename it. */
static bool dump(unsigned number)
{
	g_autofree char *path = NULL, *part = NULL;
	CPUState *cs;
	FILE *f;
	bool bad;

	if (!observe_config->truth_file) {
		error_report(
			"the guest asked for a dump of the exact counts, but -cpu has no truth-file=PATH");
		return false;
	}
	path = number ? g_strdup_printf("%s.%u", observe_config->truth_file, number)
		      : g_strdup(observe_config->truth_file);
	part = g_strdup_printf("%s.part", path);
	f = fopen(part, "w");
	if (!f) {
		error_report("truth-file: cannot write %s: %s", part, strerror(errno));
		return false;
	}
	write_head(f);
	CPU_FOREACH(cs)
	{
		write_cpu(f, observe_cpu(cpu_env(cs)));
	}
	memory_write(f);
	fprintf(f, "end\n");
	bad = ferror(f);
	if ((fclose(f) || bad || rename(part, path))) {
		error_report("truth-file: cannot complete %s: %s", path, strerror(errno));
		return false;
	}
	return true;
}

void truth_check_file(void)
{
	const char *path = observe_config->truth_file;
	g_autofree char *directory = path ? g_path_get_dirname(path) : NULL;

	if (path && access(directory, W_OK)) {
		error_report("-cpu property truth-file=%s: directory %s: %s", path, directory,
			     strerror(errno));
		exit(1);
	}
}

/* ---- model MSRs ---- */

static void reset_counts(void)
{
	CPUState *cs;

	CPU_FOREACH(cs)
	{
		ObserveCpu *cpu = observe_cpu(cpu_env(cs));

		truth_clear(cpu->truth);
		cpu->truth->delivered_before = qatomic_read(&cpu->delivered);
	}
	memory_reset();
}

static void count(bool on)
{
	CPUState *cs;

	/* What is in a write-combining buffer belongs to the time before. */
	CPU_FOREACH(cs)
	{
		ObserveCpu *cpu = observe_cpu(cpu_env(cs));

		combine_drain(&cpu->combine, cpu->cache);
	}
	if (on) {
		memory_start();
	} else if (truth_counting) {
		cachemodel_each_modified(memory_dirty);
		memory_stop();
	}
	truth_counting = on;
	observe_everything(on);
}

static void control(CPUState *unused, run_on_cpu_data data)
{
	unsigned command = data.host_int & CONTROL_COMMAND;

	/* What has run belongs to the counts as they have been up to now. */
	clock_settle_all();
	switch (command) {
	case CONTROL_START:
	case CONTROL_STOP:
		count(command == CONTROL_START);
		break;
	case CONTROL_RESET:
		reset_counts();
		break;
	case CONTROL_DUMP:
		/* No time passes for the guest, which would find its CPUs stuck for as long as the host needs. */
		bql_lock();
		cpu_disable_ticks();
		dump_failed = !dump((unsigned)data.host_int >> CONTROL_NUMBER_SHIFT);
		cpu_enable_ticks();
		bql_unlock();
		break;
	}
}

static uint64_t delivered_all(void)
{
	uint64_t sum = 0;
	CPUState *cs;

	CPU_FOREACH(cs)
	{
		if (observe_cpu(cpu_env(cs))) {
			sum += qatomic_read(&observe_cpu(cpu_env(cs))->delivered);
		}
	}
	return sum;
}

bool truth_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	switch (msr) {
	case MSR_MODEL_ID:
		*val = MODEL_ID;
		return true;
	case MSR_MODEL_CONTROL:
		*val = (truth_counting ? STATUS_COUNTING : 0) |
		       (observe_config->truth_file ? STATUS_HAS_FILE : 0) |
		       (dump_failed ? STATUS_DUMP_FAILED : 0);
		return true;
	case MSR_MODEL_DELIVERED:
		*val = env->observe.cpu->delivered;
		return true;
	case MSR_MODEL_DELIVERED_ALL:
		*val = delivered_all();
		return true;
	default:
		*val = 0;
		return msr > MSR_MODEL_ID && msr <= MSR_MODEL_LAST;
	}
}

bool truth_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	if (msr < MSR_MODEL_ID || msr > MSR_MODEL_LAST) {
		return false;
	}
	/* Takes effect before this vCPU's next instruction, as WRMSR ends its TB. */
	if (msr == MSR_MODEL_CONTROL && (val & CONTROL_COMMAND) >= CONTROL_START &&
	    (val & CONTROL_COMMAND) <= CONTROL_DUMP && val >> CONTROL_NUMBER_SHIFT <= CONTROL_NUMBER_MAX) {
		async_safe_run_on_cpu(env_cpu(env), control, RUN_ON_CPU_HOST_INT(val));
	}
	return true;
}
