package capture

import (
	"fmt"

	"golang.org/x/net/bpf"
)

// rule is an instruction of a packet filter, or a comparison of what was loaded last.
type rule struct {
	label string
	do    bpf.Instruction // nil: compare
	is    uint32
	to    string // where to go on if it is that
}

func load(at, size uint32) bpf.Instruction {
	return bpf.LoadAbsolute{Off: at, Size: int(size)}
}

const typeAt = ethernetLen - 2

// roce passes RoCE v2 and v1 on Ethernet. What it cannot tell passes as well, and is
// looked at by the reader: packets with VLAN tags, and IPv6 with extension headers.
var roce = []rule{
	{do: load(typeAt, 2)},
	{is: etherRoCEv1, to: "take"},
	{is: etherIPv4, to: "ipv4"},
	{is: etherIPv6, to: "ipv6"},
	{is: 0x8100, to: "take"},
	{is: 0x88a8, to: "take"},
	{is: 0x9100, to: "take"},
	{do: bpf.RetConstant{}},

	{label: "ipv4", do: load(ethernetLen+9, 1)},
	{is: protocolUDP, to: "udp"},
	{do: bpf.RetConstant{}},
	{label: "udp", do: bpf.LoadMemShift{Off: ethernetLen}}, // X: the length of the IPv4 header
	{do: bpf.LoadIndirect{Off: ethernetLen + 2, Size: 2}},
	{is: roceV2Port, to: "take"},
	{do: bpf.RetConstant{}},

	{label: "ipv6", do: load(ethernetLen+6, 1)},
	{is: 0, to: "take"},
	{is: 43, to: "take"},
	{is: 60, to: "take"},
	{is: protocolUDP, to: "udp6"},
	{do: bpf.RetConstant{}},
	{label: "udp6", do: load(ethernetLen+ipv6Len+2, 2)},
	{is: roceV2Port, to: "take"},

	{label: "drop", do: bpf.RetConstant{}},
	{label: "take", do: bpf.RetConstant{Val: 1 << 18}}, // the whole packet
}

// instructions puts distances in the place of labels.
func instructions(rules []rule) (all []bpf.Instruction, err error) {
	at := map[string]int{}
	for i, r := range rules {
		if r.label != "" {
			at[r.label] = i
		}
	}
	for i, r := range rules {
		if r.do != nil {
			all = append(all, r.do)
			continue
		}
		ahead := at[r.to] - i - 1
		if ahead < 0 || ahead > 255 {
			return nil, fmt.Errorf("packet filter: %q is %d instructions ahead", r.to, ahead)
		}
		all = append(all, bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.is, SkipTrue: uint8(ahead)})
	}
	return all, nil
}
