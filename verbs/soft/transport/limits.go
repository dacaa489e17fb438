package transport

import "rdmatui/verbs"

// The limits of a device. Each is enforced here, and reported by who shows the device.
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

	MaxMcast    = 16  // groups; a Linux socket may be in 20 of IPv4
	MaxMcastQP  = 64  // queue pairs of one group
	MaxMcastAll = 256 // memberships in all

	MaxMTU = verbs.MTU4096
)
