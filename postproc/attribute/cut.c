// SPDX-License-Identifier: BSD-3-Clause
/* Ends live blocks in a range of addresses: by an unmapping, a naming, or an allocation in their place. */
#include "attribute/cut.h"

int memphis_insert_piece(struct memphis_live_blocks *live, struct memphis_live_block piece, uint64_t start,
			 uint64_t end, uint64_t from_ns)
{
	if (end <= start)
		return 0;
	piece.start = start;
	piece.end = end;
	piece.from_ns = from_ns;
	return memphis_live_blocks_insert(live, &piece);
}

int memphis_cut_blocks(struct memphis_live_blocks *live, struct memphis_ended *ended,
		       enum memphis_block_table table, const struct memphis_cut *cut, size_t *touched)
{
	const uint64_t high = cut->high, time_ns = cut->time_ns;
	struct memphis_live_block *at, piece;
	uint64_t low = cut->low;
	int rc = 0;

	while (!rc && low < high && (at = memphis_live_blocks_at(live, low)) && at->start < high) {
		piece = *at;
		++*touched;
		rc = memphis_ended_add(ended, &piece, table, time_ns);
		memphis_live_blocks_remove(live, piece.start);
		if (!rc && cut->keep_rest)
			rc = memphis_insert_piece(live, piece, piece.start, low, time_ns);
		if (!rc && cut->keep_rest)
			rc = memphis_insert_piece(live, piece, high, piece.end, time_ns);
		if (!rc && cut->name) {
			uint32_t old = piece.name;

			piece.name = *cut->name;
			rc = memphis_insert_piece(live, piece, piece.start > low ? piece.start : low,
						  piece.end < high ? piece.end : high, time_ns);
			piece.name = old;
		}
		low = piece.end;
	}
	return rc;
}
