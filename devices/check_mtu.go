package devices

import (
	"fmt"
	"strconv"

	"rdmatui/verbs"
)

// smallMTU is the largest active_mtu, in bytes, that is smaller than what Ethernet's usual MTU of 1500 gives.
const smallMTU = 512

// checkMTU reports how long a packet may be on each port: a queue pair with a larger path_mtu reaches RTS, and its
// packets are lost.
func checkMTU(e *examination) []Finding {
	var found []Finding
	for _, info := range e.kernelDevices() {
		if info.ConnectsByAddress() {
			continue // TCP cuts its packets by itself
		}
		dev, err := e.inv.Open(info.Name)
		if err != nil {
			continue // the check gids reports it
		}
		dir := deviceDir(info.Name)
		nums, _ := e.os.ReadDir(dir + "/ports")
		for _, p := range sysfsPorts(e.os, dir, nums) {
			if attr, err := dev.QueryPort(p.PortNum); err == nil {
				found = append(found, mtuFinding(e.os, info.Name, p, &attr))
			}
		}
		dev.Close()
	}
	return found
}

func mtuFinding(sys OS, device string, p PortSummary, attr *verbs.PortAttr) Finding {
	active := attr.ActiveMTU.Bytes()
	f := Finding{Status: OK, Looked: fmt.Sprintf("%s port %d: active_mtu %d, max_mtu %d", device, p.PortNum, active,
		attr.MaxMTU.Bytes()),
		Meaning: fmt.Sprintf("path_mtu may be at most %d here, and at most the peer's active_mtu", active)}
	netdev := 0
	if p.Netdev != "" && isHere(sys, p.Netdev) {
		netdev, _ = strconv.Atoi(attribute(sys, netDir+"/"+p.Netdev+"/mtu"))
		f.Looked += fmt.Sprintf("; %s: mtu %d", p.Netdev, netdev)
	}
	if active > smallMTU || p.State != verbs.PortActive {
		return f
	}
	f.Status = Warn
	f.Meaning = fmt.Sprintf("packets carry %d bytes only: a queue pair with a larger path_mtu reaches RTS, but its packets are lost",
		active)
	f.Next = fmt.Sprintf("use path_mtu=%d at both ends, or raise the MTU of the interface and of its switch", active)
	if netdev > 0 {
		f.Next = fmt.Sprintf("ip link set %s mtu 1500, if its network allows that; else path_mtu=%d at both ends",
			shellWord(p.Netdev), active)
	}
	return f
}
