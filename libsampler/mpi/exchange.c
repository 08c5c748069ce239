/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the logs of all ranks. A receiver gets from each sender the times at which its messages began. For
 * each collective call, one of the ranks is the judge and compares the arrivals. It answers for which rank
 * the others waited, and when that rank arrived.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/clock.h"
#include "mpi/exchange.h"

struct message {
	uint64_t comm;
	int64_t begin;  /* in ns of rank 0's clock, as are all times here */
	int tag, order; /* `order` is set by the receiver */
};

struct arrival {
	uint64_t comm;
	int64_t begin;
	uint32_t number;
	int size, root, waiters;
	int from, order; /* set by the judging rank */
};

struct verdict {
	int64_t begin;
	int rank; /* -1: unknown */
	int pad;
};

/*
 * The items that one MPI_Alltoallv() sends to all ranks or receives from them. `counts` and `places` are the
 * number and position of the items, indexed by rank.
 */
struct hands {
	int *counts, *places;
	void *items;
	size_t total;
};

/* Returns true if all ranks are ready. A collective call must be made by all ranks or by none. */
static bool all_agree(bool good)
{
	int own = good, all = 0;

	PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, memphis_mpi_state.own);
	return all != 0;
}

static bool open_hands(struct hands *hands)
{
	memset(hands, 0, sizeof(*hands));
	hands->counts = calloc((size_t)memphis_mpi_state.size, sizeof(*hands->counts));
	hands->places = calloc((size_t)memphis_mpi_state.size, sizeof(*hands->places));
	return hands->counts && hands->places;
}

static void close_hands(struct hands *hands)
{
	free(hands->counts);
	free(hands->places);
	free(hands->items);
}

/* Computes positions and total from the counts, and allocates the items. */
static bool reserve_hands(struct hands *hands, size_t bytes)
{
	int rank;

	hands->total = 0;
	for (rank = 0; rank < memphis_mpi_state.size; rank++) {
		hands->places[rank] = (int)hands->total;
		hands->total += (size_t)hands->counts[rank];
	}
	hands->items = hands->total <= INT32_MAX ? calloc(hands->total + 1, bytes) : NULL;
	return hands->items != NULL;
}

/* Sends the items. Both sides know the counts. */
static void exchange_items(const struct hands *out, struct hands *in, size_t bytes)
{
	MPI_Datatype type;

	PMPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
	PMPI_Type_commit(&type);
	PMPI_Alltoallv(out->items, out->counts, out->places, type, in->items, in->counts, in->places, type,
		       memphis_mpi_state.own);
	PMPI_Type_free(&type);
}

/* Tells each rank how many items it gets. */
static void exchange_counts(const struct hands *out, struct hands *in)
{
	PMPI_Alltoall(out->counts, 1, MPI_INT, in->counts, 1, MPI_INT, memphis_mpi_state.own);
}

static uint64_t clamp_wait(int64_t late, const struct memphis_mpi_waited *wait)
{
	const int64_t longest = memphis_mpi_clock_ns(wait->end) - memphis_mpi_clock_ns(wait->begin);

	if (late > longest)
		late = longest;
	return late > 0 ? (uint64_t)late : 0;
}

static void set_wait(struct memphis_mpi_judged *to, const struct memphis_mpi_waited *wait, int partner,
		     int64_t begin)
{
	to->region = wait->region;
	to->call = wait->call;
	to->partner = partner;
	to->waited_ns = clamp_wait(begin - memphis_mpi_clock_ns(wait->begin), wait);
}

