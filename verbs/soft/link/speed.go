package link

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Speed returns the speed of the network interface that has the address, in Mbit/s; 0 where it has none, as the loopback interface, or
// does not know it. It is read anew with each call: the speed of a link is found out when it comes up.
func (e *Endpoint) Speed() int { return speedOf("/sys/class/net", e.netdev.Name, e.netdev.Index) }

// speedOf reads what Linux tells of an interface; sysfs.h. The index must fit: sysfs may be that of another network namespace.
func speedOf(dir, name string, index int) int {
	if name == "" || number(filepath.Join(dir, name, "ifindex")) != index {
		return 0
	}
	return max(number(filepath.Join(dir, name, "speed")), 0) // -1: not known
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
