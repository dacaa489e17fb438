package verbs

// Sizes that a work request's buffers must have, in bytes.
const (
	// GRHLen is what a RECV of a UD queue pair has before the message; IBA 11.4.1.2.
	GRHLen = 40
	// AtomicLen is the operand of an atomic operation or ATOMIC_WRITE; its address is a multiple of it. IBA 9.4.5.
	AtomicLen = 8
)
