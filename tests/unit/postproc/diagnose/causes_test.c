// SPDX-License-Identifier: BSD-3-Clause
/*
 * Findings with one remedy are one finding. If this fails, a program with one cause gets a list of findings with the same advice, or the advice for one
 * variable is given for another one.
 */
#include "scenario.h"

/* Threads of two nodes initialise their halves, then one thread reads all, at the line. */
#define READ_ALONE(line)                                                                   \
	{                                                                                  \
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0}, \
		{                                                                          \
			0, 0, 1, 8, 16, 1, 9, 4, 0, 1, line                                \
		}                                                                          \
	}
/* One thread initialises all, and threads of two nodes use a half each, at the line. */
#define INITIALISED_ALONE(line)                                                             \
	{                                                                                   \
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0}, {1, 0, 0, 0, 8, 1, 9, 4, 1, 0, line}, \
		{                                                                           \
			2, 1, 0, 8, 16, 1, 9, 4, 1, 1, line                                 \
		}                                                                           \
	}

static size_t count(const char *text, const char *part)
{
	size_t found = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		found++;
	return found;
}

static void loops(void)
{
	static const struct use one[] = READ_ALONE(60), next[] = READ_ALONE(61),
				elsewhere[] = READ_ALONE(OTHER_LOOP);
	char *got;

	begin();
	HEATMAP("tx", one);
	HEATMAP("ty", next);
	expect_findings(
		"remote-dram",
		"serial-phase\n"
		"[heap]:tx and [heap]:ty lie on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100 (main) on node 0, 100 % of them, most at model.c:60 (step): 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"divide the loop at model.c:60 (step) among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs\n",
		"what one function reads is one finding, with all of its variables");
	begin();
	HEATMAP("tx", one);
	HEATMAP("ty", elsewhere);
	got = findings_of("remote-dram");
	ok(count(got, "serial-phase\n") == 2, "serial phases of two functions are two findings");
	free(got);
	memphis_profile_close(&profile);
}

/* Samples of each variable that are too few for a finding may be enough together. */
static void sums(void)
{
	static const struct use few[] = {{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0},
					 {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
					 {0, 0, 1, 8, 16, 1, 9, 4, 0, 0, 60},
					 {0, 0, 1, 8, 16, 1, 2, 4, 0, 1, 60}};
	char *got;

	begin();
	HEATMAP("tx", few);
	expect_findings("remote-dram", "", "no finding of a variable with 16 samples");
	begin();
	HEATMAP("tx", few);
	HEATMAP("ty", few);
	got = findings_of("remote-dram");
	ok(strstr(got, "[heap]:tx and [heap]:ty lie on") && strstr(got, ": 32 samples, 100.0 %"),
	   "two variables with 16 samples each are a finding");
	free(got);
	memphis_profile_close(&profile);
}

/* Of the arrays of one class, none has many samples; what they have in common is that one thread wrote all of them first. */
static void hints(void)
{
	static const struct use few[] = {{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
					 {1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 60},
					 {2, 1, 0, 8, 16, 1, 9, 4, 1, 0, 60},
					 {2, 1, 0, 8, 10, 1, 2, 4, 1, 1, 60}};
	static const char *const members[] = {"grid%ta", "grid%tb", "grid%tc", "grid%td", "grid%te"};
	char *got;
	size_t i;

	begin();
	for (i = 0; i < sizeof(members) / sizeof(*members); i++)
		add_heatmap(0, members[i], few, 4);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got,
			  "first-touch\n[heap]:grid%ta, [heap]:grid%tb, [heap]:grid%tc and 2 more lie on "
			  "node 0") &&
		   strstr(got, ": 20 samples, 100.0 %"),
	   "five members with 4 samples each are a finding");
	free(got);
	memphis_profile_close(&profile);
	begin();
	for (i = 0; i < sizeof(members) / sizeof(*members) - 1; i++)
		add_heatmap(0, members[i], few, 4);
	expect_findings("remote-dram", "", "no finding of four of them");
}

