/* SPDX-License-Identifier: BSD-3-Clause */
/* oneTBB contains the static part of ITT, and reports each node of a flow graph as a task. */
#define TBB_USE_PROFILING_TOOLS 1
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <cstdio>

int main()
{
	using message = tbb::flow::continue_msg;
	tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
	tbb::flow::graph graph;
	tbb::flow::continue_node<message> node(graph, [](const message &) {
		std::printf("inside\n");
		std::fflush(stdout);
	});

	node.try_put(message());
	graph.wait_for_all();
	return 0;
}
