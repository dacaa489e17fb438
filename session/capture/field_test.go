package capture

import (
	"slices"
	"strconv"
	"testing"

	"rdmatui/verbs/wire"
)

// TestFields reads each field of the headers that carry a packet.
func TestFields(t *testing.T) {
	tagged := join([]byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x81, 0, 0x60, 0x64, 8, 0}, four(t))
	ip := tagged[18:]
	ip[1], ip[4], ip[5] = 26<<2|3, 0x12, 0x34
	var f Frame
	if err := new(walk).decode(&f, ethernet, tagged, len(tagged)); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range Fields() {
		switch {
		case !c.Has(&f):
		case c.Of == nil:
			got[c.Name] = c.Text(&f)
		default:
			got[c.Name] = strconv.FormatUint(c.Of(&f), 10)
			if c.Text != nil {
				got[c.Name] += " " + c.Text(&f)
			}
		}
	}
	for name, want := range map[string]string{"dst_mac": "02:00:00:00:00:09", "src_mac": "02:00:00:00:00:08",
		"vlan": "100", "pcp": "3", "dscp": "26 AF31",
		"ecn": "3 CE", "ip_id": "4660"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if _, has := got["flow_label"]; has || got["ttl"] == "" || got["df"] == "" || got["port"] == "" {
		t.Errorf("%v", got)
	}
	for code, want := range map[uint8]string{0: "", 8: "CS1", 46: "EF", 10: "AF11", 38: "AF43", 11: "", 42: ""} {
		if got := dscpName(code); got != want {
			t.Errorf("dscp %d is %q, want %q", code, got, want)
		}
	}
}

// TestFieldNames: no name is that of a field of the headers that follow.
func TestFieldNames(t *testing.T) {
	for _, c := range Fields() {
		for _, h := range wire.HeaderTable() {
			if slices.ContainsFunc(h.Fields, func(f wire.Field) bool { return f.Name == c.Name }) {
				t.Errorf("%s is a field of %s and of %s", c.Name, c.Layer, h.Name)
			}
		}
	}
}
