// SPDX-License-Identifier: BSD-3-Clause
/* The buffers of all events in one list. If this fails, the output does not describe some buffers that its rows name. */
#include "selftest/selftest.h"
#include "../../tap.h"

int main(void)
{
	struct memphis_plan all = {0};
	const struct memphis_plan dram = {.cpu = 3,
					  .node = 1,
					  .skipped = 2,
					  .phase_count = 2,
					  .phases = {{.name = "cache"}, {.name = "node1", .bytes = 64}}};
	const struct memphis_plan hitm = {
		.cpu = 3,
		.phase_count = 3,
		.phases = {{.name = "modified"}, {.name = "cache"}, {.name = "node1"}}};

	memphis_selftest_plan_join(&all, &dram);
	memphis_selftest_plan_join(&all, &hitm);
	is(all.phase_count, 3, "a buffer of several events is listed once");
	is_text(all.phases[2].name, "modified", "a buffer of one event is listed");
	is(all.phases[1].bytes, 64, "a buffer of several events is that of the first one");
	is(all.cpu, 3, "the CPU is that of the events");
	is(all.node, 1, "the node is that of the first event");
	is(all.skipped, 2, "nodes that are not tested are counted once");
	return finish();
}
