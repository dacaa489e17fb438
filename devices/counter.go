package devices

import (
	"fmt"
	"slices"
	"strconv"

	"rdmatui/verbs"
)

// maxCounters bounds the counters of one directory.
const maxCounters = 512

// Counter is one hardware counter of a port or device.
type Counter struct {
	PortNum uint8  `json:"port_num,omitempty"` // 0: the whole device
	Group   string `json:"group"`              // "counters" (IBA 16.1) or "hw_counters" (the driver's)
	Name    string `json:"name"`
	// Value is the kernel's number: port_xmit_data and port_rcv_data count
	// units of 4 bytes, the others packets or events.
	Value uint64 `json:"value"`
	// Help is the provider's description of the counter; "" for the kernel's counters.
	Help string `json:"-"`
}

// Counters reads all counters of a device, in a fixed order: the kernel's, then those of
// the device's provider.
func (inv *Inventory) Counters(name string) ([]Counter, error) {
	dir := deviceDir(name)
	if dir == "" {
		return nil, fmt.Errorf("counters of %q: not a device name", name)
	}
	all := readCounters(inv.os, dir, 0, "hw_counters")
	nums, _ := inv.os.ReadDir(dir + "/ports")
	for n := range portNumbers(nums) {
		pd := portDir(dir, n)
		all = append(all, readCounters(inv.os, pd, n, "counters")...)
		all = append(all, readCounters(inv.os, pd, n, "hw_counters")...)
	}
	kept, err := inv.providerCounters(name)
	return append(all, kept...), err
}

// providerCounters reads the counters of the provider that has the device.
func (inv *Inventory) providerCounters(name string) ([]Counter, error) {
	for _, p := range inv.asked(name) {
		r, ok := p.(verbs.HWCounterReader)
		if !ok {
			continue
		}
		infos, _ := p.Devices() // a provider that cannot list its devices has no counters
		if !slices.ContainsFunc(infos, func(i verbs.DeviceInfo) bool { return i.Name == name }) {
			continue
		}
		kept, err := r.HWCounters(name)
		if err != nil {
			return nil, fmt.Errorf("counters of %s: %w", name, err)
		}
		all := make([]Counter, len(kept))
		for i, c := range kept {
			all[i] = Counter{Group: "hw_counters", Name: c.Name, Value: c.Value, Help: c.Help}
		}
		return all, nil
	}
	return nil, nil
}

func readCounters(sys OS, dir string, port uint8, group string) []Counter {
	names, _ := sys.ReadDir(dir + "/" + group)
	var found []Counter
	for _, name := range names[:min(len(names), maxCounters)] {
		// lifespan is not a counter: it is the driver's sampling interval in ms.
		if name == "lifespan" {
			continue
		}
		// Ports without a management agent return a sentence instead of a number.
		if v, err := strconv.ParseUint(attribute(sys, dir+"/"+group+"/"+name), 10, 64); err == nil {
			found = append(found, Counter{PortNum: port, Group: group, Name: name, Value: v})
		}
	}
	return found
}
