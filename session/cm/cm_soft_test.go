package cm_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestConnectionOnSoft runs both ends of a connection, with traffic, on the software
// devices.
func TestConnectionOnSoft(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	for _, mode := range []string{"event", "poll"} {
		sessiontest.RunScript(t, s, strings.ReplaceAll(`
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
			t.Fatalf("objects left: %+v", left)
		}
	}
}

// TestScenariosOfTheManager runs both ends of each scenario, in separate sessions on
// the same software devices.
func TestScenariosOfTheManager(t *testing.T) {
	for _, sc := range scenario.All {
		if !sc.CM {
			continue
		}
		address := "127.0.0.1"
		if sc.Group {
			address = "239.1.2.3"
		}
		for name, change := range managedVariants[sc.Name] {
			t.Run(sc.Name+"/"+name, func(t *testing.T) { playBoth(t, sc.Name, address, change) })
		}
		t.Run(sc.Name, func(t *testing.T) { playBoth(t, sc.Name, address, func(*scenario.Params) {}) })
	}
}

// managedVariants are parameters to test in addition to the defaults.
var managedVariants = map[string]map[string]func(*scenario.Params){
	"ping": {
		"polled":                         func(p *scenario.Params) { p.CM = "poll" },
		"synchronous":                    func(p *scenario.Params) { p.CM = "sync" },
		"completion events":              func(p *scenario.Params) { p.Events, p.Validate = true, true },
		"completion events, nonblocking": func(p *scenario.Params) { p.Events, p.Nonblock = true, true },
		"synchronous, completion events": func(p *scenario.Params) { p.CM, p.Events = "sync", true },
		"synchronous, completion events, nonblocking": func(p *scenario.Params) {
			p.CM, p.Events, p.Nonblock = "sync", true, true
		},
		"polled, completion events": func(p *scenario.Params) { p.CM, p.Events = "poll", true },
		"polled, completion events, nonblocking": func(p *scenario.Params) {
			p.CM, p.Events, p.Nonblock = "poll", true, true
		},
	},
	"read-write": {"read": func(p *scenario.Params) { p.Op = "read" }},
	"cmatose": {"four": func(p *scenario.Params) { p.Connections = 4 },
		"port space IB": func(p *scenario.Params) { p.PS = "IB" }},
	"rping": {"large": func(p *scenario.Params) { p.Size = 60000 }},
}

func playBoth(t *testing.T, name, address string, change func(*scenario.Params)) {
	p := soft.New(soft.Options{})
	params := scenario.DefaultParams(name)
	params.Count, params.Wait = 3, 20*time.Second
	change(&params)
	if scenario.Named(name).Group {
		params.Bind = "127.0.0.1" // there may be no multicast route
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	listening := make(chan struct{}, 1)
	server := make(chan error, 1)
	go func() {
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		as := params
		as.Server = true
		if scenario.Named(name).Group {
			as.Address = address
		}
		once := sessiontest.EachOnce(t)
		_, err := sessiontest.RunScenario(ctx, s, as, func(st *script.Line) {
			once(st)
			if strings.HasPrefix(st.Text, "rdma_get_request") ||
				strings.HasPrefix(st.Text, "rdma_get_cm_event CONNECT_REQUEST") ||
				strings.HasPrefix(st.Text, "poll_cq") {
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
	if scenario.Named(name).Forever {
		clients = 2
		if name == "serve" {
			as.Name = "hello"
		}
	}
	for range clients {
		client := session.New(core.Options{Providers: []verbs.Provider{p}})
		_, err := sessiontest.RunScenario(ctx, client, as, sessiontest.EachOnce(t))
		if err := errors.Join(err, client.Close()); err != nil {
			t.Error("client:", err)
		}
	}
	if scenario.Named(name).Forever {
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
