// SPDX-License-Identifier: BSD-3-Clause
/*
 * Thresholds of findings, findings over several processes, and system libraries. If this fails, the report blames a variable
 * wrongly, or does not report a defect that its samples show.
 */
#include "scenario.h"

static void thresholds(void)
{
	static const struct use used[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use few[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 0, 15, 1, 1, 4, 1, 1, 0},
	};
	static const struct use local[] = {
		{0, 0, 0, 0, 8, 0, 9, 40, 10, 4, 0},
		{2, 1, 1, 8, 16, 0, 9, 40, 10, 4, 0},
	};

	begin();
	HEATMAP("few", few);
	expect_findings("remote-dram", "", "no finding from 15 samples");
	begin();
	HEATMAP("field", used);
	add_cell(add_variable("other"), 1, 99, 144 * 49, remote_dram);
	expect_findings("remote-dram", "",
			"no finding for a variable with certainly less than 2 % of the selected samples");
	begin();
	HEATMAP("field", used);
	profile.processes.list[0].threads[1].read = 144 * 9000;
	expect_findings("remote-dram", "",
			"no finding for a variable with certainly less than one in 10000 of all samples");
	begin();
	HEATMAP("mine", local);
	expect_findings("dram", "", "no finding for a variable that is used locally and evenly");
}

/* What is found does not depend on what the report shows. */
static void selections(void)
{
	static const struct use used[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 0},
	};
	static const char *const kinds[] = {"remote-dram", "dram", "loads", "stores", "hitm", "all"};
	char *first = NULL, *got;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		begin();
		HEATMAP("field", used);
		got = findings_of(kinds[i]);
		if (!first)
			first = strdup(got);
		ok(*got && !strcmp(got, first), "--select %s has the same finding", kinds[i]);
		free(got);
		memphis_profile_close(&profile);
	}
	free(first);
}

static void processes(void)
{
	static const struct use used[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use more[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 2, 0},
	};
	/* More samples than the mean of the other two, and fewer than the worst. */
	static const struct use between[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 1, 15, 1, 9, 4, 1, 2, 0},
	};
	char *got;

	begin();
	add_process(200);
	add_process(300);
	memphis_settings_add(&profile.processes.list[1].settings,
			     (struct memphis_span){"rank 7\nhost n03\n", 16});
	HEATMAP("field", used);
	add_heatmap(1, "field", more, 2);
	add_heatmap(2, "field", between, 2);
	profile.heatmaps[1].element_bytes = 4;
	got = findings_of("remote-dram");
	ok(strstr(got,
		  "elements 0-16383 are on node 0 and used by node 1: 684 samples, 100.0 % of the loads from other nodes' memory (95 % CI 99.4 to 100.0), in 3 of 3 processes, most (288) in rank 7 on host n03\n"),
	   "a defect in several processes is one finding, which names the worst process");
	free(got);
	memphis_profile_close(&profile);
	begin();
	HEATMAP("field", used)->one_in = 10;
	add_cell(profile.heatmaps[0].variable, 1, 44, 9 * 144, remote_dram);
	got = findings_of("remote-dram");
	ok(strstr(got,
		  ": 1440 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"),
	   "where one in ten samples was examined, the confidence interval is that of the examined ones");
	free(got);
	memphis_profile_close(&profile);
}

/* What each process has too few samples for is a finding in several; what one of them shows by chance is none of its own. */
static void weak(void)
{
	static const struct use few[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 0, 15, 1, 1, 4, 1, 1, 0},
	};
	static const struct use otherwise[] = {
		{0, 0, 0, 0, 16, 0, 9, 10, 1, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 0, 8, 1, 1, 4, 1, 1, 0},
	};
	char *got;

	begin();
	add_process(200);
	add_heatmap(0, "field", few, 3);
	add_heatmap(1, "field", few, 3);
	got = findings_of("remote-dram");
	ok(strstr(got, ": 30 samples, 100.0 % of the loads from other nodes' memory") &&
		   strstr(got, ", in 2 of 2 processes\n"),
	   "15 samples in each of two processes are a finding");
	free(got);
	memphis_profile_close(&profile);
	begin();
	add_process(200);
	add_process(300);
	add_heatmap(0, "field", few, 3);
	add_heatmap(1, "field", few, 3);
	add_heatmap(2, "field", otherwise, 3);
	got = findings_of("remote-dram");
	ok(!strncmp(got, "partition-mismatch\n", 19) &&
		   strstr(got, ": 38 samples, 100.0 % of the loads from other nodes' memory") &&
		   strstr(got, ", in 3 of 3 processes\n"),
	   "a process with few samples follows the pattern of the others");
	free(got);
	memphis_profile_close(&profile);
}

/* System libraries, whose code users do not change, are recognised by their file names. */
static void libraries(void)
{
	static const struct {
		const char *path;
		bool system;
	} rows[] = {
		{"/usr/lib64/libc.so.6", true},
		{"/lib/libm-2.31.so", true},
		{"/lib/ld-2.31.so", true},
		{"/lib64/ld-linux-x86-64.so.2", true},
		{"/lib64/libgcc_s-14-20240912.so.1", true},
		{"/lib64/libstdc++.so.6.0.33", true},
		{"/lib/ld-musl-x86_64.so.1", true},
		{"/opt/venv/numpy.libs/libgomp-a34b3233.so.1", true},
		{"/usr/lib/libunwind-x86_64.so.8", true},
		{"/usr/lib/libomptarget.so.19", true},
		{"/usr/lib/libgomp-plugin-nvptx.so.1", true},
		{"/opt/model/libm-facade.so", false},
		{"/opt/model/libatomicdata.so", false},
		{"/opt/model/libomptarget_model.so", false},
		{"/opt/model/libimfilter.so.2", false},
		{"/opt/model/libm-fast.so", false},
		{"/opt/model/model", false},
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct memphis_object object = {0};
		struct memphis_profile_frame frame = {0};

		object.path = text(rows[i].path);
		frame.function = text("f");
		ok(memphis_in_system_library(&profile,
					     memphis_profile_add_instruction(
						     &profile, memphis_profile_add_object(&profile, &object),
						     1, &frame, 1)) == rows[i].system,
		   "%s is %s system library", rows[i].path, rows[i].system ? "a" : "not a");
	}
	memphis_profile_close(&profile);
}

int main(void)
{
	thresholds();
	selections();
	processes();
	weak();
	libraries();
	return finish();
}
