package capture

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"

	"rdmatui/verbs/verbstest/capturetest"
)

// TestFilterLabels: a comparison can only go on at a label that is ahead, and not too far.
func TestFilterLabels(t *testing.T) {
	take := func(label string) rule { return rule{label: label, do: bpf.RetConstant{Val: 1}} }
	far := func(n int) []rule {
		rules := []rule{{is: 1, to: "take"}}
		for range n {
			rules = append(rules, take(""))
		}
		return append(rules, take("take"))
	}
	for name, tt := range map[string]struct {
		rules []rule
		skip  int // -1: an error
	}{
		"next": {far(0), 0}, "far": {far(255), 255},
		"too far": {far(256), -1}, "behind": {[]rule{take("take"), {is: 1, to: "take"}}, -1},
		"missing": {[]rule{take("drop"), {is: 1, to: "take"}}, -1},
	} {
		all, err := instructions(tt.rules)
		if (err != nil) != (tt.skip < 0) || err == nil && int(all[0].(bpf.JumpIf).SkipTrue) != tt.skip {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}

// TestRoceFilter runs the kernel's filter on packets: it passes each that the reader
// takes for RoCE, and little else.
func TestRoceFilter(t *testing.T) {
	program, err := instructions(roce)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	ether := func(kind uint16, body []byte) []byte {
		return join(make([]byte, 12), binary.BigEndian.AppendUint16(nil, kind), body)
	}
	change := func(b []byte, at int, v byte) []byte { b[at] = v; return b }
	options := join([]byte{0x46}, four(t)[1:ipv4Len], make([]byte, 4), four(t)[ipv4Len:])
	for _, c := range []struct {
		name   string
		packet []byte
		want   bool
	}{
		{"IPv4", ether(etherIPv4, four(t)), true},
		{"IPv4 with options", ether(etherIPv4, options), true},
		{"IPv6", ether(etherIPv6, six(t)), true},
		{"IPv6 with an extension header", ether(etherIPv6, change(six(t), 6, 60)), true},
		{"RoCE v1", ether(etherRoCEv1, grh(t)), true},
		{"tag", ether(0x8100, join([]byte{0, 5, 8, 0}, four(t))), true},
		{"other port, IPv4", ether(etherIPv4, change(four(t), ipv4Len+3, 0)), false},
		{"other port, IPv6", ether(etherIPv6, change(six(t), ipv6Len+3, 0)), false},
		{"TCP", ether(etherIPv4, change(four(t), 9, 6)), false},
		{"TCP, IPv6", ether(etherIPv6, change(six(t), 6, 6)), false},
		{"ARP", ether(0x0806, make([]byte, 28)), false},
		{"short", make([]byte, 5), false},
	} {
		n, err := vm.Run(c.packet)
		if err != nil || (n > 0) != c.want {
			t.Errorf("%s: %d bytes, %v", c.name, n, err)
		}
		var f Frame
		if isRoCE := new(walk).decode(&f, ethernet, c.packet, len(c.packet)) == nil; isRoCE && !c.want {
			t.Errorf("%s is RoCE", c.name)
		}
	}
}

// TestTunnelFilter: the kernel's filter passes each encapsulation with a type or a port of its own.
func TestTunnelFilter(t *testing.T) {
	program, err := instructions(roce)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	custom := map[string]bool{"VXLAN on a port of choice": true, "mirror of HP": true, "SNAP": true}
	for _, e := range capturetest.Encapsulations {
		if e.Link != 1 || custom[e.Name] {
			continue
		}
		if n, err := vm.Run(e.Wrap(roceFrame(t))); err != nil || n == 0 {
			t.Errorf("%s: %d bytes, %v", e.Name, n, err)
		}
	}
}
