// SPDX-License-Identifier: BSD-3-Clause
/* Unwinds copies of stacks with libdwfl. */
#include "perfdata/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asm/perf_regs.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "base/order.h"

#define DWARF_REGISTERS 17

/* Numbers of perf's registers, in the order of DWARF's (System V ABI for AMD64, figure 3.36). */
static const uint8_t perf_registers[DWARF_REGISTERS] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};

#define DWARF_SP 7
#define DWARF_IP 16

/* The sample that is being unwound. */
struct unwinding {
	Dwarf_Word registers[DWARF_REGISTERS];
	const struct memphis_perfdata_sample *sample;
	struct memphis_perfdata_unwinders *unwinders;
	struct memphis_perfdata_unwinder *own; /* that of the sample's process */
	const struct memphis_perfdata_space *space;
	const struct memphis_strings *strings;
	const struct memphis_perfdata_origin *origin;
	uint64_t *returns;
	int count, room;
	bool begun;
};

/* libdwfl's functions below are called while this sample is unwound. */
static struct unwinding *current;

static bool set_registers(struct unwinding *unwinding)
{
	const struct memphis_perfdata_sample *sample = unwinding->sample;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < DWARF_REGISTERS; i++) {
		before = (1ULL << perf_registers[i]) - 1;
		if (!(sample->register_mask >> perf_registers[i] & 1))
			return false;
		memcpy(&unwinding->registers[i],
		       sample->registers + 8 * (size_t)__builtin_popcountll(sample->register_mask & before),
		       8);
	}
	return true;
}

static pid_t next_thread(Dwfl *files, void *argument, void **thread)
{
	const bool first = !*thread;

	(void)files;
	(void)argument;
	*thread = first ? current : NULL;
	return first ? 1 : 0;
}

/* Reads a word of the stack. Words outside of its copy are unknown. */
static bool read_memory(Dwfl *files, Dwarf_Addr address, Dwarf_Word *word, void *argument)
{
	const uint64_t at = address - current->registers[DWARF_SP];

	(void)files;
	(void)argument;
	if (current->sample->stack_bytes < sizeof(*word) || at > current->sample->stack_bytes - sizeof(*word))
		return false;
	memcpy(word, current->sample->stack + at, sizeof(*word));
	return true;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *argument)
{
	(void)argument;
	return dwfl_thread_state_registers(thread, 0, DWARF_REGISTERS, current->registers);
}

static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
	return -1;
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path,
			Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_no_file, .find_debuginfo = find_no_debuginfo};

/* Returns true if the file has the recorded build-id, or if none was recorded. */
static bool is_recorded(Elf *elf, const char *recorded)
{
	char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1] = "";
	const void *id;
	ssize_t bytes;

	if (!recorded || !*recorded)
		return true;
	bytes = dwelf_elf_gnu_build_id(elf, &id);
	if (bytes > 0)
		memphis_perfdata_build_id_text(text, id, (size_t)bytes);
	return !strcmp(text, recorded);
}

/* Finds the distance of the code at this offset of the file from its address in the file. Returns false if there is none. */
static bool find_distance(Elf *elf, uint64_t offset, uint64_t *distance)
{
	size_t count, i;
	GElf_Phdr part;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &part) || part.p_type != PT_LOAD || !(part.p_flags & PF_X) ||
		    offset - part.p_offset >= part.p_filesz)
			continue;
		*distance = part.p_offset - part.p_vaddr;
		return true;
	}
	return false;
}

/*
 * Finds the distance of the file's addresses from those in the process. Returns false for files that are other
 * than the recorded ones. libdwfl would also read compressed files, which may have any size.
 */
static bool find_bias(int fd, const struct memphis_perfdata_map *map, uint64_t pc, const char *recorded,
		      uint64_t *bias)
{
	GElf_Ehdr header;
	bool found;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	found = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
		header.e_machine == EM_X86_64 && is_recorded(elf, recorded) &&
		find_distance(elf, pc - map->start + map->offset, bias);
	elf_end(elf);
	*bias += map->start - map->offset;
	return found;
}

static void close_unwinder(struct memphis_perfdata_unwinder *unwinder)
{
	if (unwinder->files)
		dwfl_end(unwinder->files);
	free(unwinder->missing);
	memset(unwinder, 0, sizeof(*unwinder));
}

