/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that accompany the samples: parsing of the kernel's files and of helpers' answers, counts that are reset or lost,
 * and the queue to the drain. If this fails, a profile's counters are wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <memphis/device.h>

#include "counters/source.h"
#include "counters/helper.h"
#include "counters/uncore_find.h"
#include "counters/uncore_device.h"
#include "counters/values.h"
#include "settings/env.h"
#include "base/proc.h"
#include "../../tap.h"

/* The device of these tests: its answer, or its error. */
struct memphis_env_settings memphis_settings = {.device = "/dev/null"};
static struct memphis_controllers traffic;
static int refuses;

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	(void)fd;
	va_start(arguments, request);
	if (request == MEMPHIS_IOC_CONTROLLERS)
		*va_arg(arguments, struct memphis_controllers *) = traffic;
	va_end(arguments);
	errno = refuses;
	return refuses ? -1 : 0;
}

static char root[] = "/tmp/memphis-counters-XXXXXX";

/* Writes a file below the root, and creates its directories. */
static void plant(const char *path, const char *text)
{
	char whole[512], *slash;
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0777);
		*slash = '/';
	}
	file = fopen(whole, "w");
	if (!file || fputs(text, file) == EOF || fclose(file))
		exit(2);
}

static void take_away(const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	remove(whole);
}

static struct memphis_counters_values *values;
static struct memphis_counters_reading reading;

static void begin(const struct memphis_counters_source *source)
{
	free(values);
	values = calloc(1, sizeof(*values));
	memphis_counters_reading_init(&reading, values, source);
}

/* Takes one reading at the given time; the reading lasts 5 ns. */
static const char *read_at(__u64 time_ns)
{
	const char *why;

	memphis_counters_reading_begin(&reading, time_ns - 5);
	why = reading.source->read(&reading.sink);
	memphis_counters_reading_end(&reading, time_ns, why);
	return why;
}

/* Returns everything that the drain takes: metrics, then values, one per line. */
static const char *taken(void)
{
	static struct memphis_text_buffer text;
	struct memphis_counter_value value;

	memphis_text_free(&text);
	memphis_counters_metrics_take(values, &text);
	while (memphis_counters_values_take(values, atomic_load(&values->values_head), &value, 1))
		memphis_text_add(&text, "%u=%.17g at %llu took %llu%s\n", value.metric, value.value,
				 value.time_ns, value.took_ns, value.flags ? " gap" : "");
	return text.data ? text.data : "";
}

static void expect(const char *expected, const char *what)
{
	const char *got = taken();

	ok(!strcmp(got, expected), what);
	if (strcmp(got, expected))
		printf("# got: %s", got);
}

static void check_numastat(void)
{
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 100\nnuma_miss 7\nbroken\nother_node x\n");
	plant("/sys/devices/system/node/node12/numastat", "numa_hit 18446744073709551615\n");
	plant("/sys/devices/system/node/node0x/numastat", "numa_hit 5\n");
	plant("/sys/devices/system/node/power", "");
	begin(&memphis_counters_numastat);
	ok(!read_at(10), "numastat files are read");
	ok(values->metrics_there == 3, "the numbers of each node become metrics; other text is ignored");
	take_away("/sys/devices/system/node/node12/numastat");
	take_away("/sys/devices/system/node/node12");
	begin(&memphis_counters_numastat);
	read_at(10);
	expect("1 numastat host counter 0 pages numa_hit\n2 numastat host counter 0 pages numa_miss\n"
	       "1=0 at 10 took 5\n2=0 at 10 took 5\n",
	       "counters start at 0");
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 130\nnuma_miss 7\n");
	read_at(20);
	expect("1=30 at 20 took 5\n2=0 at 20 took 5\n", "counters report the increase since the start");
}

