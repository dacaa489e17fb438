package devices

import (
	"cmp"
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
	PID     uint32        `json:"pid"` // 0: the kernel
	Comm    string        `json:"comm"`
}

// Resources asks the kernel which processes use a device. It fails on a system without
// RDMA in the kernel, and for a device that the kernel does not have.
func (inv *Inventory) Resources(name string) (Resources, error) { return inv.os.Resources(name) }

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
}
