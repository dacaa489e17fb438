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

// The same with errno: DI holds an *errnoCall. AX is the number of vector registers
// that a function with variable arguments looks at.
TEXT errnoTrampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	MOVQ  errnoCall_location(BX), AX
	CALL  AX
	MOVL  $0, 0(AX)
	MOVQ  errnoCall_a(BX), DI
	MOVQ  errnoCall_b(BX), SI
	MOVQ  errnoCall_c(BX), DX
	MOVQ  errnoCall_d(BX), CX
	MOVQ  errnoCall_e(BX), R8
	MOVQ  errnoCall_f(BX), R9
	MOVQ  errnoCall_fn(BX), R11
	XORL  AX, AX
	CALL  R11
	MOVQ  AX, errnoCall_result(BX)
	MOVQ  errnoCall_location(BX), AX
	CALL  AX
	MOVL  0(AX), AX
	MOVQ  AX, errnoCall_errno(BX)
	POPQ  BX
	XORL  AX, AX
	RET

DATA ·errnoTrampoline(SB)/8, $errnoTrampoline<>(SB)
GLOBL ·errnoTrampoline(SB), NOPTR|RODATA, $8

// func runHere(q *quickCall)
TEXT ·runHere(SB), NOSPLIT, $24-8
	MOVQ ·trampoline(SB), AX
	MOVQ AX, 0(SP)
	MOVQ q+0(FP), AX
	MOVQ AX, 8(SP)
	CALL runtime·asmcgocall(SB)
	RET
