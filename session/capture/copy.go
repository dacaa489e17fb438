package capture

import "encoding/binary"

// WriteFrame copies a packet of a capture, with its link header, IP and UDP headers, time,
// direction, length and comments. A packet of a segmented datagram gets headers of its own.
func (w *Writer) WriteFrame(f *Frame) error {
	n := f.Raw.n
	if f.Raw.part {
		w.packet = f.appendPart(w.packet[:0])
		n = len(w.packet)
	} else {
		w.packet = append(w.packet[:0], f.Raw.bytes...)
	}
	return w.add(f.Raw.on, &f.Packet, f.Way, n, f.Comments)
}

// appendPart appends one packet of a segmented datagram, as an interface sends it: lengths,
// checksums and the IPv4 identification are its own.
func (f *Frame) appendPart(b []byte) []byte {
	b = append(append(b, f.Raw.bytes[:f.Raw.bth]...), f.Data...)
	ip, udp := b[f.Raw.ip:], b[f.Raw.bth-udpLen:]
	v4 := ip[0]>>4 == 4
	header := len(ip) - len(udp)
	if v4 {
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
		binary.BigEndian.PutUint16(ip[4:], f.ID)
		clear(ip[10:12])
		binary.BigEndian.PutUint16(ip[10:], fold(addWords(0, ip[:header])))
	} else {
		binary.BigEndian.PutUint16(ip[4:], uint16(len(udp)))
	}
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	putUDPSum(ip[:header], udp, v4)
	return b
}
