// SPDX-License-Identifier: BSD-3-Clause
/* Unwinds copies of stacks with libdwfl. */
#include "perfdata/unwind.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asm/perf_regs.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

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

/* The first frame is the sampled one. */
static int add_frame(Dwfl_Frame *frame, void *argument)
{
	Dwfl_Thread *thread = dwfl_frame_thread(frame);
	Dwarf_Addr pc;
	bool activation;

	(void)argument;
	if (!dwfl_frame_pc(frame, &pc, &activation) || current->count == current->room)
		return DWARF_CB_ABORT;
	if (current->begun)
		current->returns[current->count++] = pc;
	current->begun = true;
	/* Outside of the files, libdwfl would follow frame pointers, which may be none. */
	return dwfl_addrmodule(dwfl_thread_dwfl(thread), pc - !activation) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_initial_registers,
};

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
static bool is_recorded(int fd, const char *recorded)
{
	char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1] = "";
	const void *id;
	ssize_t bytes;
	Elf *elf;

	if (!recorded || !*recorded)
		return true;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (bytes > 0)
		memphis_perfdata_build_id_text(text, id, (size_t)bytes);
	elf_end(elf);
	return !strcmp(text, recorded);
}

/* Reports the file of a map to libdwfl. Files that are missing or others than the recorded ones are left out. */
static void add_file(Dwfl *files, const struct memphis_perfdata_map *map, const char *path,
		     const char *recorded)
{
	struct stat status;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || !is_recorded(fd, recorded) ||
	    !dwfl_report_elf(files, path, path, fd, map->start - map->offset, false))
		close(fd);
}

/* Reports the files with code that were mapped since the last call. */
static void add_files(struct memphis_perfdata_unwinder *unwinder, const struct memphis_perfdata_space *space,
		      const struct memphis_strings *strings, const struct memphis_perfdata_origin *origin)
{
	const struct memphis_perfdata_map *map;
	const char *path;

	unwinder->version = space->version;
	if (!unwinder->files)
		unwinder->files = dwfl_begin(&callbacks);
	if (!unwinder->files)
		return;
	dwfl_report_begin_add(unwinder->files);
	for (map = space->list; map < space->list + space->count; map++) {
		path = memphis_strings_get(strings, map->path);
		if (*path == '/' && path[1] != '/' && map->permissions[2] == 'x' &&
		    !dwfl_addrmodule(unwinder->files, map->start))
			add_file(unwinder->files, map, path,
				 map->build_id ? memphis_strings_get(strings, map->build_id)
					       : memphis_perfdata_build_id_of(origin, path));
	}
	dwfl_report_end(unwinder->files, NULL, NULL);
	/* This needs a file, which tells the kind of CPU. */
	if (dwfl_pid(unwinder->files) < 0)
		dwfl_attach_state(unwinder->files, NULL, 1, &threads, NULL);
}

int memphis_perfdata_unwind(struct memphis_perfdata_unwinder *unwinder,
			    const struct memphis_perfdata_space *space, const struct memphis_strings *strings,
			    const struct memphis_perfdata_origin *origin,
			    const struct memphis_perfdata_sample *sample, uint64_t *ip, uint64_t *returns,
			    int room)
{
	struct unwinding unwinding = {.sample = sample, .returns = returns, .room = room};

	if (!sample->registers || !set_registers(&unwinding))
		return -1;
	*ip = unwinding.registers[DWARF_IP];
	if (unwinder->version != space->version)
		add_files(unwinder, space, strings, origin);
	if (!unwinder->files || dwfl_pid(unwinder->files) < 0)
		return 0;
	current = &unwinding;
	dwfl_getthread_frames(unwinder->files, 1, add_frame, NULL);
	current = NULL;
	return unwinding.count;
}

void memphis_perfdata_unwinder_close(struct memphis_perfdata_unwinder *unwinder)
{
	if (unwinder->files)
		dwfl_end(unwinder->files);
	memset(unwinder, 0, sizeof(*unwinder));
}
