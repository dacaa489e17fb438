package soft

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// loopbackUDP makes a provider with two devices on addresses of 127.0.0.0/8; the test is skipped if the port is in use.
func loopbackUDP(t *testing.T) *Provider {
	t.Helper()
	for range 20 {
		var addrs []netip.Addr
		for range 2 {
			addrs = append(addrs,
				netip.AddrFrom4([4]byte{127, byte(1 + rand.N(250)), byte(rand.N(250)), byte(1 + rand.N(250))}))
		}
		p := New(Options{UDP: &UDPOptions{Addrs: addrs}})
		if len(p.Notes()) == 0 {
			return p
		}
	}
	e, err := link.Bind(netip.MustParseAddr("127.99.99.98"), link.Options{})
	if err == nil {
		e.Close()
		t.Fatal("none of twenty pairs of addresses could be bound")
	}
	t.Skip(err)
	return nil
}

// mild faults are like a bad network: waits are in real time here and must stay short.
var mild = verbs.Faults{Loss: 0.01, Reorder: 0.01, Duplicate: 0.01, Corrupt: 0.002}

// TestHarmOverUDP does over sockets what [TestHeavyHarm] does in memory.
func TestHarmOverUDP(t *testing.T) {
	const region = 2 << 20
	p := loopbackUDP(t)
	h := newHarmed(t, p, pairOptions{MTU: verbs.MTU4096, Depth: 16, GIDIndex: -1, Timeout: 14, RDAtomic: 4,
		PSNA: 0xfffff0}, region, 64<<10)
	harm(t, p, mild, 1)
	for moved := 0; moved < min(harmTotal(), 32<<20); moved += 2 * region {
		if h.round(); h.gaveUp {
			t.Fatalf("the retries of request %d were in vain", h.done)
		}
	}
	struck(t, p)
}
