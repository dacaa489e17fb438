package wire

import "math/bits"

// field is the share of a 16-bit header field in the register at the end of the prefix, by the field's high and low
// byte. CRC being linear over GF(2), the register for any value is that for zero, xor these two entries.
type field [2][256]uint32

func (f *field) of(v uint16) uint32 { return f[0][v>>8] ^ f[1][v&0xff] }

// newField makes the table for a field that is followed by behind bytes of the prefix.
func newField(behind int) (f field) {
	for i := range f {
		var bit [8]uint32
		for j := range bit {
			crc := uint32(1) << j
			for range behind + len(f) - i {
				crc = crcStep(crc, 0)
			}
			bit[j] = crc
		}
		for v := 1; v < len(f[i]); v++ {
			f[i][v] = f[i][v&(v-1)] ^ bit[bits.TrailingZeros(uint(v))]
		}
	}
	return f
}

// The offsets of 16-bit fields in their headers.
const (
	ipv4TotalLenAt   = 2
	ipv4IDAt         = 4
	ipv6PayloadLenAt = 4
	udpLenAt         = 4
)

// behind4 and behind6 return how many bytes of the prefix follow a 16-bit field of the IP header.
func behind4(at int) int { return ipv4Len + udpLen - at - 2 }
func behind6(at int) int { return ipv6Len + udpLen - at - 2 }

const behindUDPLen = udpLen - udpLenAt - 2

// The fields that differ from packet to packet of one path.
var (
	fields4 = struct{ totalLen, id, udpLen field }{
		newField(behind4(ipv4TotalLenAt)), newField(behind4(ipv4IDAt)), newField(behindUDPLen),
	}
	fields6 = struct{ payloadLen, udpLen field }{
		newField(behind6(ipv6PayloadLenAt)), newField(behindUDPLen),
	}
	fieldGRH = newField(behind6(ipv6PayloadLenAt) - udpLen) // payload length; no UDP header follows
)
