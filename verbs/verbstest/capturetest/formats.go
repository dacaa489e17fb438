package capturetest

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Format is a way to write packets to a file.
type Format struct {
	Name  string
	Write func(link uint32, packets ...Packet) []byte
}

// byteOrder writes numbers of a file.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// Formats are the formats of captures: each version of pcap, in both byte orders and with both units of time, the
// modified format, and the blocks of pcapng that have a time.
func Formats() (all []Format) {
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{0xa1b2c3d4, 0xa1b23c4d, modified} {
			for _, minor := range []uint16{0, 1, 2, 3, 4} {
				all = append(all, Format{fmt.Sprintf("pcap 2.%d, %v, %#x", minor, order, magic), func(link uint32,
					packets ...Packet) []byte {
					return pcap(order, magic, minor, link, packets)
				}})
			}
		}
		for _, kind := range []uint32{blockPacket, blockOldPacket} {
			for unit, length := range map[byte]time.Duration{0: time.Microsecond, 9: time.Nanosecond} {
				all = append(all, Format{fmt.Sprintf("pcapng, %v, blocks %d, times in %v", order, kind, length), func(
					link uint32, packets ...Packet) []byte {
					return pcapng(order, kind, unit, length, link, packets)
				}})
			}
		}
	}
	return all
}

const (
	modified = 0xa1b2cd34 // magic number of a format with 8 bytes more before each packet

	blockPacket    = 6
	blockOldPacket = 2
)

// pcap writes a file of version 2; up to 2.2 the two lengths of a packet stand the other way round.
func pcap(order byteOrder, magic uint32, minor uint16, link uint32, packets []Packet) []byte {
	unit := time.Microsecond
	if magic == 0xa1b23c4d {
		unit = time.Nanosecond
	}
	b := order.AppendUint16(order.AppendUint16(order.AppendUint32(nil, magic), 2), minor)
	b = order.AppendUint32(order.AppendUint32(append(b, make([]byte, 8)...), 1<<16), link)
	for _, p := range packets {
		first, second := len(p.Bytes)-p.Cut, len(p.Bytes)
		if minor < 3 {
			first, second = second, first
		}
		b = order.AppendUint32(order.AppendUint32(b, uint32(p.At.Unix())), uint32(p.At.Nanosecond()/int(unit)))
		b = order.AppendUint32(order.AppendUint32(b, uint32(first)), uint32(second))
		if magic == modified {
			b = append(b, make([]byte, 8)...)
		}
		b = append(b, p.Bytes[:len(p.Bytes)-p.Cut]...)
	}
	return b
}

// pcapng writes a section with one interface. resolution is its unit of time as an option says it; 0: no option.
func pcapng(order byteOrder, kind uint32, resolution byte, unit time.Duration, link uint32, packets []Packet) []byte {
	b := block(order, nil, 0x0a0d0d0a, order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(
		order.AppendUint32(nil, 0x1a2b3c4d), 1), 0), 1<<32-1), 1<<32-1))
	on := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, uint16(link)), 0), 0)
	if resolution > 0 {
		on = append(order.AppendUint16(order.AppendUint16(on, 9), 1), resolution, 0, 0, 0)
	}
	b = block(order, b, 1, order.AppendUint32(on, 0))
	for _, p := range packets {
		at := uint64(p.At.UnixNano() / int64(unit))
		body := order.AppendUint32(order.AppendUint32(make([]byte, 4), uint32(at>>32)), uint32(at))
		body = order.AppendUint32(order.AppendUint32(body, uint32(len(p.Bytes)-p.Cut)), uint32(len(p.Bytes)))
		b = block(order, b, kind, append(body, p.Bytes[:len(p.Bytes)-p.Cut]...))
	}
	return b
}

// block appends a block of pcapng.
func block(order byteOrder, b []byte, kind uint32, body []byte) []byte {
	body = append(body, make([]byte, -len(body)&3)...)
	n := uint32(12 + len(body))
	b = append(order.AppendUint32(order.AppendUint32(b, kind), n), body...)
	return order.AppendUint32(b, n)
}
