package program

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// A separate wire between a kernel device and a software device, so that packets lost
// on it disturb no other test.
const (
	lossyDevice = "rxe8"
	lossyAddr   = "10.98.0.1"
	lossyPeer   = "10.98.0.2"
)

// layWire creates the wire and the kernel's device.
func layWire(t *testing.T) (kernel, soft side) {
	for _, line := range []string{
		"ip link add l0 type veth peer name l1", "ip link set l1 netns peer",
		"ip addr add " + lossyAddr + "/24 dev l0", "ip link set l0 up",
		"ip -n peer addr add " + lossyPeer + "/24 dev l1", "ip -n peer link set l1 up",
		"rdma link add " + lossyDevice + " type rxe netdev l0",
	} {
		command(t, line)
	}
	t.Cleanup(func() {
		command(t, "rdma link delete "+lossyDevice)
		command(t, "ip link del l0")
	})
	eventually(t, lossyDevice+" has no GID", func() bool {
		b, _ := os.ReadFile("/sys/class/infiniband/" + lossyDevice + "/ports/1/gids/1")
		return strings.HasPrefix(string(b), "0000:0000:0000:0000:0000:ffff:0a62:0001")
	})
	soft = softSide(t, lossyPeer)
	soft.address = lossyPeer
	return side{[]string{vmtest.Binary(t)}, lossyDevice, lossyAddr}, soft
}

// cutWire drops everything sent between two interfaces, the second of them in the
// namespace "peer", until mend is called.
func cutWire(t *testing.T, ours, theirs string) (mend func()) {
	t.Helper()
	command(t, "tc qdisc add dev "+ours+" root netem loss 100%")
	command(t, "tc -n peer qdisc add dev "+theirs+" root netem loss 100%")
	return func() {
		command(t, "tc qdisc del dev "+ours+" root")
		command(t, "tc -n peer qdisc del dev "+theirs+" root")
	}
}

// ends are two sides connected to each other.
type ends struct{ kernel, soft *console }

func (e *ends) each(do func(*console)) {
	do(e.kernel)
	do(e.soft)
}

// connectEnds connects the identifier id of each side to the other side.
func connectEnds(t *testing.T, kernel, soft side, id string) *ends {
	t.Helper()
	e := &ends{kernel.manager(t), soft.manager(t)}
	connect := func(client, server *console, to side) {
		port := server.listen(to)
		client.reach(id, to, port)
		client.do("rdma_connect " + id)
		server.request("peer")
		server.accept("peer")
		client.stands(id)
		server.stands("peer")
	}
	connect(e.kernel, e.soft, soft)
	connect(e.soft, e.kernel, kernel)
	return e
}

// lostOnce makes each side disconnect while nothing arrives, so that each has to send
// its DREQ again.
func lostOnce(t *testing.T) {
	e := connectEnds(t, kernelSide(t), softSide(t, peerAddress), "conn")
	counter := "/sys/class/infiniband/" + device + "/ports/1/"
	again, sent := number(t, counter+"cm_tx_retries/dreq"), number(t, counter+"hw_counters/sent_pkts")
	mend := cutWire(t, "d0", "d1")
	e.each(func(c *console) { c.do("rdma_disconnect conn") })
	eventually(t, "no DREQ is sent", func() bool {
		return number(t, counter+"hw_counters/sent_pkts") > sent && lostBySoft(t)
	})
	mend()
	e.each(func(c *console) { c.do("rdma_get_cm_event DISCONNECTED id=peer timeout=60s", "rdma_disconnect peer") })
	e.each(func(c *console) {
		c.do("rdma_get_cm_event DISCONNECTED id=conn timeout=60s",
			"rdma_get_cm_event TIMEWAIT_EXIT id=conn timeout=60s")
		has(t, c.of("conn", "DISCONNECTED").Hint, "the connection ended")
	})
	if number(t, counter+"cm_tx_retries/dreq") == again { // the kernel counts a retry once it has the answer
		t.Error("the kernel has sent its DREQ once")
	}
	e.each((*console).leave)
	nothingLeft(t)
}

// number reads a kernel counter.
func number(t *testing.T, file string) (n int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		_, err = fmt.Sscan(string(b), &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lostBySoft reports whether a packet from the namespace "peer" was lost.
func lostBySoft(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("tc", "-n", "peer", "-s", "qdisc", "show", "dev", "d1").CombinedOutput()
	if err != nil {
		t.Fatalf("tc: %v: %s", err, out)
	}
	return strings.Contains(string(out), "(dropped ") && !strings.Contains(string(out), "(dropped 0,")
}

// loseForEver makes each side disconnect over a separate wire that drops everything.
func loseForEver(t *testing.T) *ends {
	kernel, soft := layWire(t)
	e := connectEnds(t, kernel, soft, "conn")
	mend := cutWire(t, "l0", "l1")
	t.Cleanup(mend)
	e.each(func(c *console) {
		c.do("rdma_disconnect conn")
		c.begin(overAtLast)
	})
	return e
}

const overAtLast = "rdma_get_cm_event DISCONNECTED id=conn timeout=110s"

// overForEver waits until both sides have given up.
func (e *ends) overForEver(t *testing.T) {
	e.each(func(c *console) {
		c.t = t
		has(t, c.await(overAtLast).Result, "ETIMEDOUT")
		has(t, c.of("conn", "DISCONNECTED").Hint, "did not answer")
		c.do("rdma_get_cm_event TIMEWAIT_EXIT id=conn timeout=60s", "expect id peer CONNECTED")
		c.leave()
	})
}
