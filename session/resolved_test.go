package session_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// datagrams covers what the other journeys omit.
const datagrams = `
open_device device="soft0"
query_device
query_port
query_gid index=1
query_pkey
alloc_pd name="pd"
reg_mr mr pd=pd length=4096
create_comp_channel ch
create_cq cq channel=ch
create_qp u qp_type=UD
create_qp v qp_type=UD
connect_qps u v
create_ah dgid=v.gid
create_srq max_wr=4
modify_srq srq_limit=1
query_srq
post_srq_recv sge=mr:8 count=2
create_qp w qp_type=UD srq=srq
attach_mcast u gid=239.193.65.9
detach_mcast u gid=239.193.65.9
write_mem mr "two words" offset=8
write_mem mr "0x41"
write_mem mr pattern:64 offset=128
req_notify_cq
post_recv v sge=mr:1024 count=2
post_send u SEND sge=mr:0:64 ah=ah remote_qpn=v.qp_num remote_qkey=0x11111111
get_cq_event
ack_cq_events
poll_cq n=2 timeout=1s
expect wc qp=v status=SUCCESS
expect mem mr data="0x41"
expect error EINVAL modify_qp u INIT
expect error get_async_event timeout=1us
query_qp u
read_mem mr 1024
peer p qp_num=u.qp_num psn=3 gid=10.0.0.2
note "a remark"
repeat 2 note again
live off
sleep 1us
help reg_mr
close p
destroy_ah
destroy_qp w
destroy_srq
`

// TestResolvedLinesCanBeRun: each resolved line parses as the same command.
func TestResolvedLinesCanBeRun(t *testing.T) {
	for name, script := range map[string]string{"first light": sessiontest.FirstLight, "failures": sessiontest.Failures,
		"datagrams": datagrams} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewSoft(t, core.Options{})
			sessiontest.RunScript(t, s, script)
			for _, d := range sessiontest.Commands(s) {
				c, err := command.Parse(d.Resolved)
				if _, wrong := command.Parse(d.Line); wrong != nil {
					continue // the line must fail
				}
				if err != nil || c.Canonical() != d.Resolved {
					t.Errorf("%s\nresolves to %s\nwhich is %s, %v", d.Line, d.Resolved, c.Canonical(), err)
				}
			}
		})
	}
}

// TestResolvedLinesMeanTheSame runs the resolved lines of a bring-up on another
// provider that hands out the same numbers.
func TestResolvedLinesMeanTheSame(t *testing.T) {
	for _, qpType := range []string{"RC", "UC", "UD"} {
		t.Run(qpType, func(t *testing.T) {
			first := seededSession(t)
			sessiontest.RunScript(t, first, strings.NewReplacer("open_device soft0", `open_device device="soft0"`,
				"create_qp a", "create_qp a qp_type="+qpType, "create_qp b", "create_qp b qp_type="+qpType).
				Replace(sessiontest.Loopback))
			lines := resolved(first)
			second := seededSession(t)
			sessiontest.RunScript(t, second, strings.Join(lines, "\n"))
			if got := resolved(second); !slices.Equal(got, lines) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
			}
			sessiontest.RunScript(t, second, "expect state a RTS\nexpect state b RTS")
		})
	}
}

func seededSession(t *testing.T) *session.Session {
	s := session.New(core.Options{
		Providers: []verbs.Provider{soft.New(soft.Options{Rand: rand.New(rand.NewPCG(1, 2)).Uint64})},
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return s
}

func resolved(s *session.Session) (lines []string) {
	for _, d := range sessiontest.Commands(s) {
		lines = append(lines, d.Resolved)
	}
	return lines
}