static void objects(void)
{
	static const struct use one[] = INITIALISED_ALONE(60), other[] = INITIALISED_ALONE(OTHER_LOOP);
	static const char *const members[] = {"grid%tx", "grid%ty", "grid%tc", "grid%td", "grid%te"};
	char *got;
	size_t i;

	begin();
	HEATMAP("grid%tx", one);
	HEATMAP("grid%ty", other);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:grid%tx and [heap]:grid%ty lie on node 0, where thread 100 (main) wrote them first, and are used by nodes 0 and 1, each using a different part: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"initialise them in parallel, with each thread writing the part that it uses later at model.c:60 (step) (allocated at model.c:10; their initialisation was not sampled; that a thread on node 0 wrote them first is inferred from where their pages are, if they were not bound there); or interleave their pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"members of one object are one finding");
	begin();
	HEATMAP("grid%tx", one);
	HEATMAP("field", other);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 && strstr(got, "first-touch\n[heap]:grid%tx and [heap]:field lie on node 0"),
	   "variables whose initialisation was not sampled, on one node, are one finding");
	free(got);
	memphis_profile_close(&profile);
	begin();
	for (i = 0; i < sizeof(members) / sizeof(*members); i++)
		add_heatmap(0, members[i], one, 3);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got, "\n[heap]:grid%tx, [heap]:grid%ty, [heap]:grid%tc and 2 more lie on node 0"),
	   "of many variables, the sentence names the first ones");
	free(got);
	memphis_profile_close(&profile);
}

/* Ranks on different nodes have their variables there; which rank has most samples of a variable is chance. */
static void ranks(void)
{
	static const struct use here[] = INITIALISED_ALONE(60),
				there[] = {{0, 1, 1, 0, 16, 0, 0, 10, 10, 0, 0},
					   {1, 1, 1, 0, 8, 1, 9, 4, 1, 0, 60},
					   {2, 0, 1, 8, 16, 1, 9, 3, 1, 1, 60}},
				more_there[] = {{0, 1, 1, 0, 16, 0, 0, 10, 10, 0, 0},
						{1, 1, 1, 0, 8, 1, 9, 4, 1, 0, OTHER_LOOP},
						{2, 0, 1, 8, 16, 1, 9, 4, 1, 1, OTHER_LOOP}},
				less_here[] = {{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
					       {1, 0, 0, 0, 8, 1, 9, 4, 1, 0, OTHER_LOOP},
					       {2, 1, 0, 8, 16, 1, 9, 3, 1, 1, OTHER_LOOP}};
	char *got;

	begin();
	add_process(200);
	add_heatmap(0, "grid%tx", here, 3);
	add_heatmap(1, "grid%tx", there, 3);
	add_heatmap(0, "grid%ty", less_here, 3);
	add_heatmap(1, "grid%ty", more_there, 3);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got, "first-touch\n[heap]:grid%tx and [heap]:grid%ty lie on node 0"),
	   "variables whose worst ranks are on different nodes are one finding");
	free(got);
	memphis_profile_close(&profile);
}

/* An array of pointers and the blocks that they point to have one name. */
static void pointer_arrays(void)
{
	static const struct use one[] = INITIALISED_ALONE(60);
	char *got;

	begin();
	HEATMAP("rows", one);
	HEATMAP("rows[]", one);
	got = findings_of("remote-dram");
	ok(strstr(got, "first-touch\n[heap]:rows lies on node 0") && strstr(got, ": 144 samples"),
	   "pointers and what they point to are one variable");
	free(got);
	memphis_profile_close(&profile);
}

static void strides(void)
{
	static const struct use one[] = READ_ALONE(60), other[] = READ_ALONE(OTHER_LOOP),
				local[] = {{0, 0, 0, 0, 16, 0, 9, 10, 1, 0, 61}};
	enum { SAME_LOOP, OTHER_FUNCTION, OTHER_VARIABLE, CASES } which;
	struct memphis_heatmap_load load = {.count = 160,
					    .fetched = 160,
					    .counted = 160,
					    .lines = 150,
					    .narrowest = 8,
					    .widest = 8,
					    .bytes = 1280};
	struct memphis_heatmap *heatmap;
	char *got;

	for (which = SAME_LOOP; which < CASES; which++) {
		begin();
		heatmap = add_heatmap(0, "tx", which == OTHER_FUNCTION ? other : one, 3);
		if (which == OTHER_VARIABLE)
			heatmap = HEATMAP("ty", local);
		load.instruction = instruction_at(61);
		*(struct memphis_heatmap_load *)memphis_append(heatmap->loads, heatmap->load_count,
							       heatmap->load_room) = load;
		add_cell(heatmap->variable, 0, 61, 160, local_dram);
		got = findings_of("remote-dram");
		if (which == SAME_LOOP)
			ok(count(got, "\n") == 3 && !strncmp(got, "serial-phase\n", 13) &&
				   strstr(got,
					  "(95 % CI 94.9 to 100.0); [heap]:tx is read in small parts at model.c:61 (step): 8 of the 64 bytes of each cache line that it fetches (95 % CI 8 to 9)\n") &&
				   strstr(got,
					  " that the one thread needs; and interchange the loops at model.c:61 (step), so that"),
			   "a stride of the same function is a part of its finding");
		else
			ok(count(got, "\n") == 6 && strstr(got, "\nstrided\n"),
			   which == OTHER_FUNCTION ? "a stride of another function is a finding of its own"
						   : "so is that of another variable of the same function");
		free(got);
		memphis_profile_close(&profile);
	}
}

