// SPDX-License-Identifier: BSD-3-Clause
/*
 * A virtual CPU of a guest, whose thread is sampled: the guest makes loads, and the addresses of these samples would be the
 * guest's. usage: vcpu
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY (1u << 20)
#define CODE   0x1000

/*
 * The guest's program, in real mode: 2,000,000 loads from address 2000H, and the end.
 *	mov ecx, 2000000; again: mov ax, [2000h]; dec ecx; jnz again; hlt
 */
static const unsigned char code[] = {0x66, 0xb9, 0x80, 0x84, 0x1e, 0x00, 0xa1,
				     0x00, 0x20, 0x66, 0x49, 0x75, 0xf9, 0xf4};

struct guest {
	int cpu;
	struct kvm_run *run;
};

static struct guest make_guest(void)
{
	int kvm = file_of_root("FILE_KVM", "/dev/kvm", O_RDWR), vm;
	unsigned char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {.memory_size = MEMORY,
						     .userspace_addr = (uintptr_t)memory};
	struct kvm_regs regs = {.rip = CODE, .rflags = 2};
	struct kvm_sregs sregs;
	struct guest guest;

	need(memory != MAP_FAILED, "memory of the guest");
	memcpy(memory + CODE, code, sizeof(code));
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	need(vm >= 0 && !ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region), "guest");
	guest.cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	need(guest.cpu >= 0, "CPU of the guest");
	guest.run = mmap(NULL, (size_t)ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE,
			 MAP_SHARED, guest.cpu, 0);
	need(guest.run != MAP_FAILED && !ioctl(guest.cpu, KVM_GET_SREGS, &sregs), "state of the guest");
	sregs.cs.base = sregs.cs.selector = 0;
	need(!ioctl(guest.cpu, KVM_SET_SREGS, &sregs) && !ioctl(guest.cpu, KVM_SET_REGS, &regs),
	     "state of the guest");
	return guest;
}

int main(void)
{
	struct memphis_config config = some_config();
	struct guest guest = make_guest();
	struct memphis_accounting books;
	struct thread_map map;
	uint64_t foreign = 0;
	int fd = open_device(), error;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	do
		error = ioctl(guest.cpu, KVM_RUN, 0);
	while ((error && errno == EINTR) || (!error && guest.run->exit_reason == KVM_EXIT_INTR));
	need(!error && guest.run->exit_reason == KVM_EXIT_HLT, "the guest's program");
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	books = read_books(&map);
	for (uint64_t i = 0; i < map.status->head; i++)
		foreign += map.records[i].pc < 2 * CODE;
	printf("# %llu interrupts, %llu of the guest's accesses\n", books.interrupts,
	       books.filtered[MEMPHIS_REASON_GUEST]);
	check_equal("guest: no sample has an address of the guest", foreign, 0);
	/* 6,000,000 ops of which a third are loads, a sample in 16384: 122 of 366 are expected, +- 9. */
	check("guest: its accesses are counted as dropped",
	      books.filtered[MEMPHIS_REASON_GUEST] > 70 && books.filtered[MEMPHIS_REASON_GUEST] < 200);
	check_equal("guest: the accounting balances", books_sum(&books), books.interrupts);
	unmap(&map);
	close_device(fd);
	return 0;
}