static int compare_messages(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Sorts by sender, and then in the order of compare_messages(). */
static int compare_received(const void *a, const void *b)
{
	const struct memphis_mpi_received *x = *(struct memphis_mpi_received *const *)a,
					  *y = *(struct memphis_mpi_received *const *)b;
	const struct message p = {.comm = x->comm, .tag = x->tag}, q = {.comm = y->comm, .tag = y->tag};
	int order;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	order = compare_messages(&p, &q);
	return order ? order : (x > y) - (x < y);
}

/*
 * Matches the k-th receive with a certain communicator and tag to the k-th message with the same communicator
 * and tag. Both lists are sorted. Returns the number of waits in `judged`.
 */
static size_t match_messages(struct memphis_mpi_received *const *received, size_t count,
			     const struct message *messages, size_t message_count,
			     struct memphis_mpi_judged *judged)
{
	size_t i = 0, k = 0, known = 0;
	struct message wanted;
	int order;

	while (i < count && k < message_count) {
		wanted = (struct message){.comm = received[i]->comm, .tag = received[i]->tag};
		wanted.order = messages[k].order;
		order = compare_messages(&wanted, &messages[k]);
		if (!order)
			set_wait(&judged[known++], &received[i]->wait, received[i]->from, messages[k].begin);
		i += order <= 0;
		k += order >= 0;
	}
	return known;
}

/* Returns a sorted list of the used entries of the log of receives. Stores their number in *count. */
static struct memphis_mpi_received **sort_receives(size_t *count)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	struct memphis_mpi_received **list = malloc(((size_t)log->received_count + 1) * sizeof(*list));
	uint32_t i;

	*count = 0;
	for (i = 0; list && i < log->received_count; i++)
		if (log->received[i].comm)
			list[(*count)++] = &log->received[i];
	if (list)
		qsort(list, *count, sizeof(*list), compare_received);
	return list;
}

/*
 * Distributes the log of sends to the receivers. Each receiver gets at most as many entries as it has logged
 * receives from this rank (`wanted`).
 */
static bool deal_sends(struct hands *out, const int *wanted)
{
	const struct memphis_mpi_log *log = &memphis_mpi_log;
	const struct memphis_mpi_sent *sent;
	struct message *messages;

	for (sent = log->sent; sent < log->sent + log->sent_count; sent++)
		out->counts[sent->to] += out->counts[sent->to] < wanted[sent->to];
	if (!reserve_hands(out, sizeof(*messages)))
		return false;
	messages = out->items;
	memset(out->counts, 0, (size_t)memphis_mpi_state.size * sizeof(*out->counts));
	for (sent = log->sent; sent < log->sent + log->sent_count; sent++)
		if (out->counts[sent->to] < wanted[sent->to])
			messages[out->places[sent->to] + out->counts[sent->to]++] =
				(struct message){.comm = sent->comm,
						 .tag = sent->tag,
						 .begin = memphis_mpi_clock_ns(sent->begin)};
	return true;
}

static size_t match_all_senders(struct memphis_mpi_received *const *received, size_t count,
				const struct hands *in, struct memphis_mpi_judged *judged)
{
	struct message *messages = in->items;
	size_t first = 0, last, known = 0;
	int rank, i;

	for (rank = 0; rank < memphis_mpi_state.size; rank++) {
		for (last = first; last < count && received[last]->from == rank; last++)
			;
		for (i = 0; i < in->counts[rank]; i++)
			messages[in->places[rank] + i].order = i;
		qsort(messages + in->places[rank], (size_t)in->counts[rank], sizeof(*messages),
		      compare_messages);
		known += match_messages(received + first, last - first, messages + in->places[rank],
					(size_t)in->counts[rank], judged + known);
		first = last;
	}
	return known;
}

/* Compares sends and receives. Returns the number of waits in `judged`. */
static size_t compare_sends(struct memphis_mpi_judged *judged)
{
	struct memphis_mpi_received **received;
	struct hands want = {0}, wanted = {0}, out = {0}, in = {0};
	size_t count, i, known = 0;
	bool good;

	received = sort_receives(&count);
	good = open_hands(&want) && open_hands(&wanted) && open_hands(&out) && open_hands(&in) && received;
	if (!all_agree(good))
		goto close;
	for (i = 0; i < count; i++)
		want.counts[received[i]->from]++;
	exchange_counts(&want, &wanted);
	good = deal_sends(&out, wanted.counts);
	if (!all_agree(good))
		goto close;
	exchange_counts(&out, &in);
	if (!all_agree(reserve_hands(&in, sizeof(struct message))))
		goto close;
	exchange_items(&out, &in, sizeof(struct message));
	known = match_all_senders(received, count, &in, judged);
close:
	close_hands(&want);
	close_hands(&wanted);
	close_hands(&out);
	close_hands(&in);
	free(received);
	return known;
}

