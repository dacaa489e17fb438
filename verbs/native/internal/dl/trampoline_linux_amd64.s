#include "textflag.h"

// Calls a C function of three arguments. It runs on the system stack, itself called
// as C calls: DI holds a *quickCall. BX survives C's calls, and pushing it
// aligns the stack.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	MOVQ  8(BX), DI
	MOVQ  16(BX), SI
	MOVQ  24(BX), DX
	MOVQ  0(BX), AX
	CALL  AX
	MOVQ  AX, 32(BX)
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
