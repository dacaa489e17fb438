package program

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// fleetSize is the number of connections made together, cmtime's default.
const fleetSize = 100

// cmtimePort is where cmtime's server listens.
const cmtimePort = 7471

// connectPairs is how often both programs run for one result.
const connectPairs = 15

// setUp are the steps that add up to the setup time of a connection.
var setUp = []string{"resolve addr", "resolve route", "create qp", "connect"}

// BenchmarkConnectBesideCmtime times the setup of a connection, one of a hundred made together, from rxe0 to the stock
// server on rxe0.
func BenchmarkConnectBesideCmtime(b *testing.B) {
	vmtest.Need(b)
	if !plainCmtime() {
		b.Skip(noPlainCmtime)
	}
	cmtime := vmtest.Program(b, "cmtime")
	server := start(b, cmtime, "-b", address)
	eventually(b, "cmtime does not listen", func() bool { return strings.Contains(connections(b), "LISTEN") })
	at := netip.AddrPortFrom(netip.MustParseAddr(address), cmtimePort)
	provider := native.New()
	for b.Loop() {
		var ours, stock []float64
		for i := range connectPairs + 1 {
			a, err := fleetTimes(provider, at, fleetSize)
			if err != nil {
				b.Fatal(err)
			}
			s := cmtimeTimes(b, start(b, cmtime, "-s", address, "-c", strconv.Itoa(fleetSize)).done())
			b.Logf("ours %.0f, cmtime %.0f us", a, s)
			if i > 0 { // the first run fills the file cache
				ours, stock = append(ours, sum(a)), append(stock, sum(s))
			}
		}
		report(b, ours, stock, "us/conn")
	}
	server.cmd.Process.Kill()
	server.cmd.Wait()
}

// plainCmtime reports whether cmtime's server takes connections one by one from anyone, as that of rdma-core 44 on the
// host's own suite does. That of rdma-core 56 goes through the same phases as its client.
func plainCmtime() bool { return os.Getenv("RDMATUI_VM_SUITE") == "" }

const noPlainCmtime = "cmtime of this suite talks only to its own client: run this on the host's own suite"

func sum(all []float64) (s float64) {
	for _, f := range all {
		s += f
	}
	return s
}

// cmtimeTimes returns cmtime's microseconds of each step for one connection.
func cmtimeTimes(b *testing.B, out string) (times []float64) {
	for _, step := range setUp {
		times = append(times, figure(b, regexp.MustCompile(step+` *:.* ([0-9.]+)\n`), out))
	}
	return times
}

// fleetTimes measures the same for this program, for n connections. As with cmtime, the queue pairs share one
// protection domain; they also share a completion queue, which ours need.
func fleetTimes(m verbs.CMProvider, at netip.AddrPort, n int) (times []float64, err error) {
	f, err := newFleet(m, n)
	if err != nil {
		return nil, err
	}
	var pd verbs.PD
	var cq verbs.CQ
	for _, step := range []struct {
		timed bool
		do    func() error
	}{
		{true, func() error { return f.resolveAddr(at) }},
		{true, f.resolveRoute},
		{false, func() (err error) { pd, err = f.ends[0].id.Device().AllocPD(); return err }},
		{false, func() (err error) {
			cq, err = f.ends[0].id.Device().CreateCQ(verbs.CQSpec{CQE: 2 * n})
			return err
		}},
		{true, func() error { return f.each(func(e *ending) error { return e.equip(pd, cq) }) }},
		{true, f.connect},
		{false, f.disconnect},
		{false, f.close},
		{false, func() error { return cq.Close() }},
		{false, func() error { return pd.Close() }},
	} {
		begin := time.Now()
		if err := step.do(); err != nil {
			return nil, err
		}
		if step.timed {
			times = append(times, time.Since(begin).Seconds()*1e6/float64(n))
		}
	}
	return times, nil
}

// connectVariable makes the test binary connect so often to a server at address, and end.
const connectVariable = "RDMATUI_CONNECT"

func connectMain(count string) int {
	n, err := strconv.Atoi(count)
	if err == nil {
		_, err = fleetTimes(native.New(), netip.AddrPortFrom(netip.MustParseAddr(address), cmtimePort), n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
