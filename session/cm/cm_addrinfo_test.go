package cm_test

import (
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

func TestAddrInfo(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.AddrInfos = sessiontest.AddrSays()
	done := sessiontest.Execute(t, s,
		"rdma_getaddrinfo server 7471 flags=NOROUTE family=INET port_space=TCP qp_type=RC src=10.0.0.1")
	if want := `rdma_getaddrinfo("server", "7471", {.ai_flags = RAI_NOROUTE, .ai_family = AF_INET, ` +
		`.ai_qp_type = IBV_QPT_RC, .ai_port_space = RDMA_PS_TCP, .ai_src_addr = "10.0.0.1:0"}, &res)`; done.Call() != want {
		t.Errorf("the call is %s", done.Call())
	}
	if want := "INET to 10.0.0.2:7471, TCP, RC; IB from [fe80::1]:0 to [fe80::2]:7471, TCP, unknown(0), with a path of 72 bytes"; done.Result != want {
		t.Errorf("the result is %s", done.Result)
	}
	for field, want := range map[string]string{
		"dst_addr": "10.0.0.2:7471", "family": "INET", "qp_type": "RC", "port_space": "TCP",
		"dst_canonname": "server.example", "next1.src_addr": "[fe80::1]:0",
		"next1.route_len": "72", "next1.connect_len": "36",
	} {
		if got, err := s.Core().LookUp("res", field); err != nil || got != want {
			t.Errorf("res.%s is %q, %v; not %s", field, got, err, want)
		}
	}
	if _, err := s.Core().LookUp("res", "src_addr"); err == nil || !strings.Contains(err.Error(), "PASSIVE") {
		t.Errorf("a missing source: %v", err)
	}
	sessiontest.RunLines(t, s, `
rdma_create_id id mode=poll ps=res.port_space
rdma_resolve_addr id res.dst_addr
rdma_get_cm_event ADDR_RESOLVED
expect error rdma_bind_addr id res.src_addr
rdma_freeaddrinfo res
`)
	if got, err := s.Core().LookUp("id", "peer_addr"); got != "10.0.0.2:7471" {
		t.Errorf("the peer is %s, %v", got, err)
	}
	one := sessiontest.Execute(t, s, "rdma_getaddrinfo server family=INET name=one")
	if one.Call() != `rdma_getaddrinfo("server", NULL, {.ai_family = AF_INET}, &one)` {
		t.Errorf("with one hint the call is %s", one.Call())
	}
	sessiontest.Execute(t, s, "rdma_freeaddrinfo one")
	plain := sessiontest.Execute(t, s, "rdma_getaddrinfo server name=other")
	if plain.Call() != `rdma_getaddrinfo("server", NULL, NULL, &other)` {
		t.Errorf("without hints the call is %s", plain.Call())
	}
	addrCompletion(t, s)
}

// TestAddrInfoOfAListener: a listener's address has no destination, and none is
// shown.
func TestAddrInfoOfAListener(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.AddrInfos = []verbs.AddrInfo{{Family: verbs.FamilyInet, QPType: verbs.RC, PortSpace: verbs.PortSpaceTCP,
		Src: netip.MustParseAddrPort("10.0.0.1:7471")}}
	done := sessiontest.Execute(t, s, "rdma_getaddrinfo service=7471 flags=PASSIVE")
	if want := "INET from 10.0.0.1:7471, TCP, RC"; done.Result != want {
		t.Errorf("%s, want %s", done.Result, want)
	}
}

func addrCompletion(t *testing.T, s *session.Session) {
	t.Helper()
	for line, want := range map[string]string{
		"rdma_resolve_addr id oth":        "other.dst_addr",
		"rdma_resolve_addr id other.fam":  "family",
		"rdma_getaddrinfo a b flags=PASS": "PASSIVE",
		"rdma_freeaddrinfo ":              "other",
	} {
		found := s.Complete(line, len(line))
		if len(found) == 0 || found[0].Text != want {
			t.Errorf("%q is completed by %v", line, found)
		}
	}
}

func TestAddrInfoFails(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.Refuse["getaddrinfo nosuch 1"] = verbs.NewOpError("rdma_getaddrinfo", "", verbs.AddrInfoNoName)
	f.Refuse["getaddrinfo odd 1"] = verbs.NewOpError("rdma_getaddrinfo", "", syscall.EINVAL)
	for _, tt := range []struct{ line, errno, words, hint string }{
		{"rdma_getaddrinfo nosuch 1", "EAI_NONAME", "Name or service not known (EAI_NONAME)", "/etc/hosts"},
		{"rdma_getaddrinfo odd 1", "EINVAL", "(EINVAL)", ""},
		{"rdma_getaddrinfo empty 1", "EAI_NODATA", "No address", "no address in that family"},
	} {
		done, err := s.Exec(t.Context(), tt.line)
		if err == nil || done.Errno != tt.errno || !strings.Contains(done.Err, tt.words) ||
			!strings.Contains(done.Hint, tt.hint) {
			t.Errorf("%s: %v, errno %s, hint %q", tt.line, err, done.Errno, done.Hint)
		}
	}
	sessiontest.Execute(t, s, "expect error EAI_NONAME rdma_getaddrinfo nosuch 1")
	f.Silent["getaddrinfo"] = true
	done, err := s.Exec(t.Context(), "rdma_getaddrinfo slow 1 timeout=1ms")
	if err == nil || !strings.Contains(done.Err, "did not answer within") {
		t.Errorf("a resolver that does not answer: %v", err)
	}
	if names := s.Core().ObjectNames("addrinfo"); len(names) != 0 {
		t.Errorf("failed calls left %v", names)
	}
}

// TestAddrInfoOnSoft connects with the resolver's results on both ends.
func TestAddrInfoOnSoft(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, `
rdma_getaddrinfo service=7471 flags=PASSIVE port_space=TCP name=own
rdma_getaddrinfo 127.0.0.1 7471 flags=NUMERICHOST name=theirs
rdma_create_event_channel events
rdma_create_id listen ps=own.port_space
rdma_bind_addr listen own.src_addr
rdma_listen listen
rdma_create_id id ps=theirs.port_space
rdma_resolve_addr id theirs.dst_addr
rdma_get_cm_event ADDR_RESOLVED id=id
expect error EAI_NONAME rdma_getaddrinfo a.name flags=NUMERICHOST
expect error EAI_SERVICE rdma_getaddrinfo 127.0.0.1 no-such-service
expect error EAI_SOCKTYPE rdma_getaddrinfo 127.0.0.1 qp_type=UD port_space=TCP
expect error EAI_ADDRFAMILY rdma_getaddrinfo 127.0.0.1 family=INET6
expect error EAI_ADDRFAMILY rdma_getaddrinfo ::1 family=IB
expect error EINVAL rdma_getaddrinfo
`)
	if got, err := s.Core().LookUp("id", "peer_addr"); got != "127.0.0.1:7471" {
		t.Errorf("the peer is %s, %v", got, err)
	}
}
