package transport

import "rdmatui/verbs"

// The limits of a device. This package enforces them; the device above reports them.
const (
	MaxQP     = 1 << 14
	MaxQPWR   = 1 << 14
	MaxSGE    = 32
	MaxInline = 512 // bytes
	MaxCQ     = 1 << 14
	MaxCQE    = 1 << 17
	MaxPD     = 1 << 14
	MaxAH     = 1 << 16
	MaxSRQ    = 1 << 14
	MaxSRQWR  = MaxQPWR
	MaxSRQSGE = MaxSGE
	MaxMsg    = 1 << 30 // bytes; with the smallest MTU this stays below half of the PSNs

	MaxMcast    = 16  // groups; a Linux socket can join 20 IPv4 groups
	MaxMcastQP  = 64  // queue pairs of one group
	MaxMcastAll = 256 // memberships in all

	MaxMTU = verbs.MTU4096
)
