package capturetest

import (
	"net/netip"
	"slices"

	"rdmatui/verbs/wire"
)

// Links are the ways to carry the transport packet of a frame without IP and UDP. Its addresses become LIDs, of the
// last byte of each, or GIDs.
var Links = []Encapsulation{
	{Name: "RoCE v1", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		src, dst, b := transport(f)
		icrc, err := wire.NewICRC(wire.Path{Src: netip.AddrPortFrom(src, 0), Dst: netip.AddrPortFrom(dst, 0),
			GRH: true})
		if err != nil {
			panic(err) // both are addresses of one frame
		}
		return eth(0x8915, join(grh(src, dst, len(b)), icrc.Append(0, slices.Clone(b[:len(b)-wire.ICRCLen]))))
	}},
	{Name: "InfiniBand within a subnet", Link: 247, Wrap: local},
	{Name: "InfiniBand between subnets", Link: 247, Wrap: global},
	{Name: "ERF within a subnet", Link: 197, Tshark: true, Wrap: func(f []byte) []byte {
		return erf(21, nil, local(f))
	}},
	{Name: "ERF between subnets", Link: 197, Tshark: true, Wrap: func(f []byte) []byte {
		return erf(21, nil, global(f))
	}},
}

// transport returns the addresses of a frame, as IPv6 has them, and its packet from the BTH to the ICRC.
func transport(frame []byte) (src, dst netip.Addr, b []byte) {
	const ip4Len, ip6Len, udpLen = 20, 40, 8
	b = packet(frame)
	if version(frame) == 41 {
		return netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:])), b[ip6Len+udpLen:]
	}
	src, dst = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
	return netip.AddrFrom16(src.As16()), netip.AddrFrom16(dst.As16()), b[ip4Len+udpLen:]
}

// grh is a global route header before n bytes.
func grh(src, dst netip.Addr, n int) []byte {
	const nextBTH = 0x1b
	from, to := src.As16(), dst.As16()
	return join([]byte{0x60, 0, 0, 0}, be16(n), []byte{nextBTH, 64}, from[:], to[:])
}

// local adds a local route header, and the CRC of the link.
func local(f []byte) []byte {
	src, dst, b := transport(f)
	return lrh(wire.NextBTH, src, dst, b)
}

// global adds a global route header as well.
func global(f []byte) []byte {
	src, dst, b := transport(f)
	return lrh(wire.NextGRH, src, dst, join(grh(src, dst, len(b)), b))
}

func lrh(next byte, src, dst netip.Addr, b []byte) []byte {
	from, to := src.As16(), dst.As16()
	head := join([]byte{0, next, 0, to[15]}, be16((wire.LRHLen+len(b))/4), []byte{0, from[15]})
	return join(head, b, []byte{0xaa, 0xbb})
}
