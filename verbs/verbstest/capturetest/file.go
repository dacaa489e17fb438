package capturetest

import (
	"encoding/binary"
	"slices"
	"time"
)

// Packet is a captured packet.
type Packet struct {
	At    time.Time
	Bytes []byte
	Cut   int // bytes at its end that were not captured
}

// File returns a capture in the format of pcap, with times in nanoseconds.
func File(link uint32, packets ...Packet) []byte {
	order := binary.LittleEndian
	b := order.AppendUint32(nil, 0xa1b23c4d)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = order.AppendUint32(order.AppendUint32(b, 1<<16), link)
	for _, p := range packets {
		b = order.AppendUint32(order.AppendUint32(b, uint32(p.At.Unix())), uint32(p.At.Nanosecond()))
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(p.Bytes)-p.Cut)), uint32(len(p.Bytes)))
		b = append(b, p.Bytes[:len(p.Bytes)-p.Cut]...)
	}
	return b
}

// Packets returns the packets of a pcapng file of little-endian order with times in nanoseconds.
func Packets(file []byte) (all []Packet) {
	const kindPacket, fields = 6, 28
	order := binary.LittleEndian
	for len(file) >= 12 {
		n := order.Uint32(file[4:])
		block := file[:n]
		if file = file[n:]; order.Uint32(block) != kindPacket {
			continue
		}
		at := uint64(order.Uint32(block[12:]))<<32 | uint64(order.Uint32(block[16:]))
		kept, sent := int(order.Uint32(block[20:])), int(order.Uint32(block[24:]))
		all = append(all, Packet{time.Unix(0, int64(at)).UTC(), slices.Clone(block[fields:][:kept]), sent - kept})
	}
	return all
}
