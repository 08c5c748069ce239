/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux 5.10: all members are cleared, and there are no flags. */
#undef PERF_SAMPLE_WEIGHT_TYPE

struct perf_sample_data {
	u64 addr;
	struct perf_raw_record *raw;
	u64 weight;
	union perf_mem_data_src data_src;
};

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	(void)period;
	data->addr = addr;
	data->raw = NULL;
	data->weight = 0;
	data->data_src.val = PERF_MEM_NA;
}

#define MOCK_WEIGHT(data)          ((data)->weight)
#define MOCK_FLAGS_OF_DRIVERS      0
#define MOCK_SET_FLAGS(data, what) ((void)(what))
