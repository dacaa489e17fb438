package packets_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/verbstest/capturetest"
)

// recorded makes a provider of software devices whose packets are written to a file; done completes the file.
func recorded(t *testing.T) (p *soft.Provider, path string, done func()) {
	t.Helper()
	return recordedOn(t, soft.Options{})
}

// recordedOn is recorded for devices with options.
func recordedOn(t *testing.T, opts soft.Options) (p *soft.Provider, path string, done func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "all.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	w := capture.NewWriter(f)
	p = soft.New(opts)
	devices := []string{"soft0", "soft1"}
	for _, device := range devices {
		see := func(s verbs.Packet) {
			mu.Lock()
			defer mu.Unlock()
			w.Write(&timeline.Packet{At: s.At, Device: device, Outgoing: s.Outgoing, Src: s.Src, Dst: s.Dst, IP: s.IP,
				Data: s.Data})
		}
		if err := p.TapPackets(device, see); err != nil {
			t.Fatal(err)
		}
	}
	return p, path, func() {
		t.Helper()
		for _, device := range devices {
			if err := p.TapPackets(device, nil); err != nil {
				t.Error(err)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if err := cmp.Or(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// outerFields are the fields below the BTH, as tshark prints them.
var outerFields = []struct {
	name string
	of   func(*capture.Frame) string
}{
	{"_ws.malformed", func(*capture.Frame) string { return "" }},
	{"frame.time_epoch", func(f *capture.Frame) string {
		return fmt.Sprintf("%d.%09d", f.At.Unix(), f.At.Nanosecond())
	}},
	{"frame.interface_name", func(f *capture.Frame) string { return f.Device }},
	{"ip.src", func(f *capture.Frame) string { return ifFour(f, f.Src.Addr()) }},
	{"ip.dst", func(f *capture.Frame) string { return ifFour(f, f.Dst.Addr()) }},
	{"ip.dsfield.dscp", func(f *capture.Frame) string { return ifFour(f, f.IP.TrafficClass>>2) }},
	{"ip.dsfield.ecn", func(f *capture.Frame) string { return ifFour(f, f.IP.TrafficClass&3) }},
	{"ip.ttl", func(f *capture.Frame) string { return ifFour(f, f.IP.HopLimit) }},
	{"ip.id", func(f *capture.Frame) string { return ifFour(f, fmt.Sprintf("0x%04x", f.ID)) }},
	{"ip.flags.df", func(f *capture.Frame) string { return ifFour(f, 1) }},
	{"ip.checksum.status", func(f *capture.Frame) string { return ifFour(f, 1) }},
	{"udp.srcport", func(f *capture.Frame) string { return fmt.Sprint(f.Src.Port()) }},
	{"udp.dstport", func(f *capture.Frame) string { return fmt.Sprint(f.Dst.Port()) }},
	{"udp.length", func(f *capture.Frame) string { return fmt.Sprint(8 + f.Len) }},
	{"udp.checksum.status", func(*capture.Frame) string { return "1" }},
}

// ifFour prints a value of the IPv4 header, "" for IPv6.
func ifFour(f *capture.Frame, v any) string {
	if !f.Src.Addr().Is4() {
		return ""
	}
	return fmt.Sprint(v)
}

// agree compares every packet of a capture with tshark, field by field. It adds the fields that it met.
func agree(t *testing.T, path string, met map[string]bool) {
	t.Helper()
	table := slices.Concat(capturetest.HeaderFields, capturetest.ManagementFields)
	var names []string
	for _, f := range outerFields {
		names = append(names, f.name)
	}
	for _, f := range table {
		names = append(names, f.Name)
	}
	rows := capturetest.Dissect(t, path, names...)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := capture.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for n, row := range rows {
		var f capture.Frame
		if err := r.Next(&f); err != nil || f.Err != nil {
			t.Fatalf("packet %d: %v, %v", n+1, err, f.Err)
		}
		for i, field := range outerFields {
			if want := field.of(&f); row[i] != want {
				t.Errorf("packet %d, %v: %s is %q, want %q", n+1, &f.Wire, field.name, row[i], want)
			}
		}
		for i, field := range table {
			got := row[len(outerFields)+i]
			want, has := field.Of(&f.Wire)
			met[field.Name] = met[field.Name] || has
			if !field.Agree(&f.Wire, got) {
				t.Errorf("packet %d, %v: %s is %q, want %#x, %v", n+1, &f.Wire, field.Name, got, want, has)
			}
		}
	}
	if err := r.Next(new(capture.Frame)); err == nil || len(rows) == 0 {
		t.Errorf("tshark has %d packets, the reader more", len(rows))
	}
}

// rare has what neither scenarios nor the lab send: an atomic that succeeds, an invalidation, and a refused connection.
const rare = `
open_device soft0
alloc_pd pd
reg_mr m length=64 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC
create_cq cq
create_qp a
create_qp b
connect_qps a b qp_access_flags=REMOTE_ATOMIC
write_mem m be32:77
post_send a ATOMIC_FETCH_AND_ADD sge=m:8:8 remote_addr=m.addr rkey=m.rkey compare_add=1
poll_cq cq timeout=5s
expect wc qp=a status=SUCCESS
post_recv b sge=m:16:8
post_send a SEND_WITH_INV sge=m:8:8 invalidate_rkey=m.rkey
poll_cq cq n=2 timeout=5s
rdma_create_event_channel events
rdma_create_id listen
rdma_bind_addr listen port=7471
rdma_listen listen
rdma_create_id id
rdma_resolve_addr id 127.0.0.1 port=7471
rdma_get_cm_event ADDR_RESOLVED id=id
alloc_pd pd2 id=id
create_cq cq2 id=id
rdma_create_qp id qp pd=pd2 send_cq=cq2
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id
rdma_connect id
rdma_get_cm_event CONNECT_REQUEST name=req timeout=5s
rdma_reject req private_data="busy"
rdma_get_cm_event REJECTED id=id timeout=5s
`

// TestTsharkAgreesOnEverything runs every scenario between two sessions, every experiment of the lab, and what is rare,
// and compares all packets with tshark. Each field must occur.
func TestTsharkAgreesOnEverything(t *testing.T) {
	met, ran := map[string]bool{}, 0
	for _, sc := range scenario.All {
		t.Run(sc.Name, func(t *testing.T) {
			p, path, done := recorded(t)
			server, client := sessiontest.RunBoth(t, p, sc)
			client.Gone(t)
			server.Gone(t)
			done()
			agree(t, path, met)
			ran++
		})
	}
	t.Run("lab", func(t *testing.T) {
		p, path, done := recorded(t)
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		experiments, err := lab.Experiments()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range experiments {
			r, err := s.NewLabRun(e.Name, lab.On("soft0"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		done()
		agree(t, path, met)
		ran++
	})
	t.Run("rare", func(t *testing.T) {
		p, path, done := recorded(t)
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		sessiontest.RunScript(t, s, rare)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		done()
		agree(t, path, met)
		ran++
	})
	if ran < len(scenario.All)+2 {
		return // some were not selected, or failed
	}
	for _, f := range slices.Concat(capturetest.HeaderFields, capturetest.ManagementFields) {
		if !met[f.Name] {
			t.Errorf("no packet has %s", f.Name)
		}
	}
}
