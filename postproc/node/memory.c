// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the nodes and of their memory. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node/node.h"

#define MIB 1048576

/*
 * If the memory of two nodes differs by more than this fraction, a DIMM is probably missing. Memory that
 * firmware reserves makes a smaller difference.
 */
#define UNEVEN 0.1
/* If less than this fraction of a node's memory is free, new pages are soon allocated on other nodes. */
#define LITTLE_FREE 0.25
/* If the ratio of remote to local latency is below this limit, memory on other nodes is hardly slower. */
#define FLAT 1.05

static void put_nodes(struct memphis_text *text, const struct memphis_machine *machine)
{
	const struct memphis_machine_node *node;
	size_t i;

	for (i = 0; i < machine->node_count; i++) {
		node = &machine->nodes[i];
		memphis_text_print(text, "%snode %u: %s%s, %" PRIu64 " MiB", i ? "; " : "", node->number,
				   node->cpu_count ? "CPUs " : "no CPU", node->cpus,
				   node->memory_bytes / MIB);
	}
}

enum memphis_verdict memphis_check_nodes(const struct memphis_examination *examination,
					 struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	size_t i, poor = 0;

	if (!machine->topology)
		return memphis_check_unknown(finding, "this memphis was built without hwloc");
	memphis_text_print(&finding->value, "%zu", machine->node_count);
	if (!memphis_root_has(machine->root, "/sys/devices/system/node/online")) {
		memphis_text_put(&finding->evidence, "the kernel has no NUMA support");
		memphis_text_put(&finding->remedy,
				 "boot without numa=off, a kernel that was built with CONFIG_NUMA");
		return MEMPHIS_VERDICT_FAIL;
	}
	put_nodes(&finding->evidence, machine);
	if (machine->node_count < 2) {
		memphis_text_put(
			&finding->remedy,
			"no memory is remote here: choose a machine with several nodes, or let the BIOS set-up show them");
		return MEMPHIS_VERDICT_FAIL;
	}
	for (i = 0; i < machine->node_count; i++)
		poor += machine->nodes[i].cpu_count && !machine->nodes[i].memory_bytes;
	if (!poor)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(
		&finding->remedy,
		"a node with CPUs has no memory: look for modules that are missing or have failed (dmidecode -t memory)");
	return MEMPHIS_VERDICT_FAIL;
}

enum memphis_verdict memphis_check_memory_only(const struct memphis_examination *examination,
					       struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	size_t i, count = 0;

	if (!machine->topology)
		return memphis_check_unknown(finding, "this memphis was built without hwloc");
	for (i = 0; i < machine->node_count; i++) {
		if (machine->nodes[i].cpu_count)
			continue;
		memphis_text_print(&finding->evidence, "%snode %u with %" PRIu64 " MiB", count ? "; " : "",
				   machine->nodes[i].number, machine->nodes[i].memory_bytes / MIB);
		count++;
	}
	memphis_text_print(&finding->value, "%zu", count);
	if (!count)
		memphis_text_put(&finding->evidence, "none");
	return MEMPHIS_VERDICT_OK;
}

