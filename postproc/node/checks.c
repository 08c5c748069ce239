// SPDX-License-Identifier: BSD-3-Clause
/* The table of checks, and the overall verdict. */
#include <stdlib.h>
#include <string.h>

#include "node/node.h"

#define ROW(name, title, check, kind)                                    \
	{                                                                \
		name, title, memphis_check_##check, MEMPHIS_CHECK_##kind \
	}

const struct memphis_check_row memphis_checks[] = {
	ROW("nodes", "NUMA nodes with CPUs and memory", nodes, NEEDED),
	ROW("memory-only", "nodes without CPUs", memory_only, ADVICE),
	ROW("memory", "memory of the nodes with CPUs", memory, ADVICE),
	ROW("free-memory", "memory that is free on each node", free, ADVICE),
	ROW("interleaving", "nodes hidden by the BIOS set-up", interleaving, ADVICE),
	ROW("sub-numa", "several nodes per package (SNC, NPS)", sub_numa, ADVICE),
	ROW("balancing", "pages moved by the kernel (NUMA balancing)", balancing, ADVICE),
	ROW("huge-pages", "transparent huge pages", huge_pages, ADVICE),
	ROW("governor", "frequency governor", governor, ADVICE),
	ROW("boost", "turbo frequencies", boost, ADVICE),
	ROW("smt", "several threads per core", smt, ADVICE),
	ROW("throttling", "CPUs slowed down by heat or power", throttling, ADVICE),
	ROW("memory-errors", "errors of the memory (EDAC)", memory_errors, ADVICE),
	ROW("pcie-errors", "errors of PCIe devices and their links (AER)", pcie_errors, ADVICE),
	ROW("fabric-errors", "errors of ports to the fabric (InfiniBand)", fabric_errors, ADVICE),
	ROW("machine-checks", "machine-check exceptions", machine_checks, ADVICE),
	ROW("kernel", "version of the kernel", kernel, ADVICE),
	ROW("module", "the kernel module", module, ADVICE),
	ROW("device", "the device, and this user's right to it", device, NEEDED),
	ROW("pmu", "sampling hardware, as the kernel offers it", pmu, NEEDED),
	ROW("events", "sampling events that this user can use", events, ADVICE),
	ROW("filters", "filters of the hardware (MEMPHIS_HARDWARE_FILTER)", filters, ADVICE),
	ROW("period", "default sampling period, and the shortest", period, ADVICE),
	ROW("latency-meaning", "what the latency of a sample is", latency_meaning, ADVICE),
	ROW("perf", "perf without the module", perf, ADVICE),
	ROW("perf-limits", "kernel limits on perf", perf_limits, ADVICE),
	ROW("locked-memory", "limits on locked memory and open files", locked_memory, ADVICE),
	ROW("load", "other load", load, ADVICE),
	ROW("interrupts", "interrupts per second", interrupts, ADVICE),
	ROW("clock", "the kernel's source of time", clock, ADVICE),
	ROW("latency", "latency of memory between nodes", latency, MEASURED),
	ROW("bandwidth", "bandwidth of memory between nodes", bandwidth, MEASURED),
	ROW("dgemm", "rate of DGEMM on the cores of each node", dgemm, MEASURED),
	ROW("baseline", "comparison with the baseline", baseline, COMPARED),
};

const size_t memphis_check_count = sizeof(memphis_checks) / sizeof(*memphis_checks);

/* Returns true if the value is the expected one. An expected number with "+", such as "4+", is a minimum. */
static bool is_expected(const char *value, const char *expected)
{
	char *end, *plus;
	unsigned long long found = strtoull(value, &end, 10), least = strtoull(expected, &plus, 10);

	if (plus > expected && !strcmp(plus, "+"))
		return end > value && !*end && found >= least;
	return !strcmp(value, expected);
}

/* If the user expects a value, replaces the verdict of the check by the result of comparing this value with the one found. */
static void apply_expectation(struct memphis_check_result *finding)
{
	const char *value = finding->value.bytes ? finding->value.text : NULL;

	if (!finding->expected || (finding->verdict == MEMPHIS_VERDICT_UNKNOWN && !value))
		return;
	if (value && is_expected(value, finding->expected)) {
		finding->verdict = MEMPHIS_VERDICT_OK;
		memphis_text_close(&finding->remedy);
		return;
	}
	finding->verdict = MEMPHIS_VERDICT_FAIL;
	memphis_text_print(&finding->evidence, "; %s was expected", finding->expected);
}

static bool has_input(const struct memphis_examination *examination, enum memphis_check_kind kind)
{
	return kind == MEMPHIS_CHECK_MEASURED   ? examination->matrices != NULL
	       : kind == MEMPHIS_CHECK_COMPARED ? examination->baseline != NULL
						: true;
}

void memphis_examine(const struct memphis_examination *examination, struct memphis_check_result *findings)
{
	size_t i;

	for (i = 0; i < memphis_check_count; i++) {
		if (!has_input(examination, memphis_checks[i].kind))
			findings[i].ignored = true;
		if (findings[i].ignored)
			continue;
		findings[i].verdict = memphis_checks[i].check(examination, &findings[i]);
		apply_expectation(&findings[i]);
	}
}

void memphis_findings_of_checks_close(struct memphis_check_result *findings)
{
	size_t i;

	for (i = 0; i < memphis_check_count; i++) {
		memphis_text_close(&findings[i].value);
		memphis_text_close(&findings[i].evidence);
		memphis_text_close(&findings[i].remedy);
	}
}

enum memphis_verdict memphis_judge(const struct memphis_check_result *findings, bool strict)
{
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK;
	size_t i;

	for (i = 0; i < memphis_check_count; i++) {
		if (findings[i].ignored)
			continue;
		if (findings[i].verdict == MEMPHIS_VERDICT_FAIL ||
		    (strict && findings[i].verdict == MEMPHIS_VERDICT_WARN))
			return MEMPHIS_VERDICT_FAIL;
		if (findings[i].verdict == MEMPHIS_VERDICT_UNKNOWN &&
		    (memphis_checks[i].kind == MEMPHIS_CHECK_NEEDED ||
		     memphis_checks[i].kind == MEMPHIS_CHECK_COMPARED || findings[i].expected))
			verdict = MEMPHIS_VERDICT_UNKNOWN;
	}
	return verdict;
}

bool memphis_errors_failed(const struct memphis_check_result *findings)
{
	size_t i;

	for (i = 0; i < memphis_check_count; i++)
		if ((memphis_checks[i].check == memphis_check_memory_errors ||
		     memphis_checks[i].check == memphis_check_pcie_errors ||
		     memphis_checks[i].check == memphis_check_fabric_errors) &&
		    !findings[i].ignored && findings[i].verdict == MEMPHIS_VERDICT_FAIL)
			return true;
	return false;
}
