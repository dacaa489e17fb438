package cm

import (
	"net/netip"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// portTable maps each port of a port space to the identifiers that use it; several may share a port on different
// addresses, or if all allow it.
type portTable map[portKey][]*ID

type portKey struct {
	space verbs.CMPortSpace
	port  uint16
}

// Range of automatically chosen ports, the default of Linux.
const (
	firstFreePort = 32768
	lastFreePort  = 60999
)

// take assigns the requested port to an identifier, or an unused one for 0.
func (t portTable) take(id *ID, port uint16, random *object.Random) (uint16, error) {
	if port != 0 {
		key := portKey{id.space, port}
		if err := t.check(id, key, id.reuse); err != nil {
			return 0, err
		}
		t[key] = append(t[key], id)
		return port, nil
	}
	const n = lastFreePort - firstFreePort + 1
	start := random.Uint32() % n
	for i := range uint32(n) {
		key := portKey{id.space, uint16(firstFreePort + (start+i)%n)}
		if len(t[key]) == 0 {
			t[key] = []*ID{id}
			return key.port, nil
		}
	}
	return 0, syscall.EADDRNOTAVAIL
}

// check returns an error if the port is in use on the same address. The error is different if either address is the
// wildcard, as on Linux.
func (t portTable) check(id *ID, key portKey, reuse bool) error {
	for _, other := range t[key] {
		own, its := id.local.Addr(), other.local.Addr()
		switch {
		case other == id,
			reuse && other.reuse && other.state != idListening,
			id.onlyFamily && other.onlyFamily && own.Is4() != its.Is4():
		case own.IsUnspecified() || its.IsUnspecified():
			return syscall.EADDRNOTAVAIL
		case own == its:
			return syscall.EADDRINUSE
		}
	}
	return nil
}

func (t portTable) release(id *ID) {
	key := portKey{id.space, id.local.Port()}
	left := t[key]
	for i, other := range left {
		if other == id {
			left = append(left[:i:i], left[i+1:]...)
			break
		}
	}
	if len(left) == 0 {
		delete(t, key)
		return
	}
	t[key] = left
}

// listener returns the listener for requests to an address and port: one on that address before one on all addresses.
func (t portTable) listener(key portKey, dst netip.Addr) (found *ID) {
	for _, id := range t[key] {
		if id.state != idListening {
			continue
		}
		own := id.local.Addr()
		if own == dst {
			return id
		}
		if own.IsUnspecified() && (!id.onlyFamily || own.Is4() == dst.Is4()) {
			found = id
		}
	}
	return found
}
