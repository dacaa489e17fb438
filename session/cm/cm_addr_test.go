package cm_test

import (
	"context"
	"strings"
	"testing"

	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestAddrArg parses addresses with and without a port; two different ports are refused.
func TestAddrArg(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.AddrInfos = sessiontest.AddrSays()
	sessiontest.RunLines(t, s, "rdma_getaddrinfo server name=res")
	for _, tt := range []struct {
		text string
		port uint64
		want string // "!": part of the error
	}{
		{"10.0.0.1", 0, "10.0.0.1:0"}, {"10.0.0.1", 7, "10.0.0.1:7"}, {"::1", 7, "[::1]:7"},
		{"10.0.0.1:9", 0, "10.0.0.1:9"}, {"10.0.0.1:9", 9, "10.0.0.1:9"}, {"10.0.0.1:0", 7, "10.0.0.1:7"},
		{"10.0.0.1:9", 7, "!addr: the address has port 9, but port= is 7"},
		{"", 7, "[::]:7"},
		{"res.dst_addr", 0, "10.0.0.2:7471"}, {"res.nothing", 0, "!addr: "},
		{"a;b", 0, `!addr: "a;b" is not a host name or IP address`},
		{"nobody.invalid", 0, "!addr: lookup nobody.invalid"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // no name server is asked
		cmd := command.Command{Spec: command.Find("rdma_bind_addr")}.With("addr", tt.text)
		got, err := cm.AddrArg(&core.Call{S: s.Core(), Ctx: ctx, Cmd: cmd}, "addr", tt.port)
		if want, fails := strings.CutPrefix(tt.want, "!"); fails &&
			(err == nil || !strings.HasPrefix(err.Error(), want)) ||
			!fails && (err != nil || got.String() != tt.want) {
			t.Errorf("%q, port %d: %s, %v; want %s", tt.text, tt.port, got, err, tt.want)
		}
	}
}

// TestInitQPAttrOfEachState: attributes shown for one state stay when another state is queried.
func TestInitQPAttrOfEachState(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, "rdma_create_id id mode=sync\nrdma_resolve_addr id 10.0.0.2 port=1")
	for range 2 {
		sessiontest.RunLines(t, s, "rdma_init_qp_attr id INIT\nrdma_init_qp_attr id RTR")
		for field, want := range map[string]string{"INIT.port_num": "1", "RTR.dest_qp_num": "0x000077"} {
			if got, err := s.Core().LookUp("id", field); got != want {
				t.Errorf("%s is %q, %v; want %q", field, got, err, want)
			}
		}
	}
}
