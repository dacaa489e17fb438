#include "go_asm.h"
#include "textflag.h"

// Calls a C function of three arguments. It runs on the system stack, itself called
// as C calls: DI holds a *quickCall. BX survives C's calls, and pushing it
// aligns the stack.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	MOVQ  quickCall_a(BX), DI
	MOVQ  quickCall_b(BX), SI
	MOVQ  quickCall_c(BX), DX
	MOVQ  quickCall_fn(BX), AX
	CALL  AX
	MOVQ  AX, quickCall_result(BX)
	POPQ  BX
	XORL  AX, AX
	RET

DATA ·trampoline(SB)/8, $trampoline<>(SB)
GLOBL ·trampoline(SB), NOPTR|RODATA, $8

// func runHere(q *quickCall)
TEXT ·runHere(SB), NOSPLIT, $24-8
	MOVQ ·trampoline(SB), AX
	MOVQ AX, 0(SP)
	MOVQ q+0(FP), AX
	MOVQ AX, 8(SP)
	CALL runtime·asmcgocall(SB)
	RET
