package session

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestConnectionOnSoft has both ends of a connection, and what goes over it, on
// the software devices.
func TestConnectionOnSoft(t *testing.T) {
	s := newSoft(t, Options{})
	for _, mode := range []string{"event", "poll"} {
		runScript(t, s, strings.ReplaceAll(`
rdma_create_event_channel events mode=MODE
rdma_create_id listen
rdma_bind_addr listen port=7471
rdma_listen listen
rdma_create_id id
rdma_resolve_addr id 127.0.0.1 port=7471
rdma_get_cm_event ADDR_RESOLVED id=id
alloc_pd pd id=id
reg_mr buf length=64
create_cq cq id=id
rdma_create_qp id qp pd=pd send_cq=cq
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id
rdma_connect id private_data="hello"
rdma_get_cm_event CONNECT_REQUEST name=req timeout=5s
expect cm CONNECT_REQUEST private_data="hello"
rdma_create_qp req rqp pd=pd send_cq=cq
post_recv rqp sge=buf
rdma_accept req private_data="welcome"
rdma_get_cm_event ESTABLISHED id=req timeout=5s
rdma_get_cm_event ESTABLISHED id=id timeout=5s
expect state qp RTS
write_mem buf be32:77
post_send qp SEND sge=buf:0:4
poll_cq cq n=2 timeout=5s
expect wc qp=rqp status=SUCCESS byte_len=4
rdma_disconnect id
expect cm DISCONNECTED id=req timeout=5s
rdma_disconnect req
expect cm DISCONNECTED id=id timeout=5s
expect state qp ERR
expect state rqp ERR
close qp
close rqp
close cq
close buf
close pd
close id
close req
close listen
close events
`, "MODE", mode))
		if left := s.Snapshot().Objects; len(left) > 0 {
			t.Fatalf("objects are left: %+v", left)
		}
	}
}

// TestScenariosOfTheManager plays both ends of each scenario, in sessions of
// their own on one set of software devices.
func TestScenariosOfTheManager(t *testing.T) {
	for _, sc := range Scenarios {
		if !sc.CM {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) { playBoth(t, sc.Name, "127.0.0.1") })
	}
}

func playBoth(t *testing.T, name, address string) {
	p := soft.New(soft.Options{})
	params := DefaultScenarioParams(name)
	params.Count, params.Wait = 3, 20*time.Second
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	listening := make(chan struct{}, 1)
	server := make(chan error, 1)
	go func() {
		s := New(Options{Providers: []verbs.Provider{p}})
		as := params
		as.Server = true
		if ScenarioNamed(name).Group {
			as.Address = address
		}
		_, err := s.RunScenario(ctx, as, func(st ScenarioStep) {
			if strings.HasPrefix(st.Line, "rdma_get_cm_event CONNECT_REQUEST") || strings.HasPrefix(st.Line, "poll_cq") {
				select {
				case listening <- struct{}{}:
				default:
				}
			}
		})
		server <- errors.Join(err, s.Close())
	}()
	select {
	case <-listening:
	case err := <-server:
		t.Fatal("server:", err)
	}
	as := params
	as.Address = netip.MustParseAddr(address).String()
	clients := 1
	if ScenarioNamed(name).Forever {
		as.Name, clients = "hello", 2
	}
	for range clients {
		client := New(Options{Providers: []verbs.Provider{p}})
		_, err := client.RunScenario(ctx, as, nil)
		if err := errors.Join(err, client.Close()); err != nil {
			t.Error("client:", err)
		}
	}
	if ScenarioNamed(name).Forever {
		cancel()
		if err := <-server; !errors.Is(err, context.Canceled) {
			t.Error("server:", err)
		}
		return
	}
	if err := <-server; err != nil {
		t.Error("server:", err)
	}
}
