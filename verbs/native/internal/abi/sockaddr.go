package abi

// Address families of Linux (bits/socket.h).
const (
	AFUnspec = 0
	AFInet   = 2
	AFInet6  = 10
	AFIB     = 27
)

// SockaddrIn mirrors struct sockaddr_in. Port and address are in network order.
type SockaddrIn struct {
	_      [0]uint32 // the alignment of the address
	Family uint16    `c:"sin_family"`
	Port   [2]byte   `c:"sin_port"`
	Addr   [4]byte   `c:"sin_addr"`
	_      [8]byte   `c:"sin_zero"`
}

// SockaddrIn6 mirrors struct sockaddr_in6. Port, flow information and address
// are in network order; the scope is the index of an interface.
type SockaddrIn6 struct {
	Family   uint16   `c:"sin6_family"`
	Port     [2]byte  `c:"sin6_port"`
	FlowInfo [4]byte  `c:"sin6_flowinfo"`
	Addr     [16]byte `c:"sin6_addr"`
	ScopeID  uint32   `c:"sin6_scope_id"`
}

// SockaddrStorage mirrors struct sockaddr_storage: room for an address of any
// family.
type SockaddrStorage struct {
	Family uint16 `c:"ss_family"`
	_      [118]byte
	_      uint64
}

// SockaddrIB mirrors struct sockaddr_ib: a GID and a service. All but the family
// and the scope are in network order.
type SockaddrIB struct {
	Family   uint16   `c:"sib_family"`
	PKey     [2]byte  `c:"sib_pkey"`
	FlowInfo [4]byte  `c:"sib_flowinfo"`
	Addr     [16]byte `c:"sib_addr"`
	SID      [8]byte  `c:"sib_sid"`
	SIDMask  [8]byte  `c:"sib_sid_mask"`
	ScopeID  uint64   `c:"sib_scope_id"`
}
