package program

import (
	"net/netip"
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

// connectPairs is how often both programs run for one result.
const connectPairs = 11

// setUp are the steps that add up to the setup time of a connection.
var setUp = []string{"resolve addr", "resolve route", "create qp", "connect"}

// BenchmarkConnectBesideCmtime times the setup of a connection, one of a hundred made together, from rxe0 to the stock
// server on rxe0.
func BenchmarkConnectBesideCmtime(b *testing.B) {
	vmtest.Need(b)
	cmtime := vmtest.Program(b, "cmtime")
	server := start(b, cmtime, "-b", address)
	eventually(b, "cmtime does not listen", func() bool { return strings.Contains(connections(b), "LISTEN") })
	at := netip.AddrPortFrom(netip.MustParseAddr(address), 7471)
	provider := native.New()
	for b.Loop() {
		var ours, stock []float64
		for i := range connectPairs + 1 {
			a := fleetTimes(b, provider, at)
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

// fleetTimes measures the same for this program. As with cmtime, the queue pairs
// share one protection domain; they also share a completion queue, which ours need.
func fleetTimes(b *testing.B, m verbs.CMProvider, at netip.AddrPort) (times []float64) {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	timed := func(do func() error) {
		b.Helper()
		begin := time.Now()
		must(do())
		times = append(times, time.Since(begin).Seconds()*1e6/fleetSize)
	}
	f, err := newFleet(m, fleetSize)
	must(err)
	timed(func() error { return f.resolveAddr(at) })
	timed(f.resolveRoute)
	pd, err := f.ends[0].id.Device().AllocPD()
	must(err)
	cq, err := f.ends[0].id.Device().CreateCQ(verbs.CQSpec{CQE: 2 * fleetSize})
	must(err)
	timed(func() error { return f.each(func(e *ending) error { return e.equip(pd, cq) }) })
	timed(f.connect)
	must(f.disconnect())
	must(f.close())
	must(cq.Close())
	must(pd.Close())
	return times
}
