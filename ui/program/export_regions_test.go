package program

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// regionEnds are the lines of two sessions, one of which writes into a region that it learned of from the other.
var regionEnds = map[string]string{
	"server": `open_device soft0
alloc_pd pd
reg_mr dst pd=pd length=64 access=LOCAL_WRITE|REMOTE_WRITE
create_cq cq
create_qp b send_cq=cq recv_cq=cq
exchange p qp=b listen=127.0.0.1 port=PORT
connect_qps b p qp_access_flags=REMOTE_WRITE
post_recv b wr_id=9
poll_cq cq n=1 timeout=20s
expect wc wr_id=9 status=SUCCESS
expect mem dst 8 "hello"
`,
	"client": `open_device soft1
alloc_pd pd
reg_mr src pd=pd length=64 access=LOCAL_WRITE
create_cq cq
create_qp a send_cq=cq recv_cq=cq
exchange p qp=a address=127.0.0.1 port=PORT
connect_qps a p
write_mem src "hello"
post_send a RDMA_WRITE_WITH_IMM wr_id=1 sge=src:0:5 imm_data=1 remote_addr=p.dst.addr+8 rkey=p.dst.rkey
poll_cq cq n=1 timeout=20s
expect wc wr_id=1 status=SUCCESS
`,
}

// TestExportOfExchangedRegions exports two sessions that exchanged regions. On a machine with a kernel device the
// programs do the same with each other, with addresses and keys that differ from the sessions'.
func TestExportOfExchangedRegions(t *testing.T) {
	cc := compiler(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	waits, port, provider := make(chan struct{}, 1), freePort(), soft.New(soft.Options{})
	play := func(end string, out func(timeline.Event)) (program string, err error) {
		s := session.New(session.Options{Providers: []verbs.Provider{provider}, Out: out})
		defer s.Close()
		if err := s.RunScript(ctx, end,
			strings.NewReader(strings.ReplaceAll(regionEnds[end], "PORT", port))); err != nil {
			return "", err
		}
		c, _ := exported(t, s, end)
		return c, nil
	}
	type played struct {
		c   string
		err error
	}
	served := make(chan played, 1)
	go func() {
		c, err := play("server", func(e timeline.Event) {
			if e.Note != nil && strings.HasPrefix(e.Note.Text, "waiting for a peer") {
				waits <- struct{}{}
			}
		})
		served <- played{c, err}
	}()
	select {
	case <-waits:
	case p := <-served:
		t.Fatal("server:", p.err)
	}
	client, err := play("client", nil)
	server := <-served
	if err != nil || server.err != nil {
		t.Fatal(err, server.err)
	}
	text, err := os.ReadFile(client)
	if err != nil || !strings.Contains(string(text), `.remote_addr = region_of(&p, "dst")->addr + 8,`) {
		t.Errorf("%v, the address is not the region's:\n%s", err, text)
	}
	programs := map[string]string{"server": compile(t, cc, server.c, "-O0"), "client": compile(t, cc, client, "-O0")}
	if !vmtest.Inside() {
		return
	}
	port = freePort()
	waiting := start(t, programs["server"], "-d", device, "-g", "1", "-p", port)
	waiting.listening(port)
	bothDone(t, start(t, programs["client"], "-d", device, "-g", "1", "-p", port), waiting)
	nothingLeft(t)
}
