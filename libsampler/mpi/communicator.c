/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators of the program. All members give a communicator the same identity without a message. The
 * identity is computed from a hash of the members and the number of communicators with these members that
 * were created before. This number is the same in all members, because creating a communicator is a
 * collective call of all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/communicator.h"

#define COMMS 4096 /* a power of two */
#define SETS  4096 /* sets of members; a power of two */

static struct memphis_mpi_comm comms[COMMS];
static struct {
	uint64_t members; /* hash of the members; 0: free entry */
	uint64_t made;    /* number of communicators with these members */
} sets[SETS];
static unsigned int comm_count, set_count;

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static unsigned int hash_slot(uint64_t key, unsigned int places)
{
	return (unsigned int)(mix_hash(0, key) >> 20) & (places - 1);
}

struct memphis_mpi_comm *memphis_mpi_comm_find(MPI_Comm comm)
{
	static __thread struct memphis_mpi_comm *last __attribute__((tls_model("initial-exec")));
	const uintptr_t handle = HANDLE(comm);
	unsigned int at, tried;

	if (likely(last && last->handle == handle))
		return last;
	at = hash_slot(handle, COMMS);
	for (tried = 0; tried < COMMS; tried++, at = (at + 1) & (COMMS - 1)) {
		if (comms[at].handle == handle) {
			last = &comms[at];
			return last;
		}
		if (!comms[at].size) /* never used */
			return NULL;
	}
	return NULL;
}

/* Fills in the members of a group as ranks of MPI_COMM_WORLD. Returns false if a member is not in MPI_COMM_WORLD. */
static bool translate_ranks(MPI_Group group, int size, int *world)
{
	int *own = malloc(((size_t)size + 1) * sizeof(*own)), i;
	MPI_Group all;
	bool good;

	if (!own)
		return false;
	for (i = 0; i < size; i++)
		own[i] = i;
	PMPI_Comm_group(memphis_mpi_state.own, &all);
	good = PMPI_Group_translate_ranks(group, size, own, all, world) == MPI_SUCCESS;
	PMPI_Group_free(&all);
	free(own);
	for (i = 0; good && i < size; i++)
		good = world[i] != MPI_UNDEFINED;
	return good;
}

/*
 * Returns the members of a group, and stores their hash in *hash. Returns NULL if a member is not in
 * MPI_COMM_WORLD or memory is exhausted.
 */
static int *list_members(MPI_Group group, int *size, uint64_t *hash)
{
	int *world, i;

	PMPI_Group_size(group, size);
	world = malloc(((size_t)*size + 1) * sizeof(*world));
	if (!world || !translate_ranks(group, *size, world)) {
		free(world);
		return NULL;
	}
	*hash = 0;
	for (i = 0; i < *size; i++)
		*hash = mix_hash(*hash, (uint64_t)world[i] + 1);
	return world;
}

/* Returns the identity of the next communicator with these members, or 0. */
static uint64_t next_identity(uint64_t hash)
{
	unsigned int at = hash_slot(hash, SETS);

	while (sets[at].members && sets[at].members != hash)
		at = (at + 1) & (SETS - 1);
	if (!sets[at].members) {
		if (set_count >= SETS / 2)
			return 0;
		set_count++;
		sets[at].members = hash;
	}
	return mix_hash(hash, ++sets[at].made) | 1;
}

/* Fills in the entry of a communicator except its identity. Returns the hash of the members, or 0. */
static uint64_t describe_comm(MPI_Comm comm, struct memphis_mpi_comm *entry)
{
	uint64_t hash = 0, remote = 0;
	int inter = 0, i, size;
	MPI_Group group;

	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_group(comm, &group);
	entry->world = list_members(group, &entry->size, &hash);
	PMPI_Group_free(&group);
	entry->inter = inter != 0;
	if (inter && entry->world) {
		free(entry->world);
		PMPI_Comm_remote_group(comm, &group);
		entry->world = list_members(group, &size, &remote);
		entry->size = size;
		PMPI_Group_free(&group);
		hash = mix_hash(hash < remote ? hash : remote, hash < remote ? remote : hash);
	}
	if (!entry->world)
		return 0;
	for (i = 0; i < entry->size && entry->world[i] == i; i++)
		;
	if (i == entry->size) {
		free(entry->world);
		entry->world = NULL;
	}
	return hash;
}

void memphis_mpi_comm_add_as(MPI_Comm comm, MPI_Comm like)
{
	struct memphis_mpi_comm entry = {.handle = HANDLE(comm)};
	unsigned int at, tried;
	uint64_t hash;

	if (comm == MPI_COMM_NULL)
		return;
	hash = describe_comm(like, &entry);
	/*
	 * An earlier communicator with the same handle may still be registered, if it was released where the
	 * layer did not see it, for example in a callback.
	 */
	memphis_mpi_comm_remove(comm);
	lock();
	entry.id = hash ? next_identity(hash) : 0;
	at = hash_slot(entry.handle, COMMS);
	for (tried = 0; tried < COMMS && comms[at].handle; tried++)
		at = (at + 1) & (COMMS - 1);
	if (!comms[at].handle && comm_count < COMMS / 2) {
		comms[at] = entry;
		comm_count++;
		entry.world = NULL;
	}
	unlock();
	free(entry.world);
}

void memphis_mpi_comm_add(MPI_Comm comm)
{
	memphis_mpi_comm_add_as(comm, comm);
}

void memphis_mpi_comm_remove(MPI_Comm comm)
{
	struct memphis_mpi_comm *entry = memphis_mpi_comm_find(comm);
	int *world;

	if (!entry)
		return;
	lock();
	world = entry->world;
	entry->world = NULL;
	entry->handle = 0;
	comm_count--;
	unlock();
	free(world);
}

int memphis_mpi_comm_world(const struct memphis_mpi_comm *comm, int rank)
{
	if (!comm || !comm->id || rank < 0 || rank >= comm->size)
		return MEMPHIS_MPI_OTHERS;
	return comm->world ? comm->world[rank] : rank;
}
