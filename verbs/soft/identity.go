package soft

import (
	"crypto/sha256"
	"net/netip"
	"os"

	"rdmatui/verbs"
)

// machineFiles are where a host keeps what tells it from others; systemd's machine-id(5), and D-Bus's before it.
var machineFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machine returns what tells this host from others.
func machine() []byte {
	for _, name := range machineFiles {
		if id, err := os.ReadFile(name); err == nil && len(id) > 0 {
			return id
		}
	}
	name, _ := os.Hostname()
	return []byte(name)
}

// stableGUID makes an EUI-64, marked as locally administered, that a device keeps from one process to the next: the connection managers
// of its peers remember connections by it. The machine's own identifier, which is confidential, cannot be told from it.
func stableGUID(machine []byte, addr netip.Addr) (g verbs.GUID) {
	h := sha256.New()
	h.Write([]byte("rdmatui software device\n"))
	h.Write(machine)
	h.Write(addr.AsSlice())
	copy(g[:], h.Sum(nil))
	return local(g)
}

// local marks an EUI-64 as administered locally and as one device's.
func local(g verbs.GUID) verbs.GUID {
	g[0] = 0x02
	return g
}
