package program

import (
	"net"
	"strings"
	"testing"

	"rdmatui/verbs/wire"
)

// TestTwoProcesses plays every ping-pong between two processes of this host, whose
// software devices choose their own addresses.
func TestTwoProcesses(t *testing.T) {
	probe, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 1, 2, 3), Port: wire.Port})
	if err != nil {
		t.Skipf("the port of RoCEv2 cannot be had here: %v", err)
	}
	probe.Close()
	for name, args := range map[string][]string{
		"rc-pingpong":                  nil,
		"rc-pingpong, events":          {"-e"},
		"rc-pingpong, many packets":    {"-s", "200000", "-n", "20", "-m", "4096"},
		"uc-pingpong":                  nil,
		"ud-pingpong":                  {"-e"},
		"ud-pingpong, as much as goes": {"-s", "4096"},
	} {
		t.Run(name, func(t *testing.T) {
			port := freePort()
			scenario, _, _ := strings.Cut(name, ",")
			common := append([]string{"--provider", "soft", "scenario", scenario, "-c", "-p", port}, args...)
			server := start(t, binary(t), append(common, "-d", "soft0", "--server")...)
			server.listening(port)
			client := start(t, binary(t), append(common, "-d", "soft1", "127.0.0.1")...)
			bothDone(t, client, server)
			for _, p := range []*program{client, server} {
				if out := p.out.String(); !strings.Contains(out, " iters in ") {
					t.Errorf("%s:\n%s", p.name, out)
				}
			}
		})
	}
}