/* Opens the file. If too many are open, closes those of other processes. They are opened again for their next sample. */
static int open_file(const struct unwinding *unwinding, const char *path)
{
	struct memphis_perfdata_unwinder *list = unwinding->unwinders->list;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t i;

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
		return fd;
	for (i = 0; i < MEMPHIS_PERFDATA_UNWINDERS; i++)
		if (&list[i] != unwinding->own)
			close_unwinder(&list[i]);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Reports the file of a map to libdwfl. Returns false if it is missing, or another file than the recorded one. */
static bool add_file(const struct unwinding *unwinding, const struct memphis_perfdata_map *map, uint64_t pc)
{
	const char *path = memphis_strings_get(unwinding->strings, map->path);
	const char *recorded = map->build_id ? memphis_strings_get(unwinding->strings, map->build_id)
					     : memphis_perfdata_build_id_of(unwinding->origin, path);
	Dwfl *files = unwinding->own->files;
	struct stat status;
	bool added = false;
	uint64_t bias = 0;
	int fd;

	if (*path != '/' || path[1] == '/')
		return false;
	fd = open_file(unwinding, path);
	if (fd < 0)
		return false;
	dwfl_report_begin_add(files);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && find_bias(fd, map, pc, recorded, &bias))
		added = dwfl_report_elf(files, path, path, fd, bias, true);
	dwfl_report_end(files, NULL, NULL);
	if (!added)
		close(fd);
	return added;
}

/* Returns the map with the code at this address, or NULL. */
static const struct memphis_perfdata_map *code_at(const struct memphis_perfdata_space *space, uint64_t pc)
{
	const struct memphis_perfdata_map *list = space->list;
	const size_t at = memphis_bisect(i, space->count, list[i].end <= pc);

	return at < space->count && list[at].start <= pc && list[at].permissions[2] == 'x' ? &list[at] : NULL;
}

static bool is_missing(const struct memphis_perfdata_unwinder *unwinder, uint64_t start)
{
	size_t i;

	for (i = 0; i < unwinder->missing_count; i++)
		if (unwinder->missing[i] == start)
			return true;
	return false;
}

/* Returns true if libdwfl has the file with the code at this address. Most samples need few of a process's files. */
static bool has_file(const struct unwinding *unwinding, uint64_t pc)
{
	struct memphis_perfdata_unwinder *own = unwinding->own;
	const struct memphis_perfdata_map *map;
	uint64_t *missing;

	if (dwfl_addrmodule(own->files, pc))
		return true;
	map = code_at(unwinding->space, pc);
	if (!map || is_missing(own, map->start))
		return false;
	if (add_file(unwinding, map, pc) && dwfl_addrmodule(own->files, pc))
		return true;
	missing = memphis_append(own->missing, own->missing_count, own->missing_room);
	if (missing)
		*missing = map->start;
	return false;
}

/* The first frame is the sampled one. A return address outside of all code shows that a rule was wrong. */
static int add_frame(Dwfl_Frame *frame, void *argument)
{
	Dwarf_Addr pc;
	uint64_t code;

	(void)argument;
	if (!dwfl_frame_pc(frame, &pc, NULL) || current->count == current->room)
		return DWARF_CB_ABORT;
	/* A return address may be the end of its function, and even of its file. */
	code = pc - current->begun;
	if (!code_at(current->space, code))
		return DWARF_CB_ABORT;
	if (current->begun)
		current->returns[current->count++] = pc;
	current->begun = true;
	/* Outside of the files, libdwfl would follow frame pointers, which may be none. */
	return has_file(current, code) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_initial_registers,
};

/* Returns the unwinder of the process. It has no files of another process, nor of memory that was mapped anew. */
static struct memphis_perfdata_unwinder *unwinder_of(struct memphis_perfdata_unwinders *unwinders,
						     size_t process, uint64_t version)
{
	struct memphis_perfdata_unwinder *unwinder = &unwinders->list[process % MEMPHIS_PERFDATA_UNWINDERS];

	if (unwinder->process != process || unwinder->version != version)
		close_unwinder(unwinder);
	unwinder->process = process;
	unwinder->version = version;
	if (!unwinder->files)
		unwinder->files = dwfl_begin(&callbacks);
	return unwinder;
}

int memphis_perfdata_unwind(struct memphis_perfdata_unwinders *unwinders, size_t process,
			    const struct memphis_perfdata_space *space, const struct memphis_strings *strings,
			    const struct memphis_perfdata_origin *origin,
			    const struct memphis_perfdata_sample *sample, uint64_t *ip, uint64_t *returns,
			    int room)
{
	struct unwinding unwinding = {.sample = sample,
				      .unwinders = unwinders,
				      .space = space,
				      .strings = strings,
				      .origin = origin,
				      .returns = returns,
				      .room = room};
	Dwfl *files;

	if (!sample->registers || !set_registers(&unwinding))
		return -1;
	*ip = unwinding.registers[DWARF_IP];
	unwinding.own = unwinder_of(unwinders, process, space->version);
	files = unwinding.own->files;
	if (!files || !has_file(&unwinding, *ip))
		return 0;
	/* This needs a file, which tells the kind of CPU. */
	if (dwfl_pid(files) < 0 && !dwfl_attach_state(files, NULL, 1, &threads, NULL))
		return 0;
	current = &unwinding;
	dwfl_getthread_frames(files, 1, add_frame, NULL);
	current = NULL;
	return unwinding.count;
}

void memphis_perfdata_unwinders_close(struct memphis_perfdata_unwinders *unwinders)
{
	size_t i;

	for (i = 0; i < MEMPHIS_PERFDATA_UNWINDERS; i++)
		close_unwinder(&unwinders->list[i]);
}
