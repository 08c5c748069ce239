/* SPDX-License-Identifier: GPL-2.0-only */
/* A vendor's kernel: the member sample_flags is there, so that the layout is that of later kernels, and nothing uses it. */
struct perf_sample_data {
	u64 sample_flags;
	u64 addr;
	struct perf_raw_record *raw;
	union perf_sample_weight weight;
	union perf_mem_data_src data_src;
};

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	(void)period;
	data->addr = addr;
	data->raw = NULL;
	data->weight.full = 0;
	data->data_src.val = PERF_MEM_NA;
}

#define MOCK_WEIGHT(data)          ((data)->weight.full)
#define MOCK_FLAGS_OF_DRIVERS      0
#define MOCK_SET_FLAGS(data, what) ((data)->sample_flags |= (what))
