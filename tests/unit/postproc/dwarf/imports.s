# SPDX-License-Identifier: BSD-3-Clause
# Calls of functions of other objects; imports_test.c has their names.
	.text
	.globl	stub, word, both, mangled, tracked, within, by_register, by_pointer, jump
stub:	call	memcpy@PLT
word:	call	*memmove@GOTPCREL(%rip)
both:	call	memmove@PLT
mangled:
	call	_ZN5ocean4Grid4stepEi@PLT
tracked:
	call	stub_with_index
within:	call	hidden
by_register:
	call	*%rax
by_pointer:
	call	*pointer(%rip)
jump:	jmp	memcpy@PLT

	.hidden	hidden
	.globl	hidden
hidden:	ret

	.section .data.rel,"aw"
pointer:
	.quad	memcpy

# A stub as mold writes it for indirect branch tracking
	.section .plt.index,"ax"
stub_with_index:
	endbr64
	mov	$1, %r11d
	jmp	*mempcpy@GOTPCREL(%rip)

	.section .note.GNU-stack,"",@progbits
