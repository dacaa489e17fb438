package session_test

import (
	"errors"
	"slices"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// oneOfEach makes an object of each kind, with the names in the commands' examples.
const oneOfEach = `
open_device
alloc_pd
reg_mr src length=64
reg_mr dst length=64
alloc_dm d length=64
create_comp_channel channel
create_cq cq channel=channel
create_srq srq
create_qp a
create_qp b
create_qp u qp_type=UD
create_ah ah dlid=9
peer peer qp_num=0x12 psn=3 gid=10.0.0.2
rdma_create_event_channel events
rdma_create_id id channel=events
rdma_create_id listen channel=events
rdma_bind_addr listen 10.0.0.1 port=7471
rdma_getaddrinfo server name=res
connect_qps a b
connect_qps u u
`

// anEndpoint makes the objects that the examples of short forms name.
const anEndpoint = `
rdma_create_ep ep res
rdma_reg_msgs m id=ep length=64
`

// otherLines are used if the example cannot name the object, by command and argument; "" if the argument names no
// session object, or a missing object is not an error.
var otherLines = map[string]string{
	"open_device device": "", "save_packets device": "",
	"rdma_create_event_channel device": "", "rdma_create_id device": "",
	"create_ah pd": "create_ah dlid=9", "create_ah id": "create_ah dlid=9",
	"post_send ah": "post_send u SEND remote_qpn=1 remote_qkey=1", "post_send mw": "post_send a BIND_MW",
	"reg_mr dm":    "reg_mr dm=d access=ZERO_BASED",
	"post_send mr": "", "bind_mw mr": "", // the fake has no windows to name first
	"pingpong ah": "pingpong u role=client remote_qpn=1 remote_qkey=1 size=8", "pingpong srq": "pingpong role=client",
	"rdma_create_qp pd": "rdma_create_qp listen", "rdma_create_qp send_cq": "rdma_create_qp listen pd=pd",
	"rdma_create_qp recv_cq": "rdma_create_qp listen pd=pd", "rdma_create_qp srq": "rdma_create_qp listen pd=pd",
	"rdma_create_ep pd": "rdma_create_ep other res", "rdma_create_ep send_cq": "rdma_create_ep other res",
	"rdma_post_ud_send ah":   "", // the endpoint has RC, which takes no address handle
	"rdma_create_ep recv_cq": "rdma_create_ep other res", "rdma_create_ep srq": "rdma_create_ep other res",
	"exchange srq": "exchange peer address=10.0.0.2",
	"expect wc cq": "", "expect wc qp": "",
	"expect mem like": "expect mem dst 0 like=dst",
}

// TestUnknownNames: a line that names a missing object, or one of the wrong kind, is refused for that reason.
func TestUnknownNames(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.AddrInfos = sessiontest.AddrSays()
	sessiontest.RunLines(t, s, oneOfEach)
	objects := len(s.Snapshot().Objects)
	specs := slices.Clone(command.Commands) // short forms last: the objects of their endpoint would fit other lines too
	slices.SortStableFunc(specs, func(a, b *command.Spec) int {
		return map[bool]int{true: 1}[a.IsShortForm()] - map[bool]int{true: 1}[b.IsShortForm()]
	})
	for _, spec := range specs {
		if spec == command.RDMACreateEP {
			sessiontest.RunLines(t, s, anEndpoint)
			objects = len(s.Snapshot().Objects)
		}
		for j := range spec.Args {
			a := &spec.Args[j]
			if a.Type != command.Object && a.Type != command.SGEList {
				continue
			}
			line, other := otherLines[spec.Name+" "+a.Name]
			if !other {
				line = spec.Example
			}
			example, err := command.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			if line == "" {
				continue
			}
			for _, name := range []string{"nobody", "src", "ah"} {
				kinds := a.Objects
				if a.Type == command.SGEList {
					kinds = []command.ObjectKind{command.KindMR}
				}
				if n := s.Core().Graph.ByName[name]; n != nil && (len(kinds) == 0 || slices.Contains(kinds, n.Kind)) {
					continue
				}
				changed := example.With(a.Name, name)
				lines := []string{changed.Full()}
				if slices.Contains([]string{"post_send", "post_recv", "post_srq_recv"}, spec.Name) {
					lines = append(lines, "chain "+changed.Without("count").Full())
				}
				for _, line := range lines {
					_, err := s.Exec(t.Context(), line)
					if wrong := (*core.NameError)(nil); !errors.As(err, &wrong) || wrong.Name != name {
						t.Errorf("%s: %v", line, err)
					}
				}
			}
		}
	}
	if now := len(s.Snapshot().Objects); now != objects {
		t.Errorf("%d objects, %d before", now, objects)
	}
}