static void check_gaps(void)
{
	begin(&memphis_counters_numastat);
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 100\n");
	read_at(10);
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 140\n");
	read_at(20);
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 3\n");
	read_at(30);
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 5\n");
	read_at(40);
	expect("1 numastat host counter 0 pages numa_hit\n1=0 at 10 took 5\n1=40 at 20 took 5\n"
	       "1=40 at 30 took 5 gap\n1=42 at 40 took 5\n",
	       "a counter that was reset continues from its last value");
	plant("/sys/devices/system/node/node0/numastat", "");
	ok(!strcmp(read_at(50), "/sys/devices/system/node/node0/numastat: No data available"),
	   "an empty file is an error");
	ok(read_at(60) != NULL, "an empty file is an error in the next reading, too");
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 1005\n");
	ok(!read_at(70), "a file that has content again is read");
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 1006\n");
	read_at(80);
	expect("0 numastat host lost - - numastat: /sys/devices/system/node/node0/numastat: No data available\n1=42 at 70 took 5 gap\n1=43 at 80 took 5\n",
	       "a loss is reported once, and the increase during the loss is a gap");
}

static const char *not_yet(struct memphis_counters_sink *sink)
{
	(void)sink;
	return memphis_counters_late;
}

static void check_late(void)
{
	static const struct memphis_counters_source slow = {.name = "numastat", .read = not_yet};

	begin(&memphis_counters_numastat);
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 1\n");
	read_at(10);
	reading.source = &slow;
	ok(read_at(20) == memphis_counters_late, "a reading returns that the answer is late");
	reading.source = &memphis_counters_numastat;
	plant("/sys/devices/system/node/node0/numastat", "numa_hit 8\n");
	memphis_counters_reading_begin(&reading, 25);
	reading.source->read(&reading.sink);
	reading.sink.asked_ns = 15;
	memphis_counters_reading_end(&reading, 30, NULL);
	expect("1 numastat host counter 0 pages numa_hit\n1=0 at 10 took 5\n1=7 at 30 took 15\n",
	       "a late answer is no gap, and its duration counts from the request");
}

static void check_vmstat(void)
{
	plant("/proc/vmstat",
	      "nr_free_pages 5\nnuma_hint_faults 6\npgfault 7\npgfaults 8\nthp_fault_alloc 9\n");
	plant("/proc/self/stat", "77 (a ) b (c) S 1 2 3 4 5 6 1000 8 2000 10 11\n");
	begin(&memphis_counters_vmstat);
	read_at(10);
	plant("/proc/self/stat", "77 (a ) b (c) S 1 2 3 4 5 6 1010 8 2003 10 11\n");
	plant("/proc/vmstat", "numa_hint_faults 8\n");
	read_at(20);
	expect("1 vmstat host counter - count numa_hint_faults\n2 vmstat host counter - count pgfault\n"
	       "3 vmstat host counter - count thp_fault_alloc\n4 vmstat process counter - count minor_faults\n"
	       "5 vmstat process counter - count major_faults\n"
	       "1=0 at 10 took 5\n2=0 at 10 took 5\n3=0 at 10 took 5\n4=0 at 10 took 5\n5=0 at 10 took 5\n"
	       "1=2 at 20 took 5\n4=10 at 20 took 5\n5=3 at 20 took 5\n",
	       "vmstat reports the machine's paging and the process's page faults");
}

