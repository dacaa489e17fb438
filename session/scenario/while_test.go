package scenario

import (
	"io/fs"
	"strings"
	"testing"

	"rdmatui/assets"
)

// TestWaitsEndWithTheConnection: over a connection of the manager no wait for a completion outlasts the connection.
func TestWaitsEndWithTheConnection(t *testing.T) {
	names, err := fs.Glob(assets.Scenarios, "*.rdma")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(assets.Scenarios, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "ps=TCP") {
			continue // datagrams have no connection, and exchanged queue pairs no events
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "poll_cq ") && !strings.Contains(line, " while=conn") {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
	}
}
