package devices

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	inv "rdmatui/devices"
	"rdmatui/session"
)

// kinds are the kinds of objects in the order of creation.
var kinds = []string{"ctx", "pd", "mr", "cq", "srq", "qp", "cm_id"}

// objectCounts formats counts by kind: "1 pd 2 qp".
func objectCounts[T int | uint64](counts map[string]T) string {
	var parts []string
	for _, k := range slices.SortedFunc(maps.Keys(counts), byKind) {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	return orDash(strings.Join(parts, " "))
}

// byKind orders by kinds; kinds not listed there come last, by name.
func byKind(a, b string) int {
	place := func(k string) int {
		if i := slices.Index(kinds, k); i >= 0 {
			return i
		}
		return len(kinds)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// holderRows lists the users of a device: the host's processes, their QPs and rdma_cm_ids, and
// this session.
func holderRows(res *inv.Resources, own []row) []row {
	var rows []row
	if res != nil && len(res.Users) > 0 {
		rows = append(rows, headRow("processes"))
		for _, u := range res.Users {
			rows = append(rows, holderRow(owner(u.Comm, u.PID), u.PID, objectCounts(u.Counts)))
		}
	}
	if res != nil && len(res.QPs) > 0 {
		rows = append(rows, headRow("queue pairs"))
		for i := range res.QPs {
			q := &res.QPs[i]
			what := fmt.Sprintf("%s %s, %s", q.Type, q.State, owner(q.Comm, q.PID))
			if q.Dest != 0 {
				what = fmt.Sprintf("%s %s, to %s, rq_psn %s, sq_psn %s, %s", q.Type, q.State, q.Dest, q.RQPSN, q.SQPSN,
					owner(q.Comm, q.PID))
			}
			rows = append(rows, holderRow(q.QPNum.String(), q.PID, what))
		}
	}
	if res != nil && len(res.CMIDs) > 0 {
		rows = append(rows, headRow("rdma_cm_ids"))
		for _, i := range res.CMIDs {
			what := fmt.Sprintf("%s %s", i.PortSpace, i.Ends())
			if i.QPNum != 0 {
				what += ", qp " + i.QPNum.String()
			}
			rows = append(rows, holderRow(i.State, i.PID, what+", "+owner(i.Comm, i.PID)))
		}
	}
	if res != nil && len(res.Totals) > 0 {
		rows = append(rows, headRow("all together"), countRow("kernel's count", res.Totals))
	}
	if res != nil && len(res.Limits) > 0 {
		rows = append(rows, countRow("kernel's limit", res.Limits))
	}
	return append(rows, own...)
}

func holderRow(who string, pid uint32, what string) row {
	id := "–"
	if pid != 0 {
		id = fmt.Sprint(pid)
	}
	return row{cells: []cell{{text: who, tone: label}, {text: id}, {text: what}}, about: who + ": " + what}
}

// countRow shows counts that are no process's own.
func countRow(what string, counts map[string]uint64) row {
	r := holderRow(what, 0, objectCounts(counts))
	r.cells[1].text = ""
	return r
}

func owner(comm string, pid uint32) string {
	switch {
	case comm != "":
		return comm
	case pid == 0:
		return "kernel"
	}
	return fmt.Sprintf("process %d", pid)
}

// sessionRows lists this session's objects on a device.
func sessionRows(st *session.Snapshot, device string) []row {
	var rows []row
	if n := ownCounts(st, device); len(n) > 0 {
		rows = append(rows, headRow("this session"), holderRow("rdmatui", 0, objectCounts(n)))
	}
	for _, q := range st.QPs {
		if q.Device == device {
			rows = append(rows, holderRow("qp "+q.Name, 0, fmt.Sprintf("%s %s, %s", q.Num, q.Type, q.State)))
		}
	}
	return rows
}

func ownCounts(st *session.Snapshot, device string) map[string]int {
	n := map[string]int{}
	count := func(kind, on string) {
		if on == device {
			n[kind]++
		}
	}
	for i := range st.Devices {
		count("ctx", st.Devices[i].Name)
	}
	for i := range st.PDs {
		count("pd", st.PDs[i].Device)
	}
	for i := range st.MRs {
		count("mr", st.MRs[i].Device)
	}
	for i := range st.CQs {
		count("cq", st.CQs[i].Device)
	}
	for i := range st.QPs {
		count("qp", st.QPs[i].Device)
	}
	return n
}
