// SPDX-License-Identifier: BSD-3-Clause
/*
 * Chooses examples of samples that belong to no variable, for each reason. The choice does not depend on the order in
 * which samples arrive.
 */
#include "profile/profile.h"

#include <string.h>

static int compare_examples(const struct memphis_example *a, const struct memphis_example *b)
{
	const uint64_t ours[] = {a->since_ns, a->pid, a->tid, a->address},
		       theirs[] = {b->since_ns, b->pid, b->tid, b->address};
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (ours[i] != theirs[i])
			return ours[i] < theirs[i] ? -1 : 1;
	return 0;
}

void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example)
{
	struct memphis_example *list = examples->list[reason];
	unsigned int count = examples->count[reason], at;

	if (count == MEMPHIS_EXAMPLES && compare_examples(example, &list[count - 1]) >= 0)
		return;
	/*
	 * If the list has an example with the same instruction, replace it. Otherwise append the new example, or
	 * replace the last one if the list is full. Then restore the sort order.
	 */
	for (at = 0; at < count; at++)
		if (list[at].code == example->code && list[at].pc == example->pc)
			break;
	if (at < count) {
		if (compare_examples(example, &list[at]) >= 0)
			return;
	} else if (count < MEMPHIS_EXAMPLES) {
		examples->count[reason]++;
	} else {
		at--;
	}
	for (; at && compare_examples(example, &list[at - 1]) < 0; at--)
		list[at] = list[at - 1];
	list[at] = *example;
}

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from)
{
	unsigned int reason, i;

	for (reason = 0; reason < MEMPHIS_UNATTRIBUTED_REASONS; reason++)
		for (i = 0; i < from->count[reason]; i++)
			memphis_examples_add(examples, reason, &from->list[reason][i]);
}
