package program

import (
	"encoding/json"
	"strings"
	"testing"

	"rdmatui/devices"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestAdviceWorks runs the command lines that are advised for a host, against the stock servers there.
func TestAdviceWorks(t *testing.T) {
	vmtest.Need(t)
	var a devices.Advice
	text := start(t, vmtest.Binary(t), "advise", "--json", "--provider", "ibverbs", address).done()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if a.Device != device || a.Source.String() != address {
		t.Fatalf("device %s from %s, want %s from %s", a.Device, a.Source, device, address)
	}
	port := freePort()
	for program, pair := range map[string]struct{ server, more []string }{
		"perftest":  {[]string{"ib_write_bw", "-F", "-p", port, "-n", "20"}, []string{"-F", "-p", port, "-n", "20"}},
		"librdmacm": {[]string{"rping", "-s", "-a", address, "-p", port, "-C", "5"}, []string{"-p", port, "-C", "5"}},
	} {
		t.Run(program, func(t *testing.T) {
			server := start(t, vmtest.Program(t, pair.server[0]), pair.server[1:]...)
			if program == "perftest" {
				server.listening(port)
			} else {
				eventually(t, "rping does not listen", func() bool {
					return strings.Contains(connectionsOn(t, device), "LISTEN")
				})
			}
			line := strings.Fields(advised(t, &a, program))
			client := start(t, vmtest.Program(t, line[0]), append(line[1:], pair.more...)...)
			bothDone(t, client, server)
		})
	}
}

func advised(t *testing.T, a *devices.Advice, program string) string {
	for _, s := range a.Settings {
		if s.Program == program {
			return s.Set
		}
	}
	t.Fatalf("nothing is advised for %s: %+v", program, a.Settings)
	return ""
}