static void check_net(void)
{
	plant("/proc/self/net/dev",
	      "Inter-|   Receive       |  Transmit\n face |bytes    packets |bytes    packets\n"
	      "    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n"
	      "  eth0:1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n  bad0: 1 x\n");
	plant("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "100\n");
	begin(&memphis_counters_net);
	read_at(10);
	taken();
	plant("/proc/self/net/dev", "  eth0:1500 11 0 0 0 0 0 0 2600 22 0 0 0 0 0 0\n");
	plant("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "125\n");
	read_at(20);
	expect("1=500 at 20 took 5\n2=1 at 20 took 5\n3=600 at 20 took 5\n4=2 at 20 took 5\n6=100 at 20 took 5\n",
	       "net reports bytes and packets of interfaces; InfiniBand counts words of four bytes");
	ok(!strcmp(values->metrics[0].name, "eth0 rx_bytes") &&
		   !strcmp(values->metrics[3].name, "eth0 tx_packets") &&
		   !strcmp(values->metrics[4].name, "bad0 rx_bytes") &&
		   !strcmp(values->metrics[5].name, "mlx5_0/1 rx_bytes"),
	   "the metrics of net have the interfaces' names");
}

static void check_io(void)
{
	plant("/proc/self/io", "rchar: 10\nsyscr: 2\nwrite_bytes: 4096\n");
	plant("/proc/diskstats",
	      "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n 7 0\n");
	plant("/sys/block/sda/device/model", "");
	plant("/proc/self/mountstats", "device rootfs mounted on / with fstype rootfs\n"
				       "device server:/home mounted on /ho me with fstype nfs4 statvers=1.1\n"
				       "\tage: 1\n\tbytes:\t1 2 3 4 50 60 7 8\n");
	plant("/proc/fs/lustre/llite/scratch-1/stats",
	      "read_bytes 3 samples [bytes] 1 4096 5000\nopen 2 samples\n");
	begin(&memphis_counters_io);
	ok(!read_at(10), "the files of io are read");
	taken();
	plant("/proc/self/io", "rchar: 11\nsyscr: 4\nwrite_bytes: 8192\n");
	plant("/proc/diskstats", "   8 0 sda 1 2 4 4 5 6 9 8 9 10 11\n");
	plant("/proc/self/mountstats",
	      "device s:/h mounted on /ho me with fstype nfs4 statvers=1.1\n\tbytes:\t1 2 3 4 51 62\n");
	plant("/proc/fs/lustre/llite/scratch-1/stats", "read_bytes 4 samples [bytes] 1 4096 9000\n");
	read_at(20);
	expect("1=1 at 20 took 5\n2=2 at 20 took 5\n3=4096 at 20 took 5\n4=512 at 20 took 5\n5=1024 at 20 took 5\n"
	       "6=1 at 20 took 5\n7=2 at 20 took 5\n8=4000 at 20 took 5\n",
	       "io reports bytes of the process, whole disks, NFS and Lustre");
	ok(!strcmp(values->metrics[3].name, "sda read_bytes") &&
		   !strcmp(values->metrics[6].name, "/ho me write_bytes") &&
		   !strcmp(values->metrics[7].name, "scratch-1 read_bytes") && values->metrics[0].process &&
		   !values->metrics[3].process,
	   "the metrics of io have names and scopes");
	plant("/proc/diskstats", "");
	ok(!read_at(30), "a machine without disks is no error");
	taken();
}

#define IMC "/sys/bus/event_source/devices/uncore_imc_1"
#define UMC "/sys/bus/event_source/devices/amd_umc_12"

/* The list for the module, of the controllers that check_uncore() has planted. */
static void check_list(void)
{
	char list[512];
	int length;

	plant(IMC "/format/umask", "config:8-15,32-33\n");
	plant(IMC "/events/cas_count_read.scale", "6.1035156e-5\n");
	take_away(UMC "/type");
	length = memphis_controllers_list(root, list, sizeof(list));
	is(length, strlen(list), "the list for the module has the length that is returned");
	is_text(list, "read 64 19 0x300000304 0 0 0:0,24:3 imc cas_count_read\n",
		"the list has an event once, with all its CPUs and nodes, and whole bytes");
	is(memphis_controllers_list(root, list, 20), -E2BIG, "a list that does not fit is no list");
	plant(IMC "/events/cas_count_read.scale", "6.5e-5\n");
	is(memphis_controllers_list(root, list, sizeof(list)), -ENOENT,
	   "counts of broken bytes are left out");
	plant(IMC "/events/cas_count_read.scale", "6.103515625e-5\n");
}

#define TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology/%s"

/* Creates the sysfs files of a node whose first CPU is on this socket and this die. */
static void plant_node(int node, int cpu, const char *socket, const char *die)
{
	char path[128], list[32];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	snprintf(list, sizeof(list), "%d-%d\n", cpu, cpu + 7);
	plant(path, list);
	snprintf(path, sizeof(path), TOPOLOGY, cpu, "physical_package_id");
	plant(path, socket);
	snprintf(path, sizeof(path), TOPOLOGY, cpu, "die_id");
	plant(path, die);
}

/* UMC counts for CPU 24 of node 3. */
static void check_nodes(void)
{
	struct memphis_uncore_counter counters[2];
	char list[512];

	plant("/sys/devices/system/node/online", "0-6\n");
	plant_node(0, 0, "0\n", "0\n");
	plant_node(3, 24, "1\n", "0\n");
	plant_node(4, 32, "1\n", "1\n");
	plant("/sys/devices/system/node/node5/cpulist", "\n");
	memphis_uncore_find(counters, 2);
	ok(counters[0].node == 3 && !strcmp(counters[0].name, "amd_umc cas_read"),
	   "a counter of a socket or die with one node belongs to this node");
	plant_node(2, 16, "1\n", "0\n");
	plant_node(6, 48, "1\n", "0\n");
	memphis_uncore_find(counters, 2);
	ok(counters[0].node == -1 && !strcmp(counters[0].name, "amd_umc cas_read (nodes 2-3,6)") &&
		   counters[1].node == -1,
	   "a counter of several nodes belongs to none of them, and its name says to which");
	take_away(IMC "/type");
	memphis_controllers_list(root, list, sizeof(list));
	is_text(list,
		"read 64 30 0x10a 0 0 24:-1 amd_umc cas_read (nodes 2-3,6)\n"
		"write 64 30 0x20a 0 0 24:-1 amd_umc cas_write (nodes 2-3,6)\n",
		"the list for the module has the counters of several nodes");
	plant(IMC "/type", "19\n");
	take_away("/sys/devices/system/node/online");
}

static void check_uncore(void)
{
	struct memphis_uncore_counter counters[8];
	struct memphis_uncore_counter *c = counters;
	unsigned int found;
	int i;

	plant("/sys/devices/system/node/node0/cpu0/online", "1\n");
	plant("/sys/devices/system/node/node3/cpu24/online", "1\n");
	plant(IMC "/type", "19\n");
	plant(IMC "/cpumask", "0,24\n");
	plant(IMC "/format/event", "config:0-7\n");
	plant(IMC "/format/umask", "config:8-15,32-33\n");
	plant(IMC "/events/cas_count_read", "event=0x04,umask=0x303\n");
	plant(IMC "/events/cas_count_read.scale", "6.103515625e-5\n");
	plant(IMC "/events/cas_count_read.unit", "MiB\n");
	plant(IMC "/events/clockticks", "event=0xff\n");
	found = memphis_uncore_find(counters, 8);
	is(found, 2, "an uncore event is counted once per socket");
	ok(!strcmp(c[0].name, "imc cas_count_read") && c[0].cpu == 0 && c[0].node == 0 && c[1].cpu == 24 &&
		   c[1].node == 3,
	   "an uncore event is counted by a CPU of its node");
	ok(c[0].type == 19 && c[0].config[0] == 0x300000304 && c[0].bytes == 64,
	   "an uncore event is encoded as the kernel describes its format");
	is(memphis_uncore_find(counters, 1), 1, "no more events are returned than the caller has room for");
	plant(IMC "/format/umask", "config9:8-15\n");
	is(memphis_uncore_find(counters, 8), 0, "an event with an unknown format is left out");
	plant(IMC "/format/umask", "config:8-15\n");
	is(memphis_uncore_find(counters, 8), 0, "an event whose value does not fit the format is left out");
	plant(UMC "/type", "30\n");
	plant(UMC "/cpumask", "24\n");
	plant(UMC "/format/event", "config:0-7\n");
	plant(UMC "/format/rdwrmask", "config:8-9\n");
	found = memphis_uncore_find(counters, 8);
	is(found, 2, "AMD's memory controllers count reads and writes");
	for (i = 0; i < 2; i++)
		ok(c[i].config[0] == (i ? 0x20a : 0x10a) && c[i].node == 3 && c[i].bytes == 64 &&
			   !strcmp(c[i].name, i ? "amd_umc cas_write" : "amd_umc cas_read"),
		   "AMD's memory controllers count %s by their command", i ? "writes" : "reads");
	check_nodes();
	check_list();
}

static const char *read_traffic(struct memphis_counters_sink *sink)
{
	return memphis_uncore_device_read(sink);
}

static void check_device(void)
{
	static const struct memphis_counters_source by_device = {.name = "uncore", .read = read_traffic};

	begin(&by_device);
	traffic = (struct memphis_controllers){
		.count = 2,
		.entries = {{.name = "amd_umc cas_read",
			     .node = 1,
			     .bytes = 64,
			     .enabled_ns = 10,
			     .running_ns = 10},
			    {.name = "amd_umc cas_write", .kind = MEMPHIS_CONTROLLER_WRITE}},
	};
	ok(!memphis_uncore_device_open(), "the device offers counters of memory controllers");
	ok(!read_at(10), "they are read");
	taken();
	traffic.entries[0] = (struct memphis_controller){
		.name = "amd_umc cas_read", .node = 1, .bytes = 64 + 640, .enabled_ns = 30, .running_ns = 20};
	ok(!read_at(20), "they are read again");
	expect("1=1280 at 20 took 5\n2=0 at 20 took 5\n",
	       "what was not counted while others had the hardware is estimated");
	ok(values->metrics[0].node == 1 && !strcmp(values->metrics[0].unit, "bytes") &&
		   !strcmp(values->metrics[0].name, "amd_umc cas_read") && !values->metrics[0].process,
	   "the device's counters have the names and units of perf's");
	traffic.entries[0].enabled_ns = 60;
	ok(strstr(read_at(24), "had the hardware") != NULL,
	   "a counter that others displaced all the time is named");
	expect("0 uncore host lost - - uncore: events of other perf users had the hardware of a counter all the time\n"
	       "2=0 at 24 took 5\n",
	       "it has no value, and others have theirs");
	traffic.entries[0].bytes += 64;
	traffic.entries[0].enabled_ns = 70;
	traffic.entries[0].running_ns = 30;
	read_at(26);
	expect("1=1280 at 26 took 5 gap\n2=0 at 26 took 5\n", "its next value is behind a gap");
	refuses = ESTALE;
	ok(!strcmp(read_at(30), "root has switched them on anew"), "a session from before is lost");
	refuses = 0;
	traffic.entries[0].bytes = 128;
	ok(read_at(35) != NULL, "the reading that opens another session has no values");
	taken();
	read_at(40);
	expect("1=1280 at 40 took 5 gap\n2=0 at 40 took 5 gap\n", "what is counted next is behind a gap");
	refuses = ENXIO;
	ok(strstr(read_at(50), "gone away with its CPU") != NULL, "a counter that is gone is named");
	memphis_uncore_device_close();
	refuses = EACCES;
	is(memphis_uncore_device_open(), -EACCES, "the device does not offer them while they are off");
	is_text(memphis_uncore_device_why(), "root has switched them off", "the reason is known");
	refuses = 0;
	taken();
}

/* Answers of helper processes, which can contain anything. */
static void check_answers(void)
{
	static const char *const bad[] = {
		"V host counter - bytes 5\n.\n",      "V world counter - bytes 5 name\n.\n",
		"V host counter x bytes 5 name\n.\n", "V host counter - bytes five name\n.\n",
		"R name without a reason\n.\n",       "nonsense\n.\n",
		"V host counter - bytes 5 name",
	};
	static const struct memphis_counters_source helped = {.name = "pcp"};
	char text[256];
	size_t i;

	begin(&helped);
	memphis_counters_reading_begin(&reading, 0);
	strcpy(text,
	       "V host counter 1 bytes 5 a b\nV process gauge - - 2.5 c[d e]\nR x y\tno such\nL away\nL gone\n.\n");
	ok(!strcmp(memphis_helper_parse(&reading.sink, text), "away"),
	   "parsing an answer returns the first loss");
	memphis_counters_reading_end(&reading, 9, "away");
	expect("1 pcp host counter 1 bytes a b\n2 pcp process gauge - - c[d e]\n"
	       "0 pcp host refused - - x y: no such\n0 pcp host lost - - pcp: away\n"
	       "1=0 at 9 took 9\n2=2.5 at 9 took 9\n",
	       "an answer contains values, refusals and losses");
	is(values->metrics_refused, 1, "refusals are counted");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		strcpy(text, bad[i]);
		ok(memphis_helper_parse(&reading.sink, text) != NULL, "malformed answer %zu is refused", i);
	}
}

static const char *read_one(struct memphis_counters_sink *sink)
{
	const struct memphis_counters_quantity quantity = {.name = "one", .node = -1};

	sink->value(sink, &quantity, 1);
	return NULL;
}

static const char *read_much(struct memphis_counters_sink *sink)
{
	static char name[16];
	struct memphis_counters_quantity quantity = {.name = name, .node = -1};
	int i;

	for (i = 0; i < 3000; i++) {
		sprintf(name, "m%d", i);
		sink->value(sink, &quantity, i);
	}
	return NULL;
}

static void check_bounds(void)
{
	static const struct memphis_counters_source much = {.name = "net", .read = read_much};
	struct memphis_counter_mark marks[8];
	int i;

	begin(&much);
	for (i = 1; i <= 3; i++)
		read_at((__u64)(10 * i));
	is(values->values_left_out, 3 * 3000 - MEMPHIS_COUNTER_VALUES_MAX,
	   "values that do not fit the queue are counted");
	is(values->values_head, MEMPHIS_COUNTER_VALUES_MAX, "values that fit stay in the queue");
	for (i = 0; i < MEMPHIS_COUNTER_MARKS_MAX + 3; i++)
		memphis_counters_mark_add(values, (__u64)i, (__u32)i + 1);
	is(values->marks_left_out, 3, "marks that do not fit the queue are counted");
	is(memphis_counters_marks_take(values, 5, marks, 8), 5,
	   "the reader takes the marks up to the given head");
	ok(marks[4].time_ns == 4 && marks[4].region == 5, "marks are taken in order");
	memphis_counters_mark_add(values, 9999, 7);
	is(values->marks_left_out, 3, "taking marks makes room");
}

#define ROUNDS 20000

/* Two producers: the thread that reads counters, and a thread that opens calipers. */
static void *add_values(void *unused)
{
	static const struct memphis_counters_source one = {.name = "net", .read = read_one};
	int i;

	memphis_counters_reading_init(&reading, values, &one);
	for (i = 1; i <= ROUNDS; i++)
		read_at((__u64)i + 5);
	return unused;
}

static void *add_marks(void *unused)
{
	int i;

	for (i = 1; i <= ROUNDS; i++)
		memphis_counters_mark_add(values, (__u64)i, (__u32)i);
	return unused;
}

static void check_threads(void)
{
	struct memphis_counter_value value[64];
	struct memphis_counter_mark mark[64];
	struct memphis_text_buffer text = {0};
	__u64 got_values = 0, got_marks = 0, last_value = 0, last_mark = 0, all = 2 * ROUNDS;
	pthread_t threads[2];
	bool right = true;
	__u32 n, i;

	free(values);
	values = calloc(1, sizeof(*values));
	pthread_create(&threads[0], NULL, add_values, NULL);
	pthread_create(&threads[1], NULL, add_marks, NULL);
	while (got_values + got_marks + atomic_load(&values->values_left_out) +
		       atomic_load(&values->marks_left_out) <
	       all) {
		__u64 values_head = atomic_load(&values->values_head),
		      marks_head = atomic_load(&values->marks_head);

		memphis_counters_metrics_take(values, &text);
		n = memphis_counters_values_take(values, values_head, value, ARRAY_SIZE(value));
		for (i = 0; i < n; last_value = value[i++].time_ns)
			right = right && value[i].time_ns > last_value && value[i].metric == 1 &&
				values->metrics_taken;
		got_values += n;
		n = memphis_counters_marks_take(values, marks_head, mark, ARRAY_SIZE(mark));
		for (i = 0; i < n; last_mark = mark[i++].time_ns)
			right = right && mark[i].time_ns > last_mark && mark[i].region == mark[i].time_ns;
		got_marks += n;
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ok(right, "values and marks that are added concurrently arrive in order and intact");
	is(got_values + got_marks + values->values_left_out + values->marks_left_out, all,
	   "each value and mark is taken or counted as left out");
	memphis_text_free(&text);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root))
		return 2;
	memphis_counters_root = root;
	check_numastat();
	check_gaps();
	check_late();
	check_vmstat();
	check_net();
	check_io();
	check_uncore();
	check_device();
	check_answers();
	check_bounds();
	check_threads();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		return 2;
	return finish();
}
