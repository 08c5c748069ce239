/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of the emulation: CPUID, the local APIC, and the MSRs of each PMU, of the memory controllers and of the exact counts. Functions for
 * MSRs and RDPMC return false if the register is not theirs.
 */
#ifndef TARGET_I386_OBSERVE_REGISTERS_H
#define TARGET_I386_OBSERVE_REGISTERS_H

/* Returns EAX of CPUID leaf 8000_001B. */
uint32_t ibs_cpuid_caps(CPUX86State *env);

/* Sets CPUID leaves 1 (adds features) and 0xA (all registers). Without PEBS, returns false and sets nothing. */
bool pebs_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* Adds features to CPUID leaf 8000_0001, and sets leaf 8000_0022, of AMD's models with counters of the memory controllers. */
void umc_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx);

/* Access extended registers of the local APIC (index = offset / 16). Return false if there is none. */
bool ibs_apic_read(CPUX86State *env, int index, uint64_t *val);
bool ibs_apic_write(CPUX86State *env, int index, uint64_t val);

extern const VMStateDescription vmstate_ibs, vmstate_pebs, vmstate_amd_counters;

bool ibs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool ibs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
struct IbsState *ibs_new(void);

bool pebs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool pebs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
bool pebs_rdpmc(CPUX86State *env, uint32_t which, uint64_t *val);
bool pebs_present(CPUX86State *env);
struct PebsState *pebs_new(CPUX86State *env);

bool amd_counters_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool amd_counters_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
bool amd_counters_rdpmc(CPUX86State *env, uint32_t which, uint64_t *val);
bool amd_counters_present(CPUX86State *env);
/* True for models with CPUID leaf 8000_0022, which have PerfMonV2 and counters of the memory controllers. Constant. */
bool amd_perfmon_v2(CPUX86State *env);
struct AmdCounters *amd_counters_new(void);

bool umc_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool umc_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
void umc_init(void);

bool truth_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool truth_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
void truth_check_file(void);

#endif
