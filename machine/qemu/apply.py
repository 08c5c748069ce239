#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Add the emulated IBS, PEBS, counters and memory controllers to an unpacked QEMU source tree, as new files and checked insertions.

Usage: apply.py SOURCE-TREE. Each insertion has a file and an anchor in this file. If an anchor
does not occur exactly once, the program fails before it writes a file.
"""
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent

# New file in src/ -> its directory in QEMU's tree.
NEW_FILES = {
    "observe-state.h": "target/i386",
    "observe.h": "target/i386",
    "observe-registers.h": "target/i386",
    "observe-kind.h": "include/tcg",
    "observe-translate.c.inc": "target/i386/tcg",
    "observe-emit.c.inc": "target/i386/tcg",
    "observe-tlb.c.inc": "accel/tcg",
    "observe-ldst.c.inc": "tcg",
    "observe.c": "target/i386/tcg/system",
    "observe-cpu.c": "target/i386/tcg/system",
    "observe-cpu.h": "target/i386/tcg/system",
    "observe-switch.c": "target/i386/tcg/system",
    "observe-switch.h": "target/i386/tcg/system",
    "cachemodel.c": "target/i386/tcg/system",
    "cachemodel.h": "target/i386/tcg/system",
    "combine.c": "target/i386/tcg/system",
    "combine.h": "target/i386/tcg/system",
    "memory.c": "target/i386/tcg/system",
    "memory.h": "target/i386/tcg/system",
    "model-time.c": "target/i386/tcg/system",
    "model-time.h": "include/system",
    "truth.c": "target/i386/tcg/system",
    "truth-table.c": "target/i386/tcg/system",
    "truth-table.h": "target/i386/tcg/system",
    "truth-count.c": "target/i386/tcg/system",
    "truth-count.h": "target/i386/tcg/system",
    "clock.c": "target/i386/tcg/system",
    "clock.h": "target/i386/tcg/system",
    "pmu/amd-counters.c": "target/i386/tcg/system",
    "pmu/umc.c": "target/i386/tcg/system",
    "pmu/ibs.c": "target/i386/tcg/system",
    "pmu/pebs.c": "target/i386/tcg/system",
}

# (file, anchor, position relative to the anchor (see insert()), inserted text)
INSERTIONS = [
    # State and switch
    ("target/i386/cpu.h", '#include "standard-headers/asm-x86/kvm_para.h"\n', "after",
     '#include "observe-state.h"\n'),
    ("target/i386/cpu.h", "    struct {} end_reset_fields;\n", "after",
     "    ObserveState observe;\n"),
    ("target/i386/cpu.h", "    VMChangeStateEntry *vmsentry;\n", "after",
     "    ObserveConfig observe;\n"),
    ("target/i386/cpu.h", "    *flags = env->hflags |\n", "after",
     "        env->observe.tb_flag |\n"),
    ("target/i386/cpu.h",
     "            int cpl = (flags >> DESC_DPL_SHIFT) & 3;\n", "after",
     "            if (unlikely(env->observe.tb_flag) && ((env->hflags ^ cpl) & HF_CPL_MASK)) {\n"
     "                observe_privilege(env, cpl);\n"
     "            }\n"),
    ("target/i386/helper.c", "    env->cr[3] = new_cr3;\n", "before",
     "    if (unlikely(env->observe.tb_flag)) {\n"
     "        observe_space(env);\n"
     "    }\n"),
    # CPUID and properties
    ("target/i386/cpu.c", '#include "cpu.h"\n', "after",
     '#include "observe-registers.h"\n'),
    ("target/i386/cpu.c", "          CPUID_EXT3_CMP_LEG)\n", "replace-tail",
     ("          CPUID_EXT3_CMP_LEG", " | CPUID_EXT3_IBS | CPUID_EXT3_PERFCORE)\n")),
    ("target/i386/cpu.c", "    case 0x8000001D:\n        *eax = 0;\n", "before",
     "    case 0x8000001B:\n"
     "        *eax = ibs_cpuid_caps(env);\n"
     "        *ebx = *ecx = *edx = 0;\n"
     "        break;\n"),
    ("target/i386/cpu.c",
     "        *ecx = env->features[FEAT_8000_0001_ECX];\n        *edx = env->features[FEAT_8000_0001_EDX];\n", "after",
     "        umc_cpuid(env, index, eax, ebx, ecx);\n"),
    ("target/i386/cpu.c", "        /* AMD Extended Performance Monitoring and Debug */\n", "before",
     "        umc_cpuid(env, index, eax, ebx, ecx);\n"),
    ("target/i386/cpu.c", "            *ecx &= ~CPUID_EXT_PDCM;\n        }\n", "after",
     "        pebs_cpuid(env, index, eax, ebx, ecx, edx);\n"),
    ("target/i386/cpu.c",
     "        if (cpu->enable_pmu) {\n            x86_cpu_get_supported_cpuid(0xA,", "before",
     "        if (pebs_cpuid(env, index, eax, ebx, ecx, edx)) {\n"
     "            break;\n"
     "        }\n"),
    ("target/i386/cpu.c", "static const Property x86_cpu_properties[] = {\n", "after",
     "    OBSERVE_PROPERTIES\n"),
    # Translation
    ("target/i386/tcg/translate.c", '#include "cpu.h"\n', "after",
     '#include "observe.h"\n'),
    ("target/i386/tcg/translate.c", "#define REP_MAX 65535\n", "before",
     '#include "observe-translate.c.inc"\n\n'),
    ("target/i386/tcg/translate.c",
     "    TCGLabel *loop = gen_new_label();\n    TCGLabel *done = gen_new_label();\n", "after",
     "    TCGLabel *leave = gen_new_label();\n"),
    ("target/i386/tcg/translate.c",
     "        tcg_gen_brcondi_tl(TCG_COND_TSTNE, cx_next, REP_MAX, loop);\n", "before",
     "        observe_gen_repeat(s, leave);\n"),
    ("target/i386/tcg/translate.c",
     "    /*\n     * Traps or interrupts set RF_MASK if they happen after any iteration\n", "before",
     "    gen_set_label(leave);\n"),
    ("target/i386/tcg/translate.c",
     "        do_gen_rep(s, ot, dshift, fn, is_repz_nz);\n"
     "    } else {\n        fn(s, ot, dshift);\n    }\n", "after",
     "    observe_gen_string_end();\n"),
    ("target/i386/tcg/translate.c",
     "    if (s->prefix & (PREFIX_REPZ | PREFIX_REPNZ)) {\n        do_gen_rep(", "before",
     "    observe_gen_string_begin();\n"),
    ("target/i386/tcg/emit.c.inc", "    gen_helper_rdpmc(tcg_env);\n", "before",
     "    if (observe_counters) {\n"
     "        gen_helper_observe_rdpmc(tcg_env);\n"
     "        return;\n"
     "    }\n"),
    ("target/i386/helper.h", "DEF_HELPER_1(rdmsr, void, env)\n", "after",
     "DEF_HELPER_FLAGS_3(observe_op, TCG_CALL_NO_WG, noreturn, env, i32, i32)\n"
     "DEF_HELPER_1(observe_rdpmc, void, env)\n"
     "DEF_HELPER_3(observe_hint, void, env, i64, i32)\n"
     "DEF_HELPER_1(observe_fence, void, env)\n"),
    # Instructions that bypass, fill or empty the caches
    ("target/i386/tcg/translate.c", '#include "emit.c.inc"\n', "after",
     '#include "observe-emit.c.inc"\n'),
    ("target/i386/tcg/emit.c.inc", "    tcg_gen_mb(TCG_MO_ALL | TCG_BAR_SC);\n", "after",
     "    observe_gen_fence();\n"),
    ("target/i386/tcg/emit.c.inc", "    tcg_gen_mb(TCG_MO_ST_ST | TCG_BAR_SC);\n", "after",
     "    observe_gen_fence();\n"),
] + [
    ("target/i386/tcg/decode-new.c.inc", f"{before}{old}{after}", "replace-part", (before, new, after))
    for before, old, new, after in (
        ("        X86_OP_ENTRY3(", "MOVDQ", "MOVNT", ",      M,x,  None,None, V,x, vex1), /* MOVNTPS */\n"),
        ("        X86_OP_ENTRY3(", "MOVDQ", "MOVNT", ",      M,x,  None,None, V,x, vex1), /* MOVNTPD */\n"),
        ("        X86_OP_ENTRY3(", "VMOVSS_st", "MOVNTSS", ",  M,ss, None,None, V,x, vex4 cpuid(SSE4A)),"),
        ("        X86_OP_ENTRY3(", "VMOVLPx_st", "MOVNTSD", ", M,sd, None,None, V,x, vex4 cpuid(SSE4A)),"),
        ("    [0xc3] = X86_OP_ENTRY3(", "MOV", "MOVNTI", ",        EM,y,G,y, None,None, cpuid(SSE2)),"),
        ("    [0xe7] = X86_OP_ENTRY3(", "MOVDQ", "MOVNT", ",     W,x, None,None, V,x,  vex1 mmx p_00_66),"),
        ("    [0x0d] = X86_OP_ENTRY1(", "NOP", "PREFETCHW", ",  M,v),"),
        ("    [0x18] = X86_OP_ENTRY1(", "NOP", "PREFETCH", ",  nop,v),"),
        ("        [7] = X86_OP_ENTRYw(", "NOP", "CLFLUSH", ",        M,b, cpuid(CLFLUSH) p_00),"),
        ("        [7] = X86_OP_ENTRYw(", "NOP", "CLFLUSH", ",        M,b, cpuid(CLFLUSHOPT)),"),
        ("        [6] = X86_OP_ENTRYw(", "NOP", "CLWB", ",        M,b, cpuid(CLWB)),"),
    )
] + [
    ("target/i386/tcg/translate.c", "    dc->pc_save = dc->base.pc_next;\n", "after",
     "    observe_gen_begin(flags);\n"),
    ("target/i386/tcg/translate.c", "    switch (sigsetjmp(dc->jmpbuf, 0)) {\n", "before",
     "    if (tcg_ctx->observe) {\n"
     "        observe_gen_insn(dc, cpu);\n"
     "    }\n"),
    ("target/i386/tcg/translate.c",
     "    dc->base.pc_next = dc->pc;\n    if (dc->base.is_jmp == DISAS_NEXT) {\n", "before",
     "    if (tcg_ctx->observe) {\n"
     "        observe_gen_insn_end(dc);\n"
     "    }\n"),
    ("target/i386/tcg/translate.c",
     "        gen_eob(dc, dc->base.is_jmp);\n        break;\n"
     "    default:\n        g_assert_not_reached();\n    }\n", "after",
     "    observe_gen_end(dc);\n"),
    ("include/tcg/tcg.h", "    uint8_t insn_start_words;\n", "after",
     "    bool observe; /* translating instrumented code */\n"
     "    uint32_t observe_kind; /* OBSERVE_* bits of each access of the instruction */\n"),
    ("accel/tcg/translate-all.c", '#include "tb-context.h"\n', "after",
     '#include "observe.h"\n'),
    ("accel/tcg/translate-all.c",
     "    if (insns_left < 0) {\n        return;\n    }\n", "after",
     "    observe_leave_tb(cpu, tb, insns_left);\n"),
    # Accesses of translated code
    ("accel/tcg/tcg-runtime.h", "DEF_HELPER_FLAGS_5(gvec_bitsel,", "before",
     "DEF_HELPER_FLAGS_3(observe_access, TCG_CALL_NO_RWG, void, env, i64, i32)\n\n"),
    ("tcg/tcg-op-ldst.c", "/* Only required for loads, where value might overlap addr. */\n",
     "before",
     '#include "tcg/observe-kind.h"\n#include "observe-ldst.c.inc"\n\n'),
    ("tcg/tcg-op-ldst.c", "static TCGv_i64 plugin_maybe_preserve_addr(TCGTemp *addr)\n{\n",
     "after",
     "    if (tcg_ctx->observe) {\n"
     "        return observe_copy_addr(addr);\n"
     "    }\n"),
] + [
    ("tcg/tcg-op-ldst.c",
     f"plugin_gen_mem_callbacks_{kind}(TCGv_{kind} val,", "body",
     "    observe_gen_access(copy_addr, orig_addr, oi, rw);\n")
    for kind in ("i32", "i64", "i128")
] + [
    # Accesses of helpers
    ("accel/tcg/cputlb.c", '#include "ldst_atomicity.c.inc"\n', "before",
     '#include "observe-tlb.c.inc"\n'),
    ("accel/tcg/cputlb.c", '#include "exec/cputlb.h"\n', "after",
     '#include "observe.h"\n'),
] + [
    ("accel/tcg/cputlb.c", f'    tlb_debug("{words}', "before", "    observe_flush(cpu);\n")
    for words in ("mmu_idx:0x%04", "page addr: %016", "range: %016")
] + [
    ("accel/tcg/ldst_common.c.inc", "static void plugin_load_cb(", "body",
     "    observe_helper_access(env, addr, oi, 0);\n"),
    ("accel/tcg/ldst_common.c.inc", "static void plugin_store_cb(", "body",
     "    observe_helper_access(env, addr, oi, OBSERVE_STORE);\n"),
    ("accel/tcg/atomic_common.c.inc", "static void atomic_trace_rmw_post(", "body",
     "    observe_helper_access(env, addr, oi, OBSERVE_RMW);\n"),
    ("target/i386/tcg/access.c", '#include "access.h"\n', "after",
     '#include "observe.h"\n'),
    ("target/i386/tcg/access.c", "            ret->haddr2 = haddr2;\n#endif\n        }\n    }\n",
     "after", "    observe_block(env, vaddr, size, type, mmu_idx);\n"),
    # Interrupts, MSRs, local APIC
    ("target/i386/tcg/seg_helper.c", '#include "access.h"\n', "after",
     '#include "observe.h"\n'),
    ("target/i386/tcg/seg_helper.c",
     "error_code, target_ulong next_eip, int is_hw)\n{\n    CPUX86State *env = &cpu->env;\n\n"
     "    if (qemu_loglevel_mask(CPU_LOG_INT)) {\n", "before-last-line",
     "    observe_interrupt(env, !is_int && !is_hw && intno != EXCP01_DB,\n"
     "                      !is_int && exception_is_fault(intno) &&\n"
     "                      (is_hw || (intno == EXCP0E_PAGE && (error_code & PG_ERROR_I_D_MASK))));\n"),
    ("target/i386/tcg/system/misc_helper.c", "void helper_wrmsr(CPUX86State *env)\n", "before",
     '#include "observe.h"\n\n'),
    ("target/i386/tcg/system/misc_helper.c",
     "        ((uint64_t)((uint32_t)env->regs[R_EDX]) << 32);\n\n"
     "    switch ((uint32_t)env->regs[R_ECX]) {\n", "before-last-line",
     "    if (observe_wrmsr(env, env->regs[R_ECX], val)) {\n"
     "        return;\n"
     "    }\n"),
    ("target/i386/tcg/system/misc_helper.c",
     "    cpu_svm_check_intercept_param(env, SVM_EXIT_MSR, 0, GETPC());\n", "after",
     "    if (observe_rdmsr(env, env->regs[R_ECX], &val)) {\n"
     "        env->regs[R_EAX] = (uint32_t)val;\n"
     "        env->regs[R_EDX] = val >> 32;\n"
     "        return;\n"
     "    }\n"),
    ("hw/intc/apic.c", '#include "qom/object.h"\n', "after",
     '#include "observe-registers.h"\n'),
    ("hw/intc/apic.c",
     "        val = s->divide_conf;\n        break;\n    default:\n", "after",
     "        if (ibs_apic_read(&s->cpu->env, index, value)) {\n"
     "            return 0;\n"
     "        }\n"),
    ("hw/intc/apic.c",
     "    default:\n        s->esr |= APIC_ESR_ILLEGAL_ADDRESS;\n        return -1;\n",
     "after-first-line",
     "        if (ibs_apic_write(&s->cpu->env, index, val)) {\n"
     "            return 0;\n"
     "        }\n"),
    # Time: the guest gets a fixed frequency, as its calibration fails on a busy host
    ("hw/i386/x86-cpu.c", '#include "system/cpu-timers.h"\n', "after",
     '#include "qemu/timer.h"\n'),
    ("hw/i386/x86-cpu.c", "    return cpus_get_elapsed_ticks();\n", "replace-tail",
     ("    return ", "qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) * 2; /* 2 GHz on every host */\n")),
    # Virtual time by the model clock: loads that wait take their latency from what the vCPU may run, which can become negative
    ("accel/tcg/cpu-exec.c", "    return cpu->neg.icount_decr.u16.low + cpu->icount_extra == 0;\n", "replace-tail",
     ("    return cpu->neg.icount_decr.u16.low + cpu->icount_extra ", "<= 0;\n")),
    ("accel/tcg/cpu-exec.c", "    int32_t insns_left = MIN(0xffff, cpu->icount_budget);\n", "replace-tail",
     ("    int32_t insns_left = ", "MAX(0, MIN(0xffff, cpu->icount_budget));\n")),
    ("accel/tcg/tcg-accel-ops-icount.c", '#include "hw/core/cpu.h"\n', "after",
     '#include "system/model-time.h"\n'),
    ("accel/tcg/tcg-accel-ops-icount.c", "    cpu->icount_budget = MIN(icount_get_limit(), cpu_budget);\n", "replace-tail",
     ("    cpu->icount_budget = ", "model_time_begin(cpu, icount_get_limit(), cpu_budget);\n")),
    ("accel/tcg/tcg-accel-ops-icount.c", "    if (cpu->icount_budget == 0) {\n", "replace-tail",
     ("    if (cpu->icount_budget == 0", " && !model_time_waits(cpu)) {\n")),
    ("accel/tcg/tcg-accel-ops-icount.c", "    replay_account_executed_instructions();\n", "before",
     "    model_time_end(cpu);\n\n"),
    ("target/i386/tcg/misc_helper.c", "    /* Just let another CPU run.  */\n", "before",
     "    observe_pause(cs);\n\n"),
    # A vCPU's TLB stores section numbers of the memory map from which it was filled; 10.0 looks them up in the newest
    # map, even before the TLB is flushed. While another vCPU maps a device, a write to the local APIC, for instance an
    # EOI, can then be lost.
    ("system/physmem.c", "    MemoryListener tcg_as_listener;\n", "after",
     "    FlatView *view; /* memory map from which the CPU's TLB was filled */\n"),
    ("system/physmem.c", "} CPUAddressSpace;\n", "after",
     "\nstatic AddressSpaceDispatch *cpu_dispatch(CPUAddressSpace *cpuas)\n"
     "{\n"
     "    return cpuas->view ? flatview_to_dispatch(cpuas->view)\n"
     "                       : address_space_to_dispatch(cpuas->as);\n"
     "}\n"),
    ("system/physmem.c", "static void tcg_commit_cpu(CPUState *cpu, run_on_cpu_data data)\n{\n", "after",
     "    CPUAddressSpace *cpuas = data.host_ptr;\n"
     "    FlatView *old = cpuas->view;\n\n"
     "    cpuas->view = address_space_get_flatview(cpuas->as);\n"
     "    if (old) {\n"
     "        flatview_unref(old);\n"
     "    }\n"),
    ("system/physmem.c", "    AddressSpaceDispatch *d = address_space_to_dispatch(cpu->cpu_ases[asidx].as);\n", "replace-tail",
     ("    AddressSpaceDispatch *d = ", "cpu_dispatch(&cpu->cpu_ases[asidx]);\n")),
    ("system/physmem.c", "    AddressSpaceDispatch *d = address_space_to_dispatch(cpuas->as);\n", "replace-tail",
     ("    AddressSpaceDispatch *d = ", "cpu_dispatch(cpuas);\n")),
    # 10.0 invalidates code before it is overwritten. If another vCPU translates it again before the store, the old bytes stay: the
    # kernel's int3 of a jump that it patches, for instance, which its handler does not recognise afterwards.
    ("accel/tcg/cputlb.c", "static void do_st1_mmu(CPUState *cpu, vaddr addr, uint8_t val,\n", "before",
     "static void invalidate_stored(const MMULookupPageData *p)\n"
     "{\n"
     "    ram_addr_t ram_addr = p->addr + p->full->xlat_section;\n\n"
     "    smp_mb();\n"
     "    if (!(p->flags & (TLB_MMIO | TLB_DISCARD_WRITE)) &&\n"
     "        !cpu_physical_memory_get_dirty_flag(ram_addr, DIRTY_MEMORY_CODE)) {\n"
     "        tb_invalidate_phys_range_fast(ram_addr, p->size, 0);\n"
     "    }\n"
     "}\n\n"),
    *(("accel/tcg/cputlb.c", f"do_st_{size}(cpu, &l.page[0], val, l.mmu_idx, {memop}ra);\n", "after",
       f"{indent}invalidate_stored(&l.page[0]);\n")
      for size, memop, indent in ((1, "", "    "), (2, "l.memop, ", "        "), (4, "l.memop, ", "        "), (8, "l.memop, ", "        "))),
    ("target/i386/tcg/system/meson.build", "  'seg_helper.c',\n", "after",
     "  'observe.c',\n  'observe-cpu.c',\n  'observe-switch.c',\n  'cachemodel.c',\n  'truth.c',\n  'truth-count.c',\n  'ibs.c',\n  'pebs.c',\n"
     "  'clock.c',\n  'amd-counters.c',\n  'combine.c',\n  'memory.c',\n  'truth-table.c',\n  'umc.c',\n  'model-time.c',\n"),
]


class Misfit(Exception):
    """An anchor does not match this version of QEMU."""


def find_once(text, anchor, where):
    """Return the position of the only occurrence of anchor."""
    found = text.count(anchor)
    if found != 1:
        raise Misfit(f"{where}: the anchor below occurs {found} times, not once."
                     f" QEMU's source has changed: adapt INSERTIONS in apply.py.\n{anchor}")
    return text.index(anchor)


def insert(text, anchor, how, new, where):
    """Return the text with one insertion made."""
    start = find_once(text, anchor, where)
    end = start + len(anchor)
    if how == "replace-tail":
        kept, tail = new
        return text[:start + len(kept)] + tail + text[end:]
    if how == "replace-part":
        before, part, after = new
        return text[:start] + before + part + after + text[end:]
    if how == "before":
        at = start
    elif how == "after":
        at = end
    elif how == "after-first-line":
        at = start + anchor.index("\n") + 1
    elif how == "before-last-line":
        at = start + anchor.rindex("\n", 0, -1) + 1
    elif how == "body":
        at = text.index("\n{\n", end) + 3
    else:
        raise AssertionError(how)
    return text[:at] + new + text[at:]


def main(tree):
    """Check all insertions, then write all files."""
    texts = {}
    for name, anchor, how, new in INSERTIONS:
        path = tree / name
        if name not in texts:
            if not path.is_file():
                raise Misfit(f"{path}: no such file. Is this a QEMU 10.0 source tree?")
            texts[name] = path.read_text(encoding="utf-8")
        texts[name] = insert(texts[name], anchor, how, new, path)
    for name, text in texts.items():
        (tree / name).write_text(text, encoding="utf-8")
    for name, folder in NEW_FILES.items():
        shutil.copy(HERE / "src" / name, tree / folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(pathlib.Path(sys.argv[1]))
    except Misfit as misfit:
        sys.exit(f"apply.py: {misfit}")
