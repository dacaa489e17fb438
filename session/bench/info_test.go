package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestInfo: the lines about a test are those that perftest has for it, in the text and in the JSON.
func TestInfo(t *testing.T) {
	for _, tt := range []struct {
		verb    Verb
		latency bool
		change  func(*Params)
		title   string
		has     string // separated by "; "
		lacks   string
	}{
		{Write, false, func(p *Params) { p.Host = "h" }, "RDMA_Write BW Test",
			"TX depth: 128; CQ Moderation: 1; Max inline data: 0[B]; RKey 0x00000009 VAddr 0x000000000000aaaa",
			"OUT; RX depth; Post List; Outstand"},
		{Write, false, func(p *Params) { p.Bidirectional, p.PostList = true, 2 },
			"RDMA_Write Bidirectional Post List BW Test", "TX depth: 128; Post List: 2; CQ Moderation: 2", "RX depth"},
		{Send, false, func(*Params) {}, "Send BW Test", "RX depth: 512", "TX depth; RKey"},
		{Send, false, func(p *Params) { p.Host = "h" }, "Send BW Test",
			"TX depth: 128", "RX depth; RKey"},
		{Send, false, func(p *Params) { p.Host, p.Bidirectional = "h", true },
			"Send Bidirectional BW Test", "TX depth: 128; RX depth: 512", "Post List"},
		{Read, true, func(p *Params) { p.Host, p.Outs = "h", 16 }, "RDMA_Read Latency Test",
			"Outstand reads: 16; OUT 0x0010 RKey 0x00000009 VAddr 0x000000000000aaaa", "CQ Moderation; Max inline"},
		{Atomic, false, func(p *Params) { p.Host, p.Outs = "h", 16 }, "Atomic FETCH_AND_ADD BW Test",
			"Outstand reads: 16", "RKey; Max inline"},
		{Atomic, true, func(p *Params) { p.Host, p.CmpSwap, p.CM = "h", true, true },
			"Atomic CMP_AND_SWAP Latency Test", "rdma_cm QPs: ON; Data ex. method: rdma_cm", "GID index"},
	} {
		p := DefaultParams(Test{Verb: tt.verb, Latency: tt.latency})
		tt.change(&p)
		dest := Dest{LID: 1, QPN: 0x12, PSN: 3, OutReads: 16, RKey: 9, VAddr: 0xaaaa}
		info := Info{Params: p.Settle(), DeviceName: "soft0", Transport: "InfiniBand", LinkLayer: verbs.LinkEthernet,
			Local: []Dest{dest}, Remote: []Dest{dest, dest}}
		if !p.CM {
			info.Params.GIDIndex = 0
			tt.has += "; GID index: 0"
		}
		info.Params.Inline = max(info.Params.Inline, 0)
		lines := strings.Split(info.Text(), "\n")
		for i := range lines {
			label, value, _ := strings.Cut(lines[i], ":")
			lines[i] = strings.TrimSpace(label) + ": " + strings.TrimSpace(value)
		}
		text := strings.Join(lines, "\n")
		for _, part := range strings.Split(tt.has+"; Device: soft0; Transport type: IB; Link type: Ethernet", "; ") {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q:\n%s", tt.title, part, text)
			}
		}
		for _, part := range strings.Split(tt.lacks, "; ") {
			if strings.Contains(text, part) {
				t.Errorf("%s has %q:\n%s", tt.title, part, text)
			}
		}
		if info.Title() != tt.title || strings.Count(text, "local address") != 1 ||
			strings.Count(text, "remote address") != 2 || strings.Contains(text, "GID: ") {
			t.Errorf("%s, want %s:\n%s", info.Title(), tt.title, text)
		}
		if text := info.Text(); !strings.HasPrefix(text, Rule+"\n                    "+tt.title+"\n") ||
			strings.Count(text, Rule+"\n") != 3 || strings.Count(text, "\n remote address") != 2 ||
			!strings.HasSuffix(text, Rule+"\n"+Columns(&info.Params, false)+"\n") {
			t.Errorf("%s", text)
		}
		checkInfoJSON(t, &info)
	}
}

// checkInfoJSON compares the JSON of a test with its lines.
func checkInfoJSON(t *testing.T, info *Info) {
	t.Helper()
	for _, res := range []Result{{Report: Report{Size: 4}}, {Latency: &Latency{Size: 8}}} {
		var got struct {
			Test    map[string]any     `json:"test_info"`
			Results map[string]float64 `json:"results"`
		}
		if err := json.Unmarshal(info.JSON(&res), &got); err != nil {
			t.Fatalf("%v:\n%s", err, info.JSON(&res))
		}
		size, key := 4.0, "BW_peak"
		if res.Latency != nil {
			size, key = 8, "t_min"
		}
		if _, ok := got.Results[key]; !ok || got.Results["MsgSize"] != size {
			t.Errorf("%+v", got.Results)
		}
		if got.Test["test"] != strings.ReplaceAll(info.Title(), " ", "_") || len(got.Test) != 1+len(info.facts()) {
			t.Errorf("%+v", got.Test)
		}
		for _, f := range info.facts() {
			if fmt.Sprint(got.Test[f.name]) != fmt.Sprint(f.value) {
				t.Errorf("%s is %v, want %v", f.name, got.Test[f.name], f.value)
			}
		}
		if row := strings.Fields(res.Row(&info.Params)); row[0] != fmt.Sprint(size) {
			t.Errorf("%q", row)
		}
	}
}

// TestInfoOfOthers: the transport and the link layer of other devices, and a GID.
func TestInfoOfOthers(t *testing.T) {
	info := Info{Params: DefaultParams(Test{Verb: Send}), Transport: "iWARP",
		Local: []Dest{{GID: verbs.GID{15: 1}}}}
	for _, part := range []string{"Transport type  : iWARP\n", "Link type       : IB\n", " GID: ::1\n",
		"Connection type : RC\n", "Data ex. method : Ethernet\n", "rdma_cm QPs     : OFF\n"} {
		if !strings.Contains(info.Text(), part) {
			t.Errorf("no %q:\n%s", part, info.Text())
		}
	}
}
