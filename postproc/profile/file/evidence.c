// SPDX-License-Identifier: BSD-3-Clause
/* Saves and loads evidence. */
#include "profile/file/evidence.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS      2
#define SAMPLES_MAX ((uint64_t)1 << 53) /* larger integers are not exact in a double */
/* limit of the log-odds, so that the sum of many does not overflow */
#define ODDS_MAX ((int64_t)1 << 43)
/* shares are quotients of rounded sums, so they may slightly exceed 1 */
#define SHARE_MAX 1.001

/* A message, together with the arrays that it points to. */
struct room {
	Mprof__Finding message;
	uint32_t nodes[MEMPHIS_FINDING_NODES], regions[MEMPHIS_FINDING_REGIONS], fields[FIELDS];
	uint32_t homes[MEMPHIS_FINDING_RANGES], users[MEMPHIS_FINDING_RANGES];
	uint64_t lows[MEMPHIS_FINDING_RANGES], highs[MEMPHIS_FINDING_RANGES], remotes[MEMPHIS_FINDING_RANGES];
	double shares[MEMPHIS_FINDING_REGIONS];
};

struct mprof_evidence {
	struct room *rooms;
	Mprof__Finding **pointers;
};

static ProtobufCBinaryData binary_data(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

static size_t shown_range_count(const struct memphis_finding *finding)
{
	return finding->range_count < MEMPHIS_FINDING_RANGES ? finding->range_count : MEMPHIS_FINDING_RANGES;
}

static void put_lists(struct room *room, const struct memphis_finding *finding)
{
	Mprof__Finding *message = &room->message;
	size_t i;

	message->nodes = room->nodes;
	for (i = 0; i < finding->node_count; i++)
		room->nodes[message->n_nodes++] = finding->nodes[i];
	message->region = room->regions;
	message->region_share = room->shares;
	message->n_region = message->n_region_share = finding->region_count;
	for (i = 0; i < finding->region_count; i++) {
		room->regions[i] = finding->regions[i].region;
		room->shares[i] = finding->regions[i].share;
	}
	message->field = room->fields;
	for (i = 0; i < FIELDS && finding->fields[i]; i++)
		room->fields[message->n_field++] = finding->fields[i];
	message->range_low = room->lows;
	message->range_high = room->highs;
	message->range_home = room->homes;
	message->range_node = room->users;
	message->range_remote = room->remotes;
	message->n_range_low = message->n_range_high = message->n_range_home = message->n_range_node =
		message->n_range_remote = shown_range_count(finding);
	for (i = 0; i < message->n_range_low; i++) {
		room->lows[i] = finding->ranges[i].low;
		room->highs[i] = finding->ranges[i].high;
		room->homes[i] = finding->ranges[i].home;
		room->users[i] = finding->ranges[i].node;
		room->remotes[i] = finding->ranges[i].remote;
	}
}

static void put_finding(struct room *room, const struct memphis_finding *finding)
{
	Mprof__Finding *message = &room->message;

	mprof__finding__init(message);
	message->pattern = binary_data(memphis_patterns[finding->pattern].name);
	message->variable = finding->variable;
	message->samples = finding->samples;
	message->one_in = finding->one_in;
	message->doubt_ppm = finding->doubt_ppm;
	message->home = finding->home;
	message->node = finding->node;
	message->apart = finding->apart;
	message->apart_odds = finding->apart_odds;
	message->read_odds = finding->read_odds;
	message->weighed = true;
	/* MEMPHIS_NONE is UINT32_MAX; adding 1 gives 0. */
	message->thread = finding->thread + 1;
	message->touched_by = finding->touched_by + 1;
	message->initialised_at = finding->initialised_at + 1;
	message->thread_share = finding->thread_share;
	message->store_share = finding->store_share;
	message->home_share = finding->home_share;
	message->even_share = finding->even_share;
	message->initialised = binary_data(memphis_initialised_names[finding->initialised]);
	if (finding->processes > 1) {
		message->processes = finding->processes;
		message->others = finding->others;
		message->others_one_in = finding->others_one_in;
		message->others_doubt_ppm = finding->others_doubt_ppm;
	}
	message->usual = finding->usual + 1;
	message->moves = finding->moves;
	message->reused = finding->reused;
	message->small_blocks = finding->small_blocks;
	message->reused_of = finding->reused_of + 1;
	message->lines = finding->lines;
	message->line_threads = finding->line_threads;
	message->element_bytes = finding->element_bytes;
	message->low = finding->low;
	message->range_count = finding->range_count;
	message->instruction = finding->instruction + 1;
	message->read_bytes = finding->read_bytes.value;
	message->read_bytes_low = finding->read_bytes.low;
	message->read_bytes_high = finding->read_bytes.high;
	put_lists(room, finding);
}

struct mprof_evidence *mprof_put_evidence(Mprof__Process *message, const struct memphis_finding *findings,
					  size_t count)
{
	struct mprof_evidence *evidence = calloc(1, sizeof(*evidence));
	size_t i;

	if (!evidence)
		return NULL;
	evidence->rooms = calloc(count + 1, sizeof(*evidence->rooms));
	evidence->pointers = calloc(count + 1, sizeof(Mprof__Finding *));
	if (!evidence->rooms || !evidence->pointers) {
		mprof_evidence_close(evidence);
		return NULL;
	}
	for (i = 0; i < count; i++) {
		put_finding(&evidence->rooms[i], &findings[i]);
		evidence->pointers[i] = &evidence->rooms[i].message;
	}
	message->finding = evidence->pointers;
	message->n_finding = count;
	return evidence;
}

void mprof_evidence_close(struct mprof_evidence *evidence)
{
	if (evidence) {
		free(evidence->rooms);
		free(evidence->pointers);
	}
	free(evidence);
}

static bool is_same_name(const char *name, ProtobufCBinaryData text)
{
	return strlen(name) == text.len && !memcmp(name, text.data, text.len);
}

static const char *load_lists(const struct mprof_reader *reader, const Mprof__Finding *from,
			      struct memphis_finding *finding)
{
	size_t i;

	if (from->n_nodes > MEMPHIS_FINDING_NODES)
		return "nodes";
	for (i = 0; i < from->n_nodes; i++)
		finding->nodes[finding->node_count++] = (uint16_t)from->nodes[i];
	if (from->n_region > MEMPHIS_FINDING_REGIONS || from->n_region != from->n_region_share)
		return "region";
	for (i = 0; i < from->n_region; i++) {
		if (from->region[i] >= reader->regions.count || from->region[i] <= MEMPHIS_REGION_UNKNOWN)
			return "region";
		if (!(from->region_share[i] >= 0 && from->region_share[i] <= SHARE_MAX))
			return "region_share";
		finding->regions[finding->region_count++] = (struct memphis_finding_region){
			reader->regions.list[from->region[i]], from->region_share[i]};
	}
	if (from->n_field > FIELDS)
		return "field";
	for (i = 0; i < from->n_field; i++) {
		if (!from->field[i] || from->field[i] >= reader->strings.count)
			return "field";
		finding->fields[i] = reader->strings.list[from->field[i]];
	}
	finding->range_count = from->range_count;
	if (from->n_range_low != shown_range_count(finding) || from->n_range_high != from->n_range_low ||
	    from->n_range_home != from->n_range_low || from->n_range_node != from->n_range_low ||
	    from->n_range_remote != from->n_range_low)
		return "range_count";
	for (i = 0; i < from->n_range_low; i++) {
		if (from->range_remote[i] > from->samples)
			return "range_remote";
		finding->ranges[i] = (struct memphis_finding_range){.low = from->range_low[i],
								    .high = from->range_high[i],
								    .home = (uint16_t)from->range_home[i],
								    .node = (uint16_t)from->range_node[i],
								    .remote = from->range_remote[i]};
	}
	return NULL;
}

static const char *load_numbers(const struct mprof_reader *reader, const Mprof__Finding *from,
				struct memphis_finding *finding)
{
	const double shares[] = {from->thread_share, from->store_share, from->home_share, from->even_share};
	size_t i;

	for (i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		if (!(shares[i] >= -1 && shares[i] <= SHARE_MAX))
			return "thread_share";
	if (from->doubt_ppm / 1000000 > from->samples || from->others_doubt_ppm / 1000000 > from->others)
		return "doubt_ppm";
	if (from->variable >= reader->variables.count)
		return "variable";
	if (from->reused_of > reader->variables.count)
		return "reused_of";
	if (from->initialised_at > reader->instructions.count)
		return "initialised_at";
	if (from->usual > reader->instructions.count)
		return "usual";
	if (from->instruction > reader->instructions.count)
		return "instruction";
	if (!(from->read_bytes_low >= 0 && from->read_bytes_low <= from->read_bytes &&
	      from->read_bytes <= from->read_bytes_high && from->read_bytes_high <= MEMPHIS_CACHE_LINE))
		return "read_bytes";
	if (from->apart_odds > ODDS_MAX || from->apart_odds < -ODDS_MAX || from->read_odds > ODDS_MAX ||
	    from->read_odds < -ODDS_MAX)
		return "apart_odds";
	if (!from->one_in || from->samples > SAMPLES_MAX / from->one_in)
		return "one_in";
	if (from->processes > UINT32_MAX || (from->processes > 1) != (from->others_one_in > 0) ||
	    from->others > SAMPLES_MAX || from->others_one_in > SAMPLES_MAX)
		return "processes";
	finding->processes = from->processes ? (uint32_t)from->processes : 1;
	finding->others = from->others;
	finding->others_one_in = from->others_one_in;
	finding->variable = reader->variables.list[from->variable];
	finding->samples = from->samples;
	finding->doubt_ppm = from->doubt_ppm;
	finding->others_doubt_ppm = from->others_doubt_ppm;
	finding->one_in = from->one_in;
	finding->home = (uint16_t)from->home;
	finding->node = (uint16_t)from->node;
	finding->apart = from->apart;
	finding->apart_odds = from->apart_odds;
	finding->read_odds = from->read_odds;
	finding->thread = from->thread - 1;
	finding->touched_by = from->touched_by - 1;
	finding->instruction = finding->initialised_at = finding->usual = MEMPHIS_NONE;
	if (from->usual)
		finding->usual = reader->instructions.list[from->usual - 1];
	if (from->instruction)
		finding->instruction = reader->instructions.list[from->instruction - 1];
	finding->read_bytes =
		(struct memphis_estimate){from->read_bytes, from->read_bytes_low, from->read_bytes_high};
	if (from->initialised_at)
		finding->initialised_at = reader->instructions.list[from->initialised_at - 1];
	finding->thread_share = from->thread_share;
	finding->store_share = from->store_share;
	finding->home_share = from->home_share;
	finding->even_share = from->even_share;
	finding->moves = from->moves;
	finding->reused = from->reused;
	finding->small_blocks = from->small_blocks;
	finding->reused_of = from->reused_of ? reader->variables.list[from->reused_of - 1] : MEMPHIS_NONE;
	finding->lines = from->lines;
	finding->line_threads = from->line_threads;
	finding->element_bytes = from->element_bytes;
	finding->low = from->low;
	return NULL;
}

/*
 * Sets the odds of a pattern from an older version of Memphis. Such profiles have no odds, because they contain only
 * certain patterns.
 */
static void set_full_certainty(struct memphis_finding *finding)
{
	finding->apart_odds = finding->apart ? MEMPHIS_FINDING_ODDS : -MEMPHIS_FINDING_ODDS;
	finding->read_odds = finding->pattern == MEMPHIS_PATTERN_READ_SHARED ? MEMPHIS_FINDING_ODDS
									     : -MEMPHIS_FINDING_ODDS;
}

static const char *load_names(const Mprof__Finding *from, struct memphis_finding *finding)
{
	unsigned int number = 0;

	while (number < MEMPHIS_PATTERNS && !is_same_name(memphis_patterns[number].name, from->pattern))
		number++;
	if (number == MEMPHIS_PATTERNS)
		return "pattern";
	finding->pattern = (enum memphis_pattern)number;
	if (!from->weighed)
		set_full_certainty(finding);
	if (memphis_patterns[number].of_thread && !from->thread)
		return "thread";
	if (memphis_patterns[number].of_line && !from->instruction)
		return "instruction";
	for (number = 0; number <= MEMPHIS_INITIALISED_AT; number++)
		if (is_same_name(memphis_initialised_names[number], from->initialised))
			break;
	if (number > MEMPHIS_INITIALISED_AT ||
	    (number >= MEMPHIS_INITIALISED_PERHAPS && !from->initialised_at))
		return "initialised";
	finding->initialised = (enum memphis_initialised)number;
	return NULL;
}

int mprof_load_evidence(struct mprof_reader *reader, const Mprof__Process *from)
{
	struct memphis_profile *profile = reader->profile;
	struct memphis_finding *finding;
	const char *wrong = NULL;
	size_t i;

	for (i = 0; !wrong && i < from->n_finding; i++) {
		finding = memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);
		if (!finding)
			return mprof_no_memory(reader);
		finding->process = (uint32_t)profile->processes.count - 1;
		wrong = load_numbers(reader, from->finding[i], finding);
		if (!wrong)
			wrong = load_names(from->finding[i], finding);
		if (!wrong)
			wrong = load_lists(reader, from->finding[i], finding);
	}
	return wrong ? mprof_nonsense(reader, "finding", wrong) : 0;
}

int mprof_check_evidence(const struct mprof_reader *reader)
{
	const struct memphis_profile *profile = reader->profile;
	const struct memphis_finding *finding;
	size_t threads, i;

	for (i = 0; i < profile->evidence_count; i++) {
		finding = &profile->evidence[i];
		threads = profile->processes.list[finding->process].thread_count;
		if ((finding->thread != MEMPHIS_NONE && finding->thread >= threads) ||
		    (finding->touched_by != MEMPHIS_NONE && finding->touched_by >= threads))
			return mprof_nonsense(reader, "finding", "thread");
	}
	return 0;
}
