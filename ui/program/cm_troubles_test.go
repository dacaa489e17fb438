package program

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// fails gives a console a line that must fail, which ends the script. It returns the
// error message, which must be one line.
func (c *console) fails(line string) string {
	c.t.Helper()
	c.begin(line)
	c.in.Close()
	for range c.events { // earlier events are not needed any more
	}
	<-c.ended
	var exit *exec.ExitError
	if err := c.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		c.t.Errorf("%s: %v", line, err)
	}
	said := strings.TrimSpace(c.out.String())
	if strings.Count(said, "\n") > 0 {
		c.t.Errorf("%s: more than a line:\n%s", line, said)
	}
	return said
}

// of returns an identifier's event that the console has reported.
func (c *console) of(id, name string) event {
	c.t.Helper()
	for _, e := range c.cm {
		if e.ID == id && e.CMEvent == name {
			return e
		}
	}
	c.t.Fatalf("no %s of %s among %+v", name, id, c.cm)
	return event{}
}

// manager starts a console with an event channel.
func (s side) manager(t testing.TB) *console {
	t.Helper()
	c := lasting(t, s.command[0], append(slices.Clone(s.command[1:]), "run", "--json", "-")...).console()
	c.do("rdma_create_event_channel events")
	return c
}

// listen listens at a side's address, and returns the port.
func (c *console) listen(s side) (port string) {
	c.t.Helper()
	port = freePort()
	c.do("rdma_create_id listen channel=events ps=TCP", "rdma_bind_addr listen "+s.address+" port="+port,
		"rdma_listen listen")
	return port
}

// equip makes a queue pair on an identifier, and posts a RECV.
func (c *console) equip(id string) {
	c.t.Helper()
	for _, line := range []string{
		"alloc_pd pdID id=ID", "create_cq cqID id=ID cqe=4", "reg_mr mrID pd=pdID length=16 access=LOCAL_WRITE",
		"rdma_create_qp ID qpID pd=pdID send_cq=cqID", "post_recv qpID wr_id=1 sge=mrID",
	} {
		c.do(strings.ReplaceAll(line, "ID", id))
	}
}

// reach makes an identifier with a queue pair and resolves its route to a side.
func (c *console) reach(id string, to side, port string) {
	c.t.Helper()
	c.do("rdma_create_id "+id+" channel=events ps=TCP", "rdma_resolve_addr "+id+" "+to.address+" port="+port,
		"rdma_get_cm_event ADDR_RESOLVED id="+id+" timeout=20s")
	c.equip(id)
	c.do("rdma_resolve_route "+id, "rdma_get_cm_event ROUTE_RESOLVED id="+id+" timeout=20s")
}

// request waits for a request, and accept answers it.
func (c *console) request(id string) {
	c.t.Helper()
	c.do("rdma_get_cm_event CONNECT_REQUEST id=listen name=" + id + " timeout=60s")
}

func (c *console) accept(id string) {
	c.t.Helper()
	c.equip(id)
	c.do("rdma_accept " + id)
}

func (c *console) stands(ids ...string) {
	c.t.Helper()
	for _, id := range ids {
		c.do("rdma_get_cm_event ESTABLISHED id=" + id + " timeout=60s")
	}
}

// scrap destroys an identifier and what equip made.
func (c *console) scrap(id string) {
	c.t.Helper()
	for _, line := range []string{"rdma_destroy_qp qpID", "destroy_cq cqID", "dereg_mr mrID", "dealloc_pd pdID",
		"rdma_destroy_id ID"} {
		c.do(strings.ReplaceAll(line, "ID", id))
	}
}

// awkward is a client and a server between which things go wrong.
type awkward struct {
	client, server side
	survivor       bool // a killed client's kernel reports that the connection is over
}

// troubles makes connections fail: each time the right event arrives, with a line
// that explains it.
func troubles(t *testing.T) {
	kernel, soft := kernelSide(t), softSide(t, peerAddress)
	for _, us := range []struct {
		name string
		awkward
	}{
		{"from rxe0", awkward{kernel, soft, true}},
		{"from the software device", awkward{soft, kernel, false}},
	} {
		t.Run(us.name, func(t *testing.T) {
			t.Run("nowhere", us.nowhere)
			t.Run("refused", us.refused)
			t.Run("two at once, one is killed", us.twoAtOnce)
			t.Run("one after the other", us.served)
			t.Run("nothing is said", us.silent)
			noConnections(t)
		})
	}
}

