package session

import (
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// TestDescribeQP names what the mask says is valid, and nothing else.
func TestDescribeQP(t *testing.T) {
	attr := verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrPort | verbs.AttrAltPath, QPState: verbs.QPInit, PortNum: 1, Timeout: 14, AltTimeout: 9}
	got := describeQP(&attr, &verbs.QPInitAttr{QPType: verbs.UC})
	if got != "qp_type=UC qp_state=INIT port_num=1" {
		t.Errorf("%q", got)
	}
}

// TestManagerFieldsOfAnIdentifier: what it does not have yet is an error that says what is to be done.
func TestManagerFieldsOfAnIdentifier(t *testing.T) {
	field := func(i *cmID, name string) (string, error) {
		for _, f := range i.Fields() {
			if f.Name == name {
				return f.Text()
			}
		}
		t.Fatal("there is no field ", name)
		return "", nil
	}
	i := &cmID{Node: &core.Node{Name: "id"}}
	for name, want := range map[string]string{"device": "id", "qp_num": "rdma_create_qp id"} {
		if got, err := field(i, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	i.dev, i.qp = &device.Device{Node: &core.Node{Name: "rxe0"}}, &QP{num: 0x17}
	for name, want := range map[string]string{"device": "rxe0", "qp_num": "0x000017"} {
		if got, err := field(i, name); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestChannelDecidesTheDevice: a queue is made on its channel's device, which the line then names.
func TestChannelDecidesTheDevice(t *testing.T) {
	s := newSoft(t, core.Options{})
	runScript(t, s, "open_device soft0\nopen_device soft1\ncreate_comp_channel ch device=soft1")
	if done := execute(t, s, "create_cq cq channel=ch"); !strings.Contains(done.Resolved, "device=soft1") {
		t.Errorf("%q", done.Resolved)
	}
	if done, err := s.Exec(t.Context(), "create_cq other channel=ch device=soft0"); err == nil {
		t.Errorf("%+v: a channel of another device", done)
	}
}
