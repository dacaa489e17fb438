package devices

import (
	"fmt"
	"strconv"
)

// maxCounters bounds the counters of one directory.
const maxCounters = 512

// Counter is one hardware counter of a port or device.
type Counter struct {
	PortNum uint8  `json:"port_num,omitempty"` // 0: the whole device
	Group   string `json:"group"`              // "counters" (IBA 16.1) or "hw_counters" (the driver's)
	Name    string `json:"name"`
	// Value is as the kernel gives it: port_xmit_data and port_rcv_data count
	// in units of 4 bytes, the rest packets or events.
	Value uint64 `json:"value"`
}

// Counters reads all counters of a device, in a fixed order. A device that the
// kernel does not have, has none.
func (inv *Inventory) Counters(name string) ([]Counter, error) {
	dir := deviceDir(name)
	if dir == "" {
		return nil, fmt.Errorf("%q is no device name", name)
	}
	all := readCounters(inv.os, dir, 0, "hw_counters")
	nums, _ := inv.os.ReadDir(dir + "/ports")
	for n := range portNumbers(nums) {
		pd := portDir(dir, n)
		all = append(all, readCounters(inv.os, pd, n, "counters")...)
		all = append(all, readCounters(inv.os, pd, n, "hw_counters")...)
	}
	return all, nil
}

func readCounters(sys OS, dir string, port uint8, group string) []Counter {
	names, _ := sys.ReadDir(dir + "/" + group)
	var found []Counter
	for _, name := range names[:min(len(names), maxCounters)] {
		// The interval between the driver's readings, in ms, lies among them.
		if name == "lifespan" {
			continue
		}
		// Ports without the management agent answer with a sentence.
		if v, err := strconv.ParseUint(attribute(sys, dir+"/"+group+"/"+name), 10, 64); err == nil {
			found = append(found, Counter{port, group, name, v})
		}
	}
	return found
}
