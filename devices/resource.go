package devices

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"rdmatui/verbs"
)

// maxResources bounds the queue pairs and the users that are kept.
const maxResources = 4096

// Resources lists who uses a device, among the processes that this one may see.
type Resources struct {
	// objects of the whole device by kind: "pd", "cq", "qp", "cm_id", "mr", "ctx", "srq", and those that newer
	// kernels add
	Totals map[string]uint64 `json:"totals"`
	// the most objects of a kind that the device can have; kernels before 7 do not tell
	Limits map[string]uint64 `json:"limits,omitempty"`
	Users  []User            `json:"users"`
	QPs    []QPUse           `json:"qps"`
	CMIDs  []CMIDUse         `json:"cm_ids"`
	MRs    []MRUse           `json:"mrs"`
}

// User is a process, or a part of the kernel, that owns objects on a device.
type User struct {
	PID    uint32         `json:"pid"` // 0: the kernel
	Comm   string         `json:"comm"`
	Counts map[string]int `json:"counts"` // objects by kind, as in Resources.Totals
}

// QPUse is a queue pair of any process.
type QPUse struct {
	PortNum uint8         `json:"port_num,omitempty"`
	QPNum   verbs.QPN     `json:"qp_num"`
	Dest    verbs.QPN     `json:"dest_qp_num,omitempty"`
	Type    string        `json:"qp_type"`
	State   verbs.QPState `json:"qp_state"`
	RQPSN   verbs.PSN     `json:"rq_psn,omitempty"` // expected next; 0 too where the kernel does not tell it
	SQPSN   verbs.PSN     `json:"sq_psn,omitempty"` // to be sent next
	PID     uint32        `json:"pid"`              // 0: the kernel
	Comm    string        `json:"comm"`
}

// CMIDUse is an rdma_cm_id of any process.
type CMIDUse struct {
	QPNum     verbs.QPN      `json:"qp_num,omitempty"` // 0: it has no queue pair
	State     string         `json:"state"`            // enum rdma_cm_state: "LISTEN", "CONNECT"
	PortSpace string         `json:"ps"`               // "TCP", "UDP", "IPOIB", "IB"
	Src       netip.AddrPort `json:"src"`              // invalid: not bound
	Dst       netip.AddrPort `json:"dst"`              // invalid: not connected
	PID       uint32         `json:"pid"`
	Comm      string         `json:"comm"`
}

// Ends returns the addresses: "10.9.0.1:7471 → 10.9.0.2:40000"; "–" stands for one that is not set.
func (u CMIDUse) Ends() string {
	end := func(a netip.AddrPort) string {
		if !a.IsValid() {
			return "–"
		}
		return a.String()
	}
	return end(u.Src) + " → " + end(u.Dst)
}

// MRUse is a memory region of any process.
type MRUse struct {
	Number uint32 `json:"mrn"` // the kernel's number of it, not a key
	PD     uint32 `json:"pdn,omitempty"`
	Length uint64 `json:"length"`         // bytes
	RKey   uint32 `json:"rkey,omitempty"` // 0 unless this process is an administrator
	LKey   uint32 `json:"lkey,omitempty"`
	PID    uint32 `json:"pid"`
	Comm   string `json:"comm"`
}

// Resources asks the kernel which processes use a device. It fails on a system without
// RDMA in the kernel, and for a device that the kernel does not have.
func (inv *Inventory) Resources(name string) (Resources, error) { return inv.os.Resources(name) }

// keep adds an entry of a kind whose objects are listed one by one; at most maxResources of each.
func (r *Resources) keep(kind string, entry []byte) {
	switch {
	case kind == "qp" && len(r.QPs) < maxResources:
		r.QPs = append(r.QPs, qpUse(entry))
	case kind == "cm_id" && len(r.CMIDs) < maxResources:
		r.CMIDs = append(r.CMIDs, cmIDUse(entry))
	case kind == "mr" && len(r.MRs) < maxResources:
		r.MRs = append(r.MRs, mrUse(entry))
	}
}

// owner is the process that an object belongs to.
type owner struct {
	pid  uint32
	comm string
}

// tally counts objects by owner.
type tally map[owner]map[string]int

func (t tally) add(o owner, kind string) {
	if t[o] == nil {
		if len(t) >= maxResources {
			return
		}
		t[o] = map[string]int{}
	}
	t[o][kind]++
}

func (t tally) users() []User {
	users := make([]User, 0, len(t))
	for o, counts := range t {
		users = append(users, User{o.pid, o.comm, counts})
	}
	slices.SortFunc(users, func(a, b User) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Comm, b.Comm))
	})
	return users
}

// nameProcesses adds the names of processes: the kernel names only its own users.
func (r *Resources) nameProcesses(sys OS) {
	names := map[uint32]string{}
	name := func(pid uint32, comm *string) {
		if pid == 0 || *comm != "" {
			return
		}
		if _, ok := names[pid]; !ok {
			names[pid] = attribute(sys, "/proc/"+strconv.FormatUint(uint64(pid), 10)+"/comm")
		}
		*comm = names[pid]
	}
	for i := range r.Users {
		name(r.Users[i].PID, &r.Users[i].Comm)
	}
	for i := range r.QPs {
		name(r.QPs[i].PID, &r.QPs[i].Comm)
	}
	for i := range r.CMIDs {
		name(r.CMIDs[i].PID, &r.CMIDs[i].Comm)
	}
	for i := range r.MRs {
		name(r.MRs[i].PID, &r.MRs[i].Comm)
	}
}
