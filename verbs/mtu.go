package verbs

import "fmt"

// MTU is the encoded maximum payload of one packet: 1 to 5 for 256 to 4096
// bytes. IBA 11.2.5.2; ibv_query_port(3).
type MTU uint32

// The path MTUs.
const (
	MTU256  MTU = 1
	MTU512  MTU = 2
	MTU1024 MTU = 3
	MTU2048 MTU = 4
	MTU4096 MTU = 5
)

// Bytes returns the MTU in bytes, 0 for a value outside 1..5.
func (m MTU) Bytes() int {
	if m < MTU256 || m > MTU4096 {
		return 0
	}
	return 128 << m
}

// String returns the MTU in bytes; "unknown(n)" for a value outside 1..5.
func (m MTU) String() string {
	if b := m.Bytes(); b != 0 {
		return fmt.Sprint(b)
	}
	return fmt.Sprintf("unknown(%d)", uint32(m))
}

// CName returns the C name, IBV_MTU_1024; the number for a value outside 1..5.
func (m MTU) CName() string {
	if b := m.Bytes(); b != 0 {
		return fmt.Sprintf("IBV_MTU_%d", b)
	}
	return fmt.Sprint(uint32(m))
}

// MarshalJSON returns the MTU in bytes, as a number; 0 for a value outside
// 1..5.
func (m MTU) MarshalJSON() ([]byte, error) { return fmt.Append(nil, m.Bytes()), nil }

// ParseMTU reads a size in bytes (256, 512, 1024, 2048 or 4096) or its C name.
func ParseMTU(s string) (MTU, error) {
	for m := MTU256; m <= MTU4096; m++ {
		if s == m.String() || s == m.CName() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("%q is not an MTU; use one of 256 512 1024 2048 4096 (bytes)", s)
}
