// SPDX-License-Identifier: BSD-3-Clause
/* Applies the events of pools to the live parts. */
#include "attribute/replay_parts.h"

#include "attribute/cut.h"

static enum memphis_block_table table_of(int level)
{
	return (enum memphis_block_table)(MEMPHIS_BLOCKS_PART + level);
}

static struct memphis_live_blocks *live_of(struct memphis_replay *replay, int level)
{
	return &replay->live[table_of(level)];
}

/* Ends what overlaps the range, in the level and deeper ones. Adds the number of ended parts of this level to *touched. */
static int cut_levels(struct memphis_replay *replay, int level, const struct memphis_cut *cut,
		      size_t *touched)
{
	size_t deeper = 0;
	int rc = memphis_cut_blocks(live_of(replay, level), &replay->ended, table_of(level), cut, touched);

	for (level++; !rc && level < MEMPHIS_PART_LEVELS; level++)
		rc = memphis_cut_blocks(live_of(replay, level), &replay->ended, table_of(level), cut,
					&deeper);
	return rc;
}

int memphis_parts_begin(struct memphis_replay *replay, const struct memphis_live_block *part)
{
	const struct memphis_cut cut = {.low = part->start, .high = part->end, .time_ns = part->from_ns};
	const struct memphis_live_block *at;
	size_t touched = 0;
	int level, rc;

	for (level = 0; level + 1 < MEMPHIS_PART_LEVELS; level++) {
		at = memphis_live_blocks_at(live_of(replay, level), part->start);
		if (!at || at->start > part->start || at->end < part->end || at->pool == part->pool)
			break;
	}
	rc = cut_levels(replay, level, &cut, &touched);
	replay->blocks->overlapped += touched;
	return rc ? rc : memphis_live_blocks_insert(live_of(replay, level), part);
}

/* Ends the piece of a part, and the parts inside it. */
static int end_piece(struct memphis_replay *replay, int level, const struct memphis_live_block *piece,
		     uint64_t time_ns)
{
	const struct memphis_cut cut = {.low = piece->start, .high = piece->end, .time_ns = time_ns};
	size_t touched = 0;

	return cut_levels(replay, level, &cut, &touched);
}

int memphis_parts_free(struct memphis_replay *replay, uint32_t pool, uint64_t address, uint64_t time_ns)
{
	struct memphis_live_block *at, piece;
	uint64_t next = address;
	int level, rc = 0;

	for (level = 0; !rc && level < MEMPHIS_PART_LEVELS && next == address; level++)
		/* A naming may have divided the part into pieces. */
		while (!rc && (at = memphis_live_blocks_at(live_of(replay, level), next)) &&
		       at->start == next && at->parent == address && at->pool == pool) {
			piece = *at;
			next = piece.end;
			rc = end_piece(replay, level, &piece, time_ns);
		}
	return rc;
}

int memphis_parts_reset(struct memphis_replay *replay, uint32_t pool, uint64_t low, uint64_t high,
			uint64_t time_ns)
{
	struct memphis_live_block *at, piece;
	uint64_t next;
	int level, rc = 0;

	for (level = 0; level < MEMPHIS_PART_LEVELS; level++)
		for (next = low; !rc && (at = memphis_live_blocks_at(live_of(replay, level), next)) &&
				 at->start < high;) {
			piece = *at;
			next = piece.end;
			if (piece.pool == pool)
				rc = end_piece(replay, level, &piece, time_ns);
		}
	return rc;
}

int memphis_parts_clear(struct memphis_replay *replay, uint64_t low, uint64_t high, uint64_t time_ns,
			bool keep_rest)
{
	const struct memphis_cut cut = {low, high, time_ns, keep_rest, NULL};
	size_t touched = 0;

	/* Deeper levels are empty, too. */
	return live_of(replay, 0)->root ? cut_levels(replay, 0, &cut, &touched) : 0;
}

int memphis_parts_name(struct memphis_replay *replay, const struct memphis_naming *naming, bool *named)
{
	const uint64_t low = naming->address, high = low + naming->bytes;
	const struct memphis_cut cut = {low, high, naming->time_ns, true, &naming->name};
	const struct memphis_live_block *at;
	size_t touched = 0;
	int level;

	*named = false;
	for (level = MEMPHIS_PART_LEVELS; level-- > 0;) {
		at = memphis_live_blocks_at(live_of(replay, level), low);
		if (!at || at->start > low || at->end < high)
			continue;
		*named = true;
		return memphis_cut_blocks(live_of(replay, level), &replay->ended, table_of(level), &cut,
					  &touched);
	}
	return 0;
}

void memphis_parts_at(struct memphis_replay *replay, uint64_t address,
		      struct memphis_live_block *list[MEMPHIS_PART_LEVELS])
{
	int level;

	for (level = 0; level < MEMPHIS_PART_LEVELS; level++) {
		list[level] = memphis_live_blocks_at(live_of(replay, level), address);
		if (list[level] && list[level]->start != address)
			list[level] = NULL;
	}
}
