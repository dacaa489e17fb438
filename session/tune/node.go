package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Values of setup.node.
const (
	ownNode = 1 + iota // the device's node
	farNode            // another one
)

// nodes are the NUMA nodes of the host that have CPUs.
type nodes struct {
	own  int           // the device's; -1: none
	cpus map[int][]int // of each node
}

// readNodes reads the nodes from a sysfs; device is the device's directory in it, "" if
// it has none.
func readNodes(sys, device string) nodes {
	n := nodes{own: -1, cpus: map[int][]int{}}
	paths, _ := filepath.Glob(sys + "/devices/system/node/node[0-9]*/cpulist") // the pattern is good
	for _, p := range paths {
		number, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(p)), "node"))
		text, rerr := os.ReadFile(p)
		if cpus := parseCPUs(strings.TrimSpace(string(text))); err == nil && rerr == nil && len(cpus) > 0 {
			n.cpus[number] = cpus
		}
	}
	if device == "" {
		return n
	}
	text, err := os.ReadFile(device + "/device/numa_node")
	if number, nerr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && nerr == nil &&
		n.cpus[number] != nil {
		n.own = number
	}
	return n
}

// parseCPUs parses a list such as "0-3,8"; nil if it is none.
func parseCPUs(list string) (cpus []int) {
	const most = 1 << 14
	for part := range strings.SplitSeq(list, ",") {
		from, to, span := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if span && err == nil {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last >= most {
			return nil
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// far returns the lowest node other than the device's; -1: none.
func (n *nodes) far() int {
	far := -1
	for number := range n.cpus {
		if number != n.own && (far < 0 || number < far) {
			far = number
		}
	}
	return far
}

// at returns the number of ownNode or farNode.
func (n *nodes) at(node int) int {
	if node == farNode {
		return n.far()
	}
	return n.own
}

// lackNodes reports why nodes cannot be compared.
func lackNodes(h *host) string {
	switch {
	case len(h.nodes.cpus) < 2:
		return "the host has one NUMA node"
	case h.nodes.own < 0:
		return fmt.Sprintf("the device belongs to no NUMA node; the host has %d", len(h.nodes.cpus))
	}
	return ""
}
