package measure

import (
	"slices"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// Counter is how often something happened on the device since the test began.
type Counter struct {
	Name  string // in words
	Value uint64
}

// counted lists what is shown with the device counters of it: those of the software
// device and rxe first, then of mlx5. The first that a device has counts.
var counted = []struct {
	name  string
	names []string
}{
	{"retransmissions", []string{"retransmits", "completer_retry_err", "roce_adp_retrans"}},
	{"timeouts", []string{"timeouts", "local_ack_timeout_err"}},
	{"RNR NAKs received", []string{"rcvd_rnr_err", "rnr_nak_retry_err"}},
	{"RNR NAKs sent", []string{"send_rnr_err", "out_of_buffer"}},
	{"out of order", []string{"out_of_seq_request", "out_of_sequence"}},
	{"sequence NAKs", []string{"rcvd_seq_err", "packet_seq_err"}},
	{"duplicates", []string{"duplicate_request"}},
	{"CNPs received", []string{"rp_cnp_handled"}},
	{"CNPs sent", []string{"np_cnp_sent"}},
}

// counterReader reads the counters of one device.
type counterReader struct {
	s      *core.Session
	device string
	first  map[string]uint64
}

// newCounterReader notes the values at the beginning.
func newCounterReader(s *core.Session, device string) *counterReader {
	r := &counterReader{s: s, device: device}
	r.first = r.values()
	return r
}

// values reads all counters by name.
func (r *counterReader) values() map[string]uint64 {
	list, all := r.list(), map[string]uint64{}
	for _, c := range list {
		all[c.Name] = c.Value
	}
	return all
}

func (r *counterReader) list() []verbs.HWCounter {
	for _, p := range r.s.Opts.Providers {
		if reader, ok := p.(verbs.HWCounterReader); ok {
			if list, err := reader.HWCounters(r.device); err == nil {
				return list
			}
		}
	}
	return queue.DeviceCounters(r.s, r.device)
}

// read returns what was counted since the beginning, and leaves out what the device
// does not count.
func (r *counterReader) read() []Counter {
	now, out := r.values(), make([]Counter, 0, len(counted))
	for _, c := range counted {
		i := slices.IndexFunc(c.names, func(name string) bool { _, ok := now[name]; return ok })
		if i < 0 {
			continue
		}
		v := now[c.names[i]]
		out = append(out, Counter{Name: c.name, Value: v - min(r.first[c.names[i]], v)})
	}
	return out
}
