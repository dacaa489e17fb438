package link

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Speed returns the speed of the network interface that has the address, in Mbit/s; 0 if it has none, like the loopback
// interface, or if it is unknown. Each call reads it again, because a link negotiates its speed when it comes up.
func (e *Endpoint) Speed() int { return speedOf("/sys/class/net", e.netdev.Name, e.netdev.Index) }

// speedOf reads an interface's speed from sysfs. The index must match: sysfs may belong to another network namespace.
func speedOf(dir, name string, index int) int {
	if name == "" || number(filepath.Join(dir, name, "ifindex")) != index {
		return 0
	}
	return max(number(filepath.Join(dir, name, "speed")), 0) // -1: unknown
}

func number(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return n
}