enum memphis_verdict memphis_check_memory(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	uint64_t least = UINT64_MAX, most = 0, bytes;
	unsigned int poorest = 0;
	size_t i;

	for (i = 0; i < machine->node_count; i++) {
		bytes = machine->nodes[i].memory_bytes;
		if (!machine->nodes[i].cpu_count)
			continue;
		if (bytes < least) {
			least = bytes;
			poorest = machine->nodes[i].number;
		}
		if (bytes > most)
			most = bytes;
	}
	if (!most)
		return memphis_check_unknown(finding, "sysfs shows the memory of no node with CPUs");
	memphis_text_print(&finding->value, "%" PRIu64, least / MIB);
	memphis_text_print(&finding->evidence, "%" PRIu64 " to %" PRIu64 " MiB on each", least / MIB,
			   most / MIB);
	if ((double)least >= (1 - UNEVEN) * (double)most)
		return MEMPHIS_VERDICT_OK;
	memphis_text_print(
		&finding->remedy,
		"node %u has less than others: look for modules that are missing or have failed (dmidecode -t memory)",
		poorest);
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_free(const struct memphis_examination *examination,
					struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	const struct memphis_machine_node *node;
	size_t i, full = 0, told = 0;

	for (i = 0; i < machine->node_count; i++) {
		node = &machine->nodes[i];
		if (!node->memory_bytes)
			continue;
		memphis_text_print(&finding->evidence, "%snode %u: %.0f %%", told++ ? ", " : "", node->number,
				   100 * (double)node->free_bytes / (double)node->memory_bytes);
		full += (double)node->free_bytes < LITTLE_FREE * (double)node->memory_bytes;
	}
	if (!told)
		return memphis_check_unknown(finding, "sysfs shows it for no node");
	if (!full)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(
		&finding->remedy,
		"new pages of a full node come from others; as root: echo 3 > /proc/sys/vm/drop_caches, and look for what is left over in /dev/shm and /tmp");
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_interleaving(const struct memphis_examination *examination,
						struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	const struct memphis_matrices *matrices = examination->matrices;
	double factor = matrices ? memphis_matrices_factor(matrices) : NAN;

	if (!machine->topology)
		return memphis_check_unknown(finding, "this memphis was built without hwloc");
	memphis_text_print(&finding->evidence, "packages: %u, nodes: %zu", machine->package_count,
			   machine->node_count);
	if (machine->package_count > machine->node_count) {
		memphis_text_put(
			&finding->remedy,
			"memory seems to be interleaved: switch \"node interleaving\" off in the BIOS set-up (AMD: NUMA nodes per socket 1 or more)");
		return MEMPHIS_VERDICT_FAIL;
	}
	if (isnan(factor))
		return MEMPHIS_VERDICT_OK;
	memphis_text_print(&finding->evidence, "; remote latency is at most %.2f of local", factor);
	if (factor >= FLAT)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(
		&finding->remedy,
		"all memory is equally far: it may be interleaved below the kernel (BIOS set-up, numa=fake, a hypervisor)");
	return MEMPHIS_VERDICT_WARN;
}

/* Appends a list of the nodes with CPUs in the package. Returns their number. */
static unsigned int put_nodes_of_package(struct memphis_text *text, const struct memphis_machine *machine,
					 unsigned int package)
{
	unsigned int count = 0;
	size_t node, i;

	for (node = 0; node < machine->node_count; node++) {
		for (i = 0; i < machine->cpu_count; i++)
			if (machine->cpus[i].node == node && machine->cpus[i].package == package)
				break;
		if (i == machine->cpu_count)
			continue;
		if (count++)
			memphis_text_print(text, ", %u", machine->nodes[node].number);
		else
			memphis_text_print(text, "%spackage %u: %u", text->bytes ? "; " : "nodes of ",
					   package, machine->nodes[node].number);
	}
	return count;
}

enum memphis_verdict memphis_check_sub_numa(const struct memphis_examination *examination,
					    struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	unsigned int package, last = 0, count, most = 0;
	bool intel, amd;
	size_t i;

	if (!machine->cpu_count)
		return memphis_check_unknown(finding, "no node with CPUs is known");
	for (i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].package > last)
			last = machine->cpus[i].package;
	for (package = 0; package <= last; package++) {
		count = put_nodes_of_package(&finding->evidence, machine, package);
		if (count > most)
			most = count;
	}
	memphis_text_print(&finding->value, "%u", most);
	if (most < 2)
		return MEMPHIS_VERDICT_OK;
	intel = machine->processor.vendor == MEMPHIS_VENDOR_INTEL;
	amd = machine->processor.vendor == MEMPHIS_VENDOR_AMD;
	memphis_text_print(
		&finding->remedy,
		"%s: the hardware's flag \"remote\" may mean another node, or only another package; memphis node --selftest shows which. The report's selections away and dram do not depend on it: they use the nodes of the pages. One node per package: %s in the BIOS set-up",
		intel ? "sub-NUMA clusters"
		: amd ? "NPS, or L3 as NUMA domain"
		      : "several nodes in a package",
		intel ? "SNC off"
		: amd ? "NPS1, and L3 as NUMA domain off"
		      : "if it can be chosen");
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_balancing(const struct memphis_examination *examination,
					     struct memphis_check_result *finding)
{
	uint64_t mode;

	if (!memphis_root_number(&mode, examination->machine->root, "/proc/sys/kernel/numa_balancing"))
		return memphis_check_unknown(finding,
					     "not reported by the kernel (no CONFIG_NUMA_BALANCING)");
	memphis_text_put(&finding->value, mode ? "on" : "off");
	memphis_text_print(&finding->evidence, "%s (kernel.numa_balancing is %" PRIu64 ")",
			   mode ? "on" : "off", mode);
	if (!mode)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy,
			 "pages move while they are looked at; as root: sysctl kernel.numa_balancing=0");
	return MEMPHIS_VERDICT_WARN;
}

/* Finds the word in brackets, which is the selected one: "madvise" in "always [madvise] never". */
static bool find_chosen_word(char *text, char **word)
{
	char *end;

	*word = text ? strchr(text, '[') : NULL;
	end = *word ? strchr(*word, ']') : NULL;
	if (!end)
		return false;
	*end = '\0';
	++*word;
	return true;
}

enum memphis_verdict memphis_check_huge_pages(const struct memphis_examination *examination,
					      struct memphis_check_result *finding)
{
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK;
	char *text, *word;

	text = memphis_root_read(examination->machine->root, "/sys/kernel/mm/transparent_hugepage/enabled");
	if (!find_chosen_word(text, &word)) {
		free(text);
		return memphis_check_unknown(finding, "the kernel has none");
	}
	memphis_text_put(&finding->value, word);
	memphis_text_put(&finding->evidence, word);
	if (!strcmp(word, "never")) {
		memphis_text_put(
			&finding->remedy,
			"misses of the TLB will be part of what is measured; as root: echo always > /sys/kernel/mm/transparent_hugepage/enabled");
		verdict = MEMPHIS_VERDICT_WARN;
	}
	free(text);
	return verdict;
}
