package capture

import (
	"fmt"
	"slices"

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

// roce passes RoCE v2 and v1 on Ethernet. What it cannot tell passes as well, and is looked at by the reader: packets
// with VLAN tags, IPv6 with extension headers, and what encapsulates others.
var roce = slices.Concat(
	[]rule{{do: load(typeAt, 2)}, {is: etherIPv4, to: "ipv4"}, {is: etherIPv6, to: "ipv6"}},
	taken(etherRoCEv1, 0x8100, 0x88a8, 0x9100, etherMPLS, etherMPLSMulti, etherPPPoE, etherNSH, 0x88e7, 0x22f3, 0x8903,
		0x8926, 0x893f, 0xf1c1, 0x892f, 0x88e5, 0x8909, 0x8870),
	[]rule{{do: bpf.RetConstant{}}, {label: "ipv4", do: load(ethernetLen+9, 1)}, {is: protocolUDP, to: "udp"}},
	taken(carriers...),
	[]rule{
		{do: bpf.RetConstant{}},
		{label: "udp", do: bpf.LoadMemShift{Off: ethernetLen}}, // X: the length of the IPv4 header
		{do: bpf.LoadIndirect{Off: ethernetLen + 2, Size: 2}},
	},
	taken(tunnelPorts...),
	[]rule{
		{do: bpf.RetConstant{}},
		{label: "ipv6", do: load(ethernetLen+6, 1)}, {is: 0, to: "take"}, {is: 43, to: "take"}, {is: 60, to: "take"},
		{is: protocolUDP, to: "udp6"},
	},
	taken(carriers...),
	[]rule{{do: bpf.RetConstant{}}, {label: "udp6", do: load(ethernetLen+ipv6Len+2, 2)}},
	taken(tunnelPorts...),
	[]rule{
		{label: "drop", do: bpf.RetConstant{}},
		{label: "take", do: bpf.RetConstant{Val: 1 << 18}}, // the whole packet
	},
)

// carriers are the IP protocols that carry other packets; of those that are not followed, ESP is counted.
var carriers = []uint32{4, 41, 47, 50, 51, 97, 115, 137, 143}

// tunnelPorts are the UDP ports of RoCE and of what carries it.
var tunnelPorts = []uint32{
	roceV2Port, 4789, 8472, 48879, 4790, 6081, 6635, 4754, 2152, l2tpPort, 37008, 4341, 6080, 3544, 30030,
}

// taken returns rules that pass a packet if what was loaded is one of some values.
func taken(values ...uint32) (rules []rule) {
	for _, v := range values {
		rules = append(rules, rule{is: v, to: "take"})
	}
	return rules
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
