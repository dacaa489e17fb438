package bench

import (
	"encoding/json"
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// fact is a line about the test: its label in perftest's output, its name in the file
// of --out_json and its value.
type fact struct {
	label, name string
	value       any
}

// facts returns the lines about the test in perftest's order.
func (i *Info) facts() []fact {
	p := &i.Params
	facts := []fact{
		{"Dual-port", "Dual_port", "OFF"}, {"Device", "Device", i.DeviceName},
		{"Number of qps", "Number_of_qps", p.QPs}, {"Transport type", "Transport_type", i.transport()},
		{"Connection type", "Connection_type", p.Connection.String()}, {"Using SRQ", "Using_SRQ", onOff(p.SharedQueue)},
		{"PCIe relax order", "PCIe_relax_order", "OFF"}, {"ibv_wr* API", "ibv_wr_API", "OFF"},
	}
	if p.Client() || p.Bidirectional {
		facts = append(facts, fact{"TX depth", "TX_depth", p.TXDepth})
	}
	if p.PostList > 1 {
		facts = append(facts, fact{"Post List", "Post_List", p.PostList})
	}
	if p.Test.Verb == Send && (!p.Client() || p.Bidirectional) {
		facts = append(facts, fact{"RX depth", "RX_depth", p.RXDepth})
	}
	if !p.Test.Latency {
		facts = append(facts, fact{"CQ Moderation", "CQ_Moderation", p.CQMod})
	}
	facts = append(facts, fact{"Mtu", "Mtu", i.Common.MTU.Bytes()}, fact{"Link type", "Link_type", i.linkLayer()})
	if p.GIDIndex >= 0 {
		facts = append(facts, fact{"GID index", "GID_index", p.GIDIndex})
	}
	if p.Test.Verb == Read || p.Test.Verb == Atomic {
		facts = append(facts, fact{"Outstand reads", "Outstand_reads", p.Outs})
	} else {
		facts = append(facts, fact{"Max inline data", "Max_inline_data", p.Inline})
	}
	exchange := "Ethernet"
	if p.CM {
		exchange = "rdma_cm"
	}
	return append(facts, fact{"rdma_cm QPs", "rdma_cm_QPs", onOff(p.CM)},
		fact{"Data ex. method", "Data_ex_method", exchange})
}

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

func (i *Info) transport() string {
	if i.Transport == "InfiniBand" {
		return "IB"
	}
	return i.Transport
}

func (i *Info) linkLayer() string {
	if i.LinkLayer == verbs.LinkEthernet {
		return "Ethernet"
	}
	return "IB"
}

// Title names the test as perftest does, "RDMA_Write Bidirectional BW Test".
func (i *Info) Title() string {
	words := []string{i.Params.Test.Verb.Report()}
	p := &i.Params
	if p.Test.Verb == Atomic {
		words = append(words, map[bool]string{false: "FETCH_AND_ADD", true: "CMP_AND_SWAP"}[p.CmpSwap])
	}
	if p.Bidirectional {
		words = append(words, "Bidirectional")
	}
	if p.PostList > 1 {
		words = append(words, "Post List")
	}
	return strings.Join(append(words, map[bool]string{false: "BW", true: "Latency"}[p.Test.Latency], "Test"), " ")
}

// Text describes the test in the lines of perftest's output.
func (i *Info) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n                    %s\n", Rule, i.Title())
	for _, f := range i.facts() {
		unit := ""
		if f.name == "Mtu" || f.name == "Max_inline_data" {
			unit = "[B]"
		}
		fmt.Fprintf(&b, " %-16s: %v%s\n", f.label, f.value, unit)
	}
	fmt.Fprintln(&b, Rule)
	for _, side := range []struct {
		name  string
		dests []Dest
	}{{"local", i.Local}, {"remote", i.Remote}} {
		for _, d := range side.dests {
			fmt.Fprintf(&b, " %s address: LID %#04x QPN %#06x PSN %#06x", side.name, d.LID, uint32(d.QPN),
				uint32(d.PSN))
			switch v := i.Params.Test.Verb; v {
			case Read:
				fmt.Fprintf(&b, " OUT %#04x", d.OutReads)
				fallthrough
			case Write:
				fmt.Fprintf(&b, " RKey %#08x VAddr %#016x", d.RKey, d.VAddr)
			}
			b.WriteByte('\n')
			if !d.GID.IsZero() {
				fmt.Fprintf(&b, " GID: %s\n", d.GID)
			}
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n", Rule, Columns(&i.Params, i.MiB))
	return b.String()
}

// JSON returns the test and a result in the layout of perftest's --out_json.
func (i *Info) JSON(res *Result) []byte {
	var b strings.Builder
	b.WriteString("{\n\"test_info\": {\n")
	put := func(name, value string) { fmt.Fprintf(&b, "%q: %s", name, value) }
	put("test", quote(strings.ReplaceAll(i.Title(), " ", "_")))
	for _, f := range i.facts() {
		b.WriteString(",\n")
		put(f.name, quote(f.value))
	}
	b.WriteString("\n},\n\"results\": {\n")
	fields := res.Report.Fields(&i.Params)
	if res.Latency != nil {
		fields = res.Latency.Fields(&i.Params)
	}
	for n, f := range fields {
		if n > 0 {
			b.WriteString(",\n")
		}
		put(f.Name, f.JSON)
	}
	b.WriteString("\n}\n}\n")
	return []byte(b.String())
}

func quote(value any) string {
	b, _ := json.Marshal(value) // strings and integers cannot fail
	return string(b)
}

// Row returns the result as a line of the table.
func (res *Result) Row(p *Params) string {
	if res.Latency != nil {
		return res.Latency.Row(p)
	}
	return res.Report.Row(p)
}
