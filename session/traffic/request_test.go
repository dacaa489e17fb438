package traffic

import (
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// TestPingpongRequests: each lane has one SEND of the message, inline if the queue pair takes it, and the RECVs are as
// many as the queue has room for. A region that is too small is refused.
func TestPingpongRequests(t *testing.T) {
	for _, tt := range []struct {
		name     string
		length   uint64
		inline   uint32
		most     uint32
		validate bool
		recvs    int
		err      string
	}{
		{"plain", 8, 0, 10, false, 10, ""}, {"inline", 8, 8, 10, false, 10, ""},
		{"more than is inline", 8, 7, 10, false, 10, ""},
		{"a deep queue", 64, 0, 1000, false, PingDepth, ""}, {"validated", 8, 0, 10, true, 10, ""},
		{"too small", 7, 0, 10, false, 0, "mr has 7 bytes, but a message has 8"},
	} {
		p, _ := newPinger(t, true, 3, 1, 2, false)
		pd := &region.PD{}
		for i := range p.lanes {
			q := p.lanes[i].q
			q.PD, q.Limits.MaxInlineData, q.Limits.MaxRecvWR = pd, tt.inline, tt.most
			p.lanes[i].send = nil
		}
		p.validate = tt.validate
		n := &core.Node{Name: "mr", Kind: command.KindMR}
		n.Body = &region.MR{Node: n, MR: &store{b: make([]byte, tt.length)}, PD: pd}
		p.s.Graph.Add(n)
		cmd, err := command.Parse("pingpong qp=qp mr=mr role=client")
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Call{S: p.s, Cmd: cmd}
		err = p.requests(c)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
		}
		if tt.err != "" {
			continue
		}
		flags := verbs.SendSignaled
		if tt.inline >= 8 {
			flags |= verbs.SendInline
		}
		for i := range p.lanes {
			wr := p.lanes[i].send[0]
			if len(p.lanes[i].send) != 1 || wr.SendFlags != flags || wr.Opcode != verbs.WRSend ||
				wr.WRID != pingSendID || wr.SGList[0] != (verbs.SGE{Addr: 0x1000, Length: 8, LKey: 5}) {
				t.Errorf("%s: %+v", tt.name, wr)
			}
		}
		if recv := p.recvs[len(p.recvs)-1]; len(p.recvs) != tt.recvs || recv.WRID != pingRecvID ||
			recv.SGList[0] != (verbs.SGE{Addr: 0x1000, Length: 8, LKey: 5}) || (p.payload != nil) != tt.validate {
			t.Errorf("%s: %d RECVs, %+v", tt.name, len(p.recvs), recv)
		}
	}
}
