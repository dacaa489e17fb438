package devices

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// classDir is where the kernel lists RDMA devices.
const classDir = "/sys/class/infiniband"

// Summary describes one device for the list.
type Summary struct {
	verbs.DeviceInfo
	Ports []PortSummary `json:"ports"`
	// Err says why the ports could not be read; "" if they could.
	Err string `json:"error,omitempty"`
}

// PortSummary describes one port for the list.
type PortSummary struct {
	PortNum   uint8           `json:"port_num"`
	State     verbs.PortState `json:"state"`
	LinkLayer verbs.LinkLayer `json:"link_layer"`
	Rate      float64         `json:"rate"`             // Gbit/s; 0 if unknown
	Netdev    string          `json:"netdev,omitempty"` // the netdev of the first GID
}

// UsualPort returns the port to use if none is given, and why.
func (s *Summary) UsualPort() route.ChosenPort {
	states := make([]verbs.PortState, len(s.Ports))
	for i := range s.Ports {
		states[i] = s.Ports[i].State
	}
	return route.Port(states)
}

// List returns all devices in the order of the providers. The kernel's are read
// from sysfs, without opening them. A provider that cannot list its devices
// adds none; [Inventory.Providers] says why.
func (inv *Inventory) List() []Summary {
	var list []Summary
	for i, st := range inv.Providers() {
		for _, info := range st.Devices {
			list = append(list, inv.summary(inv.providers[i], info))
		}
	}
	return list
}

func (inv *Inventory) summary(p verbs.Provider, info verbs.DeviceInfo) Summary {
	s := Summary{DeviceInfo: boundInfo(info)}
	if dir := deviceDir(info.Name); dir != "" {
		if nums, err := inv.os.ReadDir(dir + "/ports"); err == nil {
			s.Ports = sysfsPorts(inv.os, dir, nums)
			return s
		}
	}
	ports, err := openedPorts(p, info.Name)
	if s.Ports = ports; err != nil {
		s.Err = cutText(err.Error())
	}
	return s
}

// deviceDir returns a device's directory in sysfs, "" for a name that cannot be a
// device's.
func deviceDir(name string) string {
	if !plainName(name) {
		return ""
	}
	return path.Join(classDir, name)
}

func boundInfo(i verbs.DeviceInfo) verbs.DeviceInfo {
	for _, s := range []*string{&i.Name, &i.Provider, &i.NodeType, &i.Transport, &i.DevName, &i.DevPath, &i.IBDevPath} {
		*s = cutText(*s)
	}
	return i
}

func sysfsPorts(sys OS, dir string, nums []string) []PortSummary {
	var ports []PortSummary
	for n := range portNumbers(nums) {
		pd := portDir(dir, n)
		layer, _ := verbs.LinkLayers.Parse(attribute(sys, pd+"/link_layer"))
		ports = append(ports, PortSummary{
			PortNum:   n,
			State:     parsePortState(attribute(sys, pd+"/state")),
			LinkLayer: layer,
			Rate:      parseRate(attribute(sys, pd+"/rate")),
			Netdev:    portNetdev(sys, dir, n),
		})
	}
	return ports
}

// InterfaceOf returns the network interface of the usual port of a device that the kernel knows, "" if there is none.
func InterfaceOf(sys OS, device string) string {
	dir := deviceDir(device)
	if dir == "" {
		return ""
	}
	nums, err := sys.ReadDir(dir + "/ports")
	if err != nil {
		return ""
	}
	s := Summary{Ports: sysfsPorts(sys, dir, nums)}
	usual := s.UsualPort().PortNum
	for _, p := range s.Ports {
		if p.PortNum == usual {
			return p.Netdev
		}
	}
	return ""
}

func portDir(dir string, port uint8) string {
	return dir + "/ports/" + strconv.Itoa(int(port))
}

// portNumbers yields the port numbers among directory names, ascending.
func portNumbers(names []string) func(yield func(uint8) bool) {
	var have [256]bool
	for _, name := range names {
		if n, err := strconv.ParseUint(name, 10, 8); err == nil {
			have[n] = true
		}
	}
	return func(yield func(uint8) bool) {
		for n, ok := range have {
			if ok && !yield(uint8(n)) {
				return
			}
		}
	}
}

// parsePortState parses a state that sysfs gives as "4: ACTIVE"; 0 for anything else.
func parsePortState(s string) verbs.PortState {
	num, _, _ := strings.Cut(s, ":")
	n, err := strconv.ParseUint(num, 10, 32)
	if err != nil {
		return 0
	}
	return verbs.PortState(n)
}

// parseRate parses a rate that sysfs gives as "2.5 Gb/sec (1X SDR)", in Gbit/s; 0 for
// anything else.
func parseRate(s string) float64 {
	num, unit, _ := strings.Cut(s, " ")
	rate, err := strconv.ParseFloat(num, 64)
	// The bounds exclude NaN and infinity, which JSON cannot represent.
	if err == nil && strings.HasPrefix(unit, "Gb/sec") && rate >= 0 && rate <= 1e6 {
		return rate
	}
	return 0
}

// openedPorts opens a device that sysfs does not know and reads its ports. It returns all
// ports if the error is about some of them.
func openedPorts(p verbs.Provider, name string) ([]PortSummary, error) {
	dev, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	attr, err := dev.QueryDevice()
	if err != nil {
		return nil, err
	}
	gids, _ := dev.QueryGIDTable() // without it only the netdev is missing
	var ports []PortSummary
	var unread error
	for n := 1; n <= int(attr.PhysPortCnt); n++ {
		pa, err := dev.QueryPort(uint8(n))
		if err != nil {
			pa, unread = verbs.PortAttr{State: verbs.PortUnreadable},
				errors.Join(unread, fmt.Errorf("port %d: %w", n, err))
		}
		ports = append(ports, PortSummary{uint8(n), pa.State, pa.LinkLayer, pa.Rate(), firstNetdev(gids, uint8(n))})
	}
	return ports, unread
}

func firstNetdev(gids []verbs.GIDEntry, port uint8) string {
	for _, g := range gids {
		if g.PortNum == port && g.Netdev != "" {
			return cutText(g.Netdev)
		}
	}
	return ""
}
