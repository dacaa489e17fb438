package packets

import (
	"bytes"
	"sort"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Heads returns the heads of those packets that devices have recorded by themselves before the given packets, which are
// in the order of their times. Software devices always record some thousand heads.
func Heads(s *core.Session, recorded []*timeline.Packet) (list []*timeline.Packet) {
	first := map[string]*timeline.Packet{}
	for _, p := range recorded {
		if first[p.Device] == nil {
			first[p.Device] = p
		}
	}
	for _, from := range s.Opts.Providers {
		recorder, ok := from.(verbs.PacketRecorder)
		if !ok {
			continue
		}
		infos, _ := from.Devices() // a device that cannot be listed has recorded nothing
		for _, info := range infos {
			heads, _ := recorder.RecordedPackets(info.Name)
			if p := first[info.Name]; p != nil {
				heads = earlier(heads, p)
			}
			for i := range heads {
				list = append(list, headOf(s, info.Name, &heads[i]))
			}
		}
	}
	return list
}

// earlier returns the heads before a packet, which the device may have recorded, too: then a moment before the tap saw
// it.
func earlier(heads []verbs.PacketHead, p *timeline.Packet) []verbs.PacketHead {
	heads = heads[:sort.Search(len(heads), func(i int) bool { return heads[i].At.After(p.At) })]
	for i := len(heads) - 1; i >= 0; i-- {
		h := &heads[i]
		if n := headLen(h); h.Outgoing == p.Outgoing && h.Len == len(p.Data) && bytes.Equal(h.Head[:n], p.Data[:n]) {
			return heads[:i]
		}
	}
	return heads
}

// headLen is how many bytes of a packet are recorded: not the ICRC, which a packet that is sent gets later.
func headLen(h *verbs.PacketHead) int { return max(0, min(h.Len-wire.ICRCLen, len(h.Head))) }

// headOf decodes the head of a packet. What is missing counts as zeros.
func headOf(s *core.Session, device string, h *verbs.PacketHead) *timeline.Packet {
	p := &timeline.Packet{
		At: h.At, T: h.At.Sub(s.Start), Device: device, Outgoing: h.Outgoing, Src: h.Src, Dst: h.Dst, IP: h.IP,
	}
	whole := make([]byte, h.Len)
	copy(whole, h.Head[:])
	p.Err = p.Wire.Decode(whole)
	p.Data = whole[:headLen(h)]
	p.Cropped = h.Len - len(p.Data)
	return p
}