/* Of what is moved, all variables are one finding; it states of them what is true of each. */
static void moved(void)
{
	static const struct use one[] = {{1, 0, 0, 0, 16, 0, 2, 10, 10, 0, 0},
					 {1, 1, 0, 0, 16, 3, 9, 4, 1, 2, 0}},
				other_thread[] = {{2, 0, 0, 0, 16, 0, 2, 10, 10, 0, 0},
						  {2, 1, 0, 0, 16, 3, 9, 4, 1, 2, 0}},
				back[] = {{1, 1, 1, 0, 16, 0, 2, 10, 10, 0, 0},
					  {1, 0, 1, 0, 16, 3, 9, 4, 1, 2, 0}};
	static const struct use pages[] = {{1, 0, 0, 0, 16, 0, 3, 10, 5, 0, 0},
					   {1, 0, 1, 0, 16, 4, 9, 10, 5, 2, 0}},
				pages_of_others[] = {{2, 1, 1, 0, 16, 0, 3, 10, 5, 0, 0},
						     {2, 1, 0, 0, 16, 4, 9, 10, 5, 2, 0}};
	char *got;

	begin();
	HEATMAP("a", one);
	HEATMAP("b", other_thread);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got,
			  "\n[heap]:a and [heap]:b were left behind: threads began to use them on node 0, "
			  "where their pages are, and now use them from node 1: 448 samples"),
	   "of variables that several threads left, no thread is named");
	free(got);
	memphis_profile_close(&profile);
	begin();
	HEATMAP("a", one);
	HEATMAP("b", back);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got,
			  "\n[heap]:a and [heap]:b were left behind: thread 101 (worker1) began to use them "
			  "on the nodes where their pages are, and now uses them from other nodes: 448"),
	   "of variables that were left on several nodes, no node is named");
	free(got);
	memphis_profile_close(&profile);
	begin();
	HEATMAP("a", pages);
	HEATMAP("b", pages_of_others);
	got = findings_of("remote-dram");
	ok(count(got, "\n") == 3 &&
		   strstr(got, "\n[heap]:a and [heap]:b were moved away from the nodes whose threads go on "
			       "using them: 384 samples"),
	   "of pages that were moved from several nodes, no node is named");
	free(got);
	memphis_profile_close(&profile);
}

/* What calls for different advice, or is of different threads, is not one finding. */
static void differences(void)
{
	static const struct use one[] = READ_ALONE(60);
	static const struct use other_thread[] = {{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0},
						  {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
						  {2, 1, 0, 0, 8, 1, 9, 4, 0, 1, 60}};
	static const struct use apart[] = INITIALISED_ALONE(60);
	static const struct use together[] = {{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
					      {1, 0, 0, 0, 16, 1, 9, 4, 1, 0, 60},
					      {2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 60}};
	char *got;

	begin();
	HEATMAP("tx", one);
	HEATMAP("ty", other_thread);
	got = findings_of("remote-dram");
	ok(count(got, "serial-phase\n") == 2 &&
		   strstr(got, "\n[heap]:tx lies on nodes 0 and 1, and one thread makes most of the remote "
			       "accesses: thread 100 (main) on node 0, 100 %") &&
		   strstr(got, "\n[heap]:ty lies on nodes 0 and 1, and one thread makes most of the remote "
			       "accesses: thread 102 (worker2) on node 1, 100 %"),
	   "a function that two threads run alone has a serial phase of each");
	free(got);
	memphis_profile_close(&profile);
	begin();
	HEATMAP("grid%tx", apart);
	HEATMAP("grid%ty", together);
	got = findings_of("remote-dram");
	ok(count(got, "first-touch\n") == 2 &&
		   strstr(got,
			  "\n[heap]:grid%tx lies on node 0, where thread 100 (main) wrote it first, and is "
			  "used by nodes 0 and 1, each using a different part: 72 ") &&
		   strstr(got,
			  "\n[heap]:grid%ty lies on node 0, where thread 100 (main) wrote it first, and is "
			  "used by nodes 0 and 1, all using the same parts: 144 "),
	   "variables that nodes divide are not one finding with those that all use");
	free(got);
	memphis_profile_close(&profile);
}

int main(void)
{
	loops();
	sums();
	hints();
	objects();
	ranks();
	pointer_arrays();
	strides();
	moved();
	differences();
	return finish();
}
