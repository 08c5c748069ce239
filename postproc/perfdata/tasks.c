// SPDX-License-Identifier: BSD-3-Clause
/* Tracks the processes and threads of a recording. */
#include "perfdata/tasks.h"

#include <stdlib.h>
#include <string.h>

/*
 * Returns a pointer to the index of the process or thread that has this key at present, or NULL if memory is
 * exhausted. For a new key, the index is SIZE_MAX. Numbers of strings are consecutive, and number 0 is the
 * empty string.
 */
static size_t *place_of(struct memphis_strings *keys, size_t **list, size_t *room, const void *key,
			size_t bytes)
{
	const size_t before = keys->count;
	uint32_t number;

	number = memphis_strings_add(keys, key, bytes);
	if (number == MEMPHIS_NO_STRING || memphis_grow(list, room, keys->count, sizeof(**list)))
		return NULL;
	if (keys->count > before)
		(*list)[number] = SIZE_MAX;
	return &(*list)[number];
}

static size_t *image_place(struct memphis_perfdata_tasks *tasks, uint32_t pid)
{
	return place_of(&tasks->pids, &tasks->current_images, &tasks->pid_room, &pid, sizeof(pid));
}

/* Frees the maps of a process that has ended without samples. No file will be made for it. */
static void forget_maps(struct memphis_perfdata_image *image)
{
	if (!image->interrupts)
		memphis_perfdata_space_close(&image->space);
}

static struct memphis_perfdata_image *add_image(struct memphis_perfdata_tasks *tasks, uint32_t pid,
						size_t *place)
{
	struct memphis_perfdata_image *image =
		memphis_append(tasks->images, tasks->image_count, tasks->image_room);

	if (!image)
		return NULL;
	memset(tasks->recent, 0, sizeof(tasks->recent));
	image->pid = pid;
	image->before = *place == SIZE_MAX ? 0 : *place + 1;
	if (image->before)
		forget_maps(&tasks->images[image->before - 1]);
	*place = tasks->image_count - 1;
	return image;
}

struct memphis_perfdata_image *memphis_perfdata_image_of(struct memphis_perfdata_tasks *tasks, uint32_t pid)
{
	size_t *place = image_place(tasks, pid);

	if (!place)
		return NULL;
	return *place == SIZE_MAX ? add_image(tasks, pid, place) : &tasks->images[*place];
}

struct memphis_perfdata_image *memphis_perfdata_image_fork(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t parent)
{
	struct memphis_perfdata_image *from = memphis_perfdata_image_of(tasks, parent), *image;
	const size_t index = from ? (size_t)(from - tasks->images) : 0;
	size_t *place = from ? image_place(tasks, pid) : NULL;

	image = place ? add_image(tasks, pid, place) : NULL;
	if (!image)
		return NULL;
	from = &tasks->images[index];
	memcpy(image->name, from->name, sizeof(image->name));
	return memphis_perfdata_space_share(&image->space, &from->space) ? NULL : image;
}

struct memphis_perfdata_image *memphis_perfdata_image_exec(struct memphis_perfdata_tasks *tasks, uint32_t pid)
{
	size_t *place = image_place(tasks, pid);

	return place ? add_image(tasks, pid, place) : NULL;
}

static size_t *thread_place(struct memphis_perfdata_tasks *tasks, size_t image, uint32_t tid)
{
	struct {
		uint64_t image;
		uint64_t tid;
	} key = {image, tid};

	return place_of(&tasks->tids, &tasks->current_threads, &tasks->tid_room, &key, sizeof(key));
}

static struct memphis_perfdata_thread *add_thread(struct memphis_perfdata_tasks *tasks, size_t image,
						  uint32_t tid, size_t *place)
{
	struct memphis_perfdata_thread *thread =
		memphis_append(tasks->threads, tasks->thread_count, tasks->thread_room);
	struct memphis_perfdata_image *of;

	if (!thread)
		return NULL;
	memset(tasks->recent, 0, sizeof(tasks->recent));
	thread->tid = tid;
	thread->image = image;
	of = &tasks->images[image];
	*(of->last ? &tasks->threads[of->last - 1].next : &of->first) = tasks->thread_count;
	of->last = tasks->thread_count;
	of->running++;
	memcpy(thread->name, of->name, sizeof(thread->name));
	*place = tasks->thread_count - 1;
	return thread;
}

static struct memphis_perfdata_thread *find_thread(struct memphis_perfdata_tasks *tasks, uint32_t pid,
						   uint32_t tid)
{
	struct memphis_perfdata_image *image = memphis_perfdata_image_of(tasks, pid);
	const size_t index = image ? (size_t)(image - tasks->images) : 0;
	size_t *place = image ? thread_place(tasks, index, tid) : NULL;

	if (!place)
		return NULL;
	return *place == SIZE_MAX ? add_thread(tasks, index, tid, place) : &tasks->threads[*place];
}

struct memphis_perfdata_thread *memphis_perfdata_thread_of(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t tid)
{
	struct memphis_perfdata_recent *recent = &tasks->recent[tid % MEMPHIS_PERFDATA_RECENT];
	struct memphis_perfdata_thread *thread;

	if (recent->thread && recent->pid == pid && recent->tid == tid)
		return &tasks->threads[recent->thread - 1];
	thread = find_thread(tasks, pid, tid);
	if (thread)
		*recent = (struct memphis_perfdata_recent){pid, tid, (size_t)(thread - tasks->threads) + 1};
	return thread;
}

struct memphis_perfdata_thread *memphis_perfdata_thread_add(struct memphis_perfdata_tasks *tasks,
							    uint32_t pid, uint32_t tid)
{
	struct memphis_perfdata_thread *known = memphis_perfdata_thread_of(tasks, pid, tid);

	if (!known || !known->ended)
		return known;
	return add_thread(tasks, known->image, tid, thread_place(tasks, known->image, tid));
}

void memphis_perfdata_thread_end(struct memphis_perfdata_tasks *tasks, struct memphis_perfdata_thread *thread)
{
	struct memphis_perfdata_image *image = &tasks->images[thread->image];

	image->running -= !thread->ended;
	thread->ended = true;
	/* perf may not have recorded that other threads began. */
	image->main_ended |= thread->tid == image->pid;
	if (image->main_ended && !image->running)
		forget_maps(image);
}

void memphis_perfdata_tasks_close(struct memphis_perfdata_tasks *tasks)
{
	size_t i;

	for (i = 0; i < tasks->image_count; i++) {
		memphis_perfdata_space_close(&tasks->images[i].space);
		memphis_spooled_close(&tasks->images[i].chunks);
	}
	for (i = 0; i < tasks->thread_count; i++) {
		memphis_spooled_close(&tasks->threads[i].chunks);
		free(tasks->threads[i].samples.bytes);
		memphis_perfdata_chains_close(&tasks->threads[i].chains);
	}
	free(tasks->images);
	free(tasks->threads);
	memphis_strings_close(&tasks->pids);
	memphis_strings_close(&tasks->tids);
	free(tasks->current_images);
	free(tasks->current_threads);
	memset(tasks, 0, sizeof(*tasks));
}
