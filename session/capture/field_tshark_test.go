package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/capturetest"
)

// theirFields are tshark's names of the fields below the BTH, for IPv4, IPv6 and the GRH.
var theirFields = map[string][]string{
	"dst_mac": {"eth.dst"}, "src_mac": {"eth.src"}, "vlan": {"vlan.id"}, "pcp": {"vlan.priority"}, "ip_id": {"ip.id"},
	"df": {"ip.flags.df"}, "port": {"udp.srcport"}, "dscp": {"ip.dsfield.dscp", "ipv6.tclass.dscp"},
	"ecn": {"ip.dsfield.ecn", "ipv6.tclass.ecn"}, "ttl": {"ip.ttl", "ipv6.hlim", "infiniband.grh.hoplmt"},
	"flow_label": {"ipv6.flow", "infiniband.grh.flowlabel"}, "slid": {"infiniband.lrh.slid"},
	"dlid": {"infiniband.lrh.dlid"}, "sl": {"infiniband.lrh.sl"}, "vl": {"infiniband.lrh.vl"},
}

// TestTsharkAgreesBelow compares each field of the headers that carry a packet with tshark's, over each kind of link.
func TestTsharkAgreesBelow(t *testing.T) {
	name, met := filepath.Join(t.TempDir(), "capture"), map[string]int{}
	columns, from := []string{"frame.number"}, map[string]int{} // the first column of each field
	for ours, theirs := range theirFields {
		from[ours] = len(columns)
		columns = append(columns, theirs...)
	}
	for of, packets := range linkHeaders(t) {
		const fileHeader = 24
		file := record(t, of, nil, 0)[:fileHeader]
		for _, packet := range packets {
			file = join(file, record(t, of, packet, len(packet))[fileHeader:])
		}
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		rows := capturetest.Dissect(t, name, columns...)
		var f Frame
		for i := 0; r.Next(&f) == nil; i++ {
			for _, c := range Fields() {
				want := lastOf(rows[i][from[c.Name]:][:len(theirFields[c.Name])])
				switch {
				case want == "":
				case !c.Has(&f):
					t.Errorf("%v, packet %d: no %s, tshark has %s", of, i+1, c.Name, want)
				case c.Of == nil:
					if got := c.Text(&f); got != want {
						t.Errorf("%v, packet %d: %s is %s, want %s", of, i+1, c.Name, got, want)
					}
					met[c.Name]++
				default:
					if n, err := strconv.ParseUint(want, 0, 64); err != nil || n != c.Of(&f) {
						t.Errorf("%v, packet %d: %s is %d, want %s", of, i+1, c.Name, c.Of(&f), want)
					}
					met[c.Name]++
				}
			}
		}
	}
	for _, c := range Fields() {
		if met[c.Name] == 0 {
			t.Errorf("no packet has %s", c.Name)
		}
	}
}

// lastOf returns the value that one of the columns has; the last one of several tags.
func lastOf(row []string) string {
	all := strings.Split(strings.Join(row, ""), ",")
	return all[len(all)-1]
}
