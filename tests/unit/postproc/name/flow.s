# SPDX-License-Identifier: BSD-3-Clause
# Code after calls, for value_flow_test.c: each function CASE has the labels CASE_call, after its call, and CASE_end, where the test looks.
	.intel_syntax noprefix
	.text

	.macro begin name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm
	.macro finish name
	.cfi_endproc
	.size \name, . - \name
	.endm
	.macro called name
	call outside@PLT
\name\()_call:
	.endm

	begin registers
	push rbx
	.cfi_def_cfa_offset 16
	sub rsp, 48
	.cfi_def_cfa_offset 64
	called registers
	mov rbx, rax
	mov rcx, rax
	xor eax, eax
	mov [rsp + 8], rbx
	mov r13, [rsp + 8]
	mov ecx, 1
registers_end:
	add rsp, 48
	.cfi_def_cfa_offset 16
	pop rbx
	.cfi_def_cfa_offset 8
	ret
	finish registers

	begin frame_pointer
	push rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov rbp, rsp
	.cfi_def_cfa_register rbp
	sub rsp, 64
	called frame_pointer
	mov [rbp - 24], rax
	mov [rbp - 32], rax
	mov qword ptr [rbp - 32], 0
	mov [rbp - 40], rax
	mov byte ptr [rbp - 36], 1
	mov eax, 7
frame_pointer_end:
	leave
	ret
	finish frame_pointer

# rbp is a register like any other.
	begin general_bp
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called general_bp
	mov [rbp - 24], rax
	mov rbp, rax
	mov rax, [rbp]
general_bp_end:
	add rsp, 8
	.cfi_def_cfa_offset 8
	ret
	finish general_bp

	begin vectors
	sub rsp, 56
	.cfi_def_cfa_offset 64
	called vectors
	movq xmm0, rax
	movq xmm1, rdx
	punpcklqdq xmm0, xmm0
	movaps [rsp], xmm0
	punpcklqdq xmm1, xmm0
	movups [rsp + 16], xmm1
	movhps [rsp + 32], xmm1
	movsd [rsp], xmm1
	xor eax, eax
	pxor xmm0, xmm0
vectors_end:
	add rsp, 56
	.cfi_def_cfa_offset 8
	ret
	finish vectors

	begin across_call
	push rbx
	.cfi_def_cfa_offset 16
	sub rsp, 16
	.cfi_def_cfa_offset 32
	called across_call
	mov rbx, rax
	mov rdi, rax
	mov [rsp], rax
	movq xmm3, rax
	call outside@PLT
across_call_end:
	add rsp, 16
	.cfi_def_cfa_offset 16
	pop rbx
	.cfi_def_cfa_offset 8
	ret
	finish across_call

# The pointer is not null, so both branches are on the straight path.
	begin null_check
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called null_check
	mov r8, rax
	test rax, rax
	je 1f
	cmp r8, 0
	jne 2f
1:	ud2
2:	mov r9, rax
null_check_end:
	add rsp, 8
	.cfi_def_cfa_offset 8
	ret
	finish null_check

# Not reached on the straight path.
	begin condition
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called condition
	test ecx, ecx
	je 1f
	nop
1:
condition_end:
	xor eax, eax
	add rsp, 8
	.cfi_def_cfa_offset 8
	ret
	finish condition

# One of two paths returns the value.
	begin one_path
	push rbx
	.cfi_def_cfa_offset 16
	called one_path
one_path_end:
	mov rbx, rax
	test ecx, ecx
	jne 1f
	xor eax, eax
	jmp 2f
1:	mov rax, rbx
2:	pop rbx
	.cfi_def_cfa_offset 8
	ret
	finish one_path

	begin overwritten
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called overwritten
	mov rbx, rax
	mov r12, rax
	mov r13, rax
	mov r14, rax
	mov r15, rax
	lea rbx, [rbx + 8]
	xchg r12, rcx
	cmove r13, rdx
	imul r14, r14, 3
	mul r15
	shr r15
overwritten_end:
	add rsp, 8
	.cfi_def_cfa_offset 8
	ret
	finish overwritten

	begin stores
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called stores
	mov [rip + variable], rax
	mov [rdi + 16], rax
	mov [rsp + rcx * 8], rax
	mov fs:[rsp], rax
stores_end:
	xor eax, eax
	add rsp, 8
	.cfi_def_cfa_offset 8
	ret
	finish stores

	begin jump_away
	sub rsp, 8
	.cfi_def_cfa_offset 16
	called jump_away
jump_away_end:
	add rsp, 8
	.cfi_def_cfa_offset 8
	jmp rdx
	finish jump_away

	.bss
	.globl variable
	.hidden variable
	.type variable, @object
	.size variable, 8
variable:
	.zero 8
	.section .note.GNU-stack, "", @progbits
