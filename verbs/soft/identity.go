package soft

import (
	"crypto/sha256"
	"net/netip"
	"os"

	"rdmatui/verbs"
)

// machineFiles are the files with a host's unique ID: systemd's machine-id(5), and D-Bus's before it.
var machineFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machine returns the host's unique ID.
func machine() []byte {
	for _, name := range machineFiles {
		if id, err := os.ReadFile(name); err == nil && len(id) > 0 {
			return id
		}
	}
	name, _ := os.Hostname()
	return []byte(name)
}

// stableGUID returns a locally administered EUI-64 that is the same in every process on this host: the peers'
// connection managers remember connections by it. It does not reveal the machine ID, which is confidential.
func stableGUID(machine []byte, addr netip.Addr) (g verbs.GUID) {
	h := sha256.New()
	h.Write([]byte("rdmatui software device\n"))
	h.Write(machine)
	h.Write(addr.AsSlice())
	copy(g[:], h.Sum(nil))
	return local(g)
}

// local marks an EUI-64 as locally administered and individual.
func local(g verbs.GUID) verbs.GUID {
	g[0] = 0x02
	return g
}