static int compare_arrivals(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Judges one call. `arrivals` are the arrivals of all its ranks. If some are missing, the result is unknown. */
static void judge_call(const struct arrival *arrivals, size_t count, struct verdict *verdicts)
{
	const struct arrival *awaited = arrivals;
	size_t i;

	for (i = 0; i < count; i++)
		if (arrivals->waiters == MEMPHIS_MPI_FOR_ROOT ? arrivals[i].from == arrivals->root
							      : arrivals[i].begin > awaited->begin)
			awaited = &arrivals[i];
	if (count != (size_t)arrivals->size || arrivals->waiters == MEMPHIS_MPI_UNCLEAR)
		awaited = NULL;
	for (i = 0; i < count; i++) {
		verdicts[arrivals[i].order].begin = awaited ? awaited->begin : 0;
		verdicts[arrivals[i].order].rank = awaited ? awaited->from : -1;
	}
}

static void judge_calls(struct hands *in, struct verdict *verdicts)
{
	struct arrival *arrivals = in->items;
	size_t first, last;
	int rank, i;

	for (rank = 0; rank < memphis_mpi_state.size; rank++)
		for (i = in->places[rank]; i < in->places[rank] + in->counts[rank]; i++) {
			arrivals[i].from = rank;
			arrivals[i].order = i;
		}
	qsort(arrivals, in->total, sizeof(*arrivals), compare_arrivals);
	for (first = 0; first < in->total; first = last) {
		for (last = first; last < in->total && arrivals[last].comm == arrivals[first].comm &&
				   arrivals[last].number == arrivals[first].number;
		     last++)
			;
		judge_call(arrivals + first, last - first, verdicts);
	}
}

/* Distributes the log of collective calls to the ranks that judge them. order[i] is the position of entry i. */
static bool deal_arrivals(struct hands *out, size_t *order)
{
	const struct memphis_mpi_log *log = &memphis_mpi_log;
	const struct memphis_mpi_entered *entered;
	uint32_t i;

	for (i = 0; i < log->entered_count; i++)
		out->counts[log->entered[i].judge]++;
	if (!order || !reserve_hands(out, sizeof(struct arrival)))
		return false;
	memset(out->counts, 0, (size_t)memphis_mpi_state.size * sizeof(*out->counts));
	for (i = 0; i < log->entered_count; i++) {
		entered = &log->entered[i];
		order[i] = (size_t)(out->places[entered->judge] + out->counts[entered->judge]++);
		((struct arrival *)out->items)[order[i]] =
			(struct arrival){.comm = entered->comm,
					 .begin = memphis_mpi_clock_ns(entered->begin),
					 .number = entered->number,
					 .size = entered->size,
					 .root = entered->root,
					 .waiters = (int)entered->waiters};
	}
	return true;
}

/* Compares the arrivals at collective calls. Returns the number of waits in `judged`. */
static size_t compare_collectives(struct memphis_mpi_judged *judged)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	size_t *order = malloc(((size_t)log->entered_count + 1) * sizeof(*order)), known = 0;
	struct hands out = {0}, in = {0}, back = {0}, verdicts = {0};
	const struct verdict *verdict;
	uint32_t i;
	bool good;

	good = open_hands(&out) && open_hands(&in) && open_hands(&back) && open_hands(&verdicts) &&
	       deal_arrivals(&out, order);
	if (!all_agree(good))
		goto close;
	exchange_counts(&out, &in);
	memcpy(back.counts, in.counts, (size_t)memphis_mpi_state.size * sizeof(*back.counts));
	memcpy(verdicts.counts, out.counts, (size_t)memphis_mpi_state.size * sizeof(*verdicts.counts));
	good = reserve_hands(&in, sizeof(struct arrival)) && reserve_hands(&back, sizeof(*verdict)) &&
	       reserve_hands(&verdicts, sizeof(*verdict));
	if (!all_agree(good))
		goto close;
	exchange_items(&out, &in, sizeof(struct arrival));
	judge_calls(&in, back.items);
	exchange_items(&back, &verdicts, sizeof(*verdict));
	for (i = 0; i < log->entered_count; i++) {
		verdict = &((const struct verdict *)verdicts.items)[order[i]];
		if (verdict->rank >= 0 && log->entered[i].wait.end)
			set_wait(&judged[known++], &log->entered[i].wait, verdict->rank, verdict->begin);
	}
close:
	close_hands(&out);
	close_hands(&in);
	close_hands(&back);
	close_hands(&verdicts);
	free(order);
	return known;
}

struct memphis_mpi_judged *memphis_mpi_exchange(size_t *count)
{
	const struct memphis_mpi_log *log = &memphis_mpi_log;
	struct memphis_mpi_judged *judged =
		malloc(((size_t)log->received_count + log->entered_count + 1) * sizeof(*judged));

	*count = 0;
	if (all_agree(judged != NULL)) {
		*count = compare_sends(judged);
		*count += compare_collectives(judged + *count);
	}
	return judged;
}
