package measure

import (
	"slices"

	"rdmatui/session/measure"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// device is a device that can run tests, with an address at which a peer reaches it, ""
// for none.
type device struct {
	name, address string
	active        bool                      // a port is ACTIVE
	limits        map[uint8][]measure.Limit // by port; none for a software device
}

// readDevices queries the inventory, which may be slow.
func readDevices(inv screen.Inventory) (list []device) {
	for _, sum := range inv.List() {
		if sum.Lack(verbs.ByHand) != nil {
			continue
		}
		d := device{name: sum.Name, active: screen.HasActive(&sum)}
		if detail, err := inv.Detail(sum.Name); err == nil {
			d.address, d.limits = screen.ReachedAt(detail.Ports, 0), limitsOf(&detail)
		}
		list = append(list, d)
	}
	return list
}

// usual returns the device of a test that names none: an open one, or the first with an
// ACTIVE port.
func usual(list []device, opened []string) device {
	for _, name := range opened {
		if i := slices.IndexFunc(list, func(d device) bool { return d.name == name }); i >= 0 {
			return list[i]
		}
	}
	if i := slices.IndexFunc(list, func(d device) bool { return d.active }); i >= 0 {
		return list[i]
	}
	if len(list) > 0 {
		return list[0]
	}
	return device{}
}
