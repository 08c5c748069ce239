/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux 6.1 and later: members without a flag are uninitialised. */
struct perf_sample_data {
	u64 sample_flags;
	u64 period;
	struct perf_raw_record *raw;
	union perf_sample_weight weight;
	union perf_mem_data_src data_src;
	u64 addr;
};

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD;
	data->period = period;
	if (addr) {
		data->addr = addr;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
}

#define MOCK_WEIGHT(data) ((data)->weight.full)
#define MOCK_FLAGS_OF_DRIVERS \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC)
#define MOCK_SET_FLAGS(data, what) ((data)->sample_flags |= (what))
