package queue

import (
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// TestOutstandingOfAQueue: each request counts where it will complete, and those of a shared receive queue once in each
// completion queue.
func TestOutstandingOfAQueue(t *testing.T) {
	pd := &region.PD{Node: &core.Node{Name: "pd"}, Device: &device.Device{Node: &core.Node{Name: "d"}}}
	cqs, srqs := map[string]*CQ{}, map[string]*SRQ{}
	var v core.Snapshot
	for _, name := range []string{"c", "d", "e"} {
		cqs[name] = &CQ{Node: &core.Node{Name: name}}
		v.CQs = append(v.CQs, core.CQView{Name: name})
	}
	for name, n := range map[string]int{"s": 3, "r": 50} {
		srqs[name] = &SRQ{Node: &core.Node{Name: name}}
		for range n {
			srqs[name].Recvs.Push(Request{})
		}
	}
	for _, tt := range []struct {
		srq, send, recv string
		sends, recvs    int
		want            [3]int // in c, d and e
	}{
		{"", "c", "c", 1, 2, [3]int{3, 0, 0}},
		{"", "d", "c", 4, 5, [3]int{8, 4, 0}},
		{"s", "e", "c", 0, 0, [3]int{11, 4, 0}},
		{"s", "e", "c", 0, 0, [3]int{11, 4, 0}}, // the same RECVs
		{"s", "e", "d", 0, 0, [3]int{11, 7, 0}}, // which may complete here
		{"r", "e", "c", 0, 0, [3]int{61, 7, 0}},
		{"r", "e", "c", 0, 0, [3]int{61, 7, 0}},
		{"", "e", "e", 7, 0, [3]int{61, 7, 7}},
	} {
		q := &QP{Node: &core.Node{Name: "q"}, PD: pd, SRQ: srqs[tt.srq], SendCQ: cqs[tt.send], RecvCQ: cqs[tt.recv]}
		for range tt.sends {
			q.Sends.Push(Request{})
		}
		for range tt.recvs {
			q.Recvs.Push(Request{})
		}
		q.Spec = verbs.QPSpec{QPType: verbs.RC}
		if q.View(&v); [3]int{v.CQs[0].Outstanding, v.CQs[1].Outstanding, v.CQs[2].Outstanding} != tt.want {
			t.Errorf("%+v: %+v", tt, v.CQs)
		}
	}
}
