/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel with some of the commits of 6.1: flags for weight and source, of which half a member is cleared; the others as before. */
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
	data->sample_flags = 0;
	data->addr = addr;
	data->raw = NULL;
	data->weight.var1_dw = 0;
}

#define MOCK_WEIGHT(data)          ((data)->weight.full)
#define MOCK_FLAGS_OF_DRIVERS      (PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC)
#define MOCK_SET_FLAGS(data, what) ((data)->sample_flags |= (what))