// nowhere tests failures before there is a connection.
func (a awkward) nowhere(t *testing.T) {
	c := a.client.manager(t)
	c.do("rdma_create_id conn channel=events ps=TCP")
	has(t, c.fails("rdma_resolve_addr conn 192.0.2.1 port=5"), "ENETUNREACH", "no route to that address")

	c = a.client.manager(t)
	c.reach("conn", side{address: address}, "9")
	has(t, c.fails(`rdma_connect conn private_data="`+strings.Repeat("x", 57)+`"`), "EINVAL",
		"limited to 56 bytes over TCP")

	c = a.client.manager(t)
	c.reach("conn", side{address: address}, "9")
	c.do("rdma_connect conn")
	has(t, c.fails("rdma_get_cm_event ESTABLISHED id=conn timeout=60s"), "REJECTED of conn", "INVALID_SERVICE_ID",
		"no program listens there")
}

func (a awkward) refused(t *testing.T) {
	server := a.server.manager(t)
	port := server.listen(a.server)
	c := a.client.manager(t)
	c.reach("conn", a.server, port)
	c.do(`rdma_connect conn private_data="let me in"`)
	server.request("req")
	server.do(`expect cm CONNECT_REQUEST private_data="let me in"`, `rdma_reject req private_data="not today"`,
		"rdma_destroy_id req")
	has(t, c.fails("rdma_get_cm_event ESTABLISHED id=conn timeout=60s"),
		"REJECTED of conn", "CONSUMER_DEFINED", "not today", "the peer's program refused")
	server.leave()
}

// twoAtOnce has two requests wait at the same time. The first client stays silent and
// is killed, the other is served.
func (a awkward) twoAtOnce(t *testing.T) {
	server := a.server.manager(t)
	port := server.listen(a.server)
	silent := a.client.manager(t)
	silent.reach("conn", a.server, port)
	silent.do("rdma_connect conn retry_count=1") // so that the sender gives up soon
	server.request("first")
	stock := start(t, vmtest.Program(t, "rdma_client"), "-s", a.server.address, "-p", port)
	server.request("second")
	server.accept("second")
	server.accept("first")
	server.stands("first", "second")
	silent.stands("conn")
	server.do("poll_cq cqsecond n=1 timeout="+wcPatience, "expect wc cq=cqsecond status=SUCCESS byte_len=16",
		"post_send qpsecond SEND wr_id=2 sge=mrsecond", "rdma_get_cm_event DISCONNECTED id=second timeout=60s",
		"rdma_disconnect second")
	stock.done()
	server.scrap("second")

	silent.cmd.Process.Kill()
	for range silent.events {
	}
	silent.cmd.Wait()
	if a.survivor {
		server.do("rdma_get_cm_event DISCONNECTED id=first timeout=60s")
		has(t, server.of("first", "DISCONNECTED").Hint, "the connection ended")
	} else { // the process's connection manager is gone: only the sender finds out
		server.do("post_send qpfirst SEND wr_id=2 sge=mrfirst", "poll_cq cqfirst n=1 timeout="+wcPatience,
			"expect wc cq=cqfirst wr_id=2 status=RETRY_EXC_ERR")
	}
	server.scrap("first")
	server.leave()
}

// served has the scenario serve a client that leaves without a message, and then
// another that has waited.
func (a awkward) served(t *testing.T) {
	port := freePort()
	server := a.server.serving(t, "scenario", "serve", "--server", "--bind", a.server.address, "-p", port)
	silent := a.client.manager(t)
	silent.reach("conn", a.server, port)
	silent.do("rdma_connect conn")
	silent.stands("conn")
	stock := start(t, vmtest.Program(t, "rdma_client"), "-s", a.server.address, "-p", port)
	silent.do("rdma_disconnect conn", "rdma_get_cm_event DISCONNECTED id=conn timeout=60s")
	silent.leave()
	stock.done()
	if err := server.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := server.cmd.Wait(); server.cmd.ProcessState.ExitCode() < 0 {
		t.Errorf("serve: %v: %s", err, server.out.String())
	}
}

// silent has a server wait in vain for the message of a connected client. The client
// resolves its route first, because the server waits as long for the request.
func (a awkward) silent(t *testing.T) {
	port := freePort()
	client := a.client.manager(t)
	client.reach("conn", a.server, port)
	server := a.server.serving(t, "scenario", "hello", "--server", "--bind", a.server.address,
		"-p", port, "--wait", "6s")
	client.do("rdma_connect conn")
	client.stands("conn")
	client.do("rdma_get_cm_event DISCONNECTED id=conn timeout=60s")
	has(t, client.of("conn", "DISCONNECTED").Hint, "the connection ended")
	client.leave()
	if err := server.cmd.Wait(); err == nil {
		t.Error("the server ended well")
	}
	has(t, server.out.String(), "rdmatui: hello:", "0 of 1 completions came within 6 s")
}
