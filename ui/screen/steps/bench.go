package steps

import (
	"fmt"
	"strings"
	"unicode"

	"rdmatui/session"
	"rdmatui/session/command/syntax"
)

// Need is one object of a bench: two queue pairs of one device that can be connected
// with each other, and two memory regions.
type Need struct {
	What string // "protection domain"
	Why  string // its purpose
	Have string // the existing object; "" if it has to be made
	Line string // the line that makes it
}

// need describes how a Need is found and made; have names the objects before it.
type need struct {
	what, why string
	name      string // its default name
	have      func(s *session.Snapshot, have map[string]string) string
	line      func(name string, have map[string]string) string
}

const (
	whyDevice = "Every other object is created on an open device (struct ibv_context)."
	whyPD     = "A queue pair can use only the memory of its own protection domain."
	whySrc    = "Registering pins memory and gives it keys. The lkey is for local queue pairs; this region grants a peer nothing."
	whyDst    = "With this region's address and rkey a peer can WRITE and READ it without involving a program here."
	whyCQ     = "Finished requests appear as entries (CQEs) of a completion queue, which the program polls."
	whyA      = "A queue pair is a send queue and a receive queue. It starts in RESET and is brought up state by state."
	whyB      = "Create a second queue pair to see both ends side by side."
)

// deviceArg is the key of a line's device argument, left out if there is only one
// device.
const deviceArg = " device="

// srqArg is the key of a line's shared receive queue argument, left out if the domain
// has none.
const srqArg = " srq="

// sharedQueue returns that argument.
func sharedQueue(s *session.Snapshot, pd string) string {
	for _, q := range s.SRQs {
		if q.PD == pd {
			return srqArg + q.Name
		}
	}
	return ""
}

const qpArgs = " qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4"

var benchTable = []need{
	{"device", whyDevice, "", firstDevice, func(name string, _ map[string]string) string {
		return "open_device " + Word(name)
	}},
	{"protection domain", whyPD, "pd", firstPD, func(name string, h map[string]string) string {
		return "alloc_pd " + name + h[deviceArg]
	}},
	{"memory to send from", whySrc, "src", nthMR(0), func(name string, h map[string]string) string {
		return "reg_mr " + name + " pd=" + h["protection domain"] + " length=4096 access=LOCAL_WRITE"
	}},
	{"memory to receive in", whyDst, "dst", nthMR(1), func(name string, h map[string]string) string {
		return "reg_mr " + name + " pd=" + h["protection domain"] +
			" length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ"
	}},
	{"completion queue", whyCQ, "cq", firstCQ, func(name string, h map[string]string) string {
		return "create_cq " + name + h[deviceArg] + " cqe=64"
	}},
	{"queue pair", whyA, "a", nthQP(0), createQP},
	{"second queue pair", whyB, "b", nthQP(1), createQP},
}

func createQP(name string, h map[string]string) string {
	cq := h["completion queue"]
	return fmt.Sprintf("create_qp %s pd=%s send_cq=%s recv_cq=%s", name, h["protection domain"], cq, cq) + h[srqArg] +
		qpArgs
}

// named returns the name of object n, from 0, of those that belong to a bench, "" if there are fewer.
func named[T any](list []T, n int, belongs func(*T) (name string, ok bool)) string {
	for i := range list {
		if name, ok := belongs(&list[i]); ok {
			if n == 0 {
				return name
			}
			n--
		}
	}
	return ""
}

func firstDevice(s *session.Snapshot, _ map[string]string) string {
	return named(s.Devices, 0, func(d *session.DeviceView) (string, bool) { return d.Name, true })
}

func firstPD(s *session.Snapshot, have map[string]string) string {
	return named(s.PDs, 0, func(p *session.PDView) (string, bool) { return p.Name, p.Device == have["device"] })
}

func firstCQ(s *session.Snapshot, have map[string]string) string {
	return named(s.CQs, 0, func(c *session.CQView) (string, bool) { return c.Name, c.Device == have["device"] })
}

func nthMR(n int) func(*session.Snapshot, map[string]string) string {
	return func(s *session.Snapshot, have map[string]string) string {
		return named(s.MRs, n, func(m *session.MRView) (string, bool) {
			return m.Name, m.PD == have["protection domain"]
		})
	}
}

func nthQP(n int) func(*session.Snapshot, map[string]string) string {
	return func(s *session.Snapshot, _ map[string]string) string {
		return named(s.QPs, n, func(q *session.QPView) (string, bool) { return q.Name, true })
	}
}

// Bench lists what a bench needs, in the order of creation. device is opened if no
// device is open yet.
func Bench(s *session.Snapshot, device string) []Need {
	have := map[string]string{}
	if len(s.Devices) > 1 {
		have[deviceArg] = deviceArg + Word(s.Devices[0].Name)
	}
	out := make([]Need, 0, len(benchTable))
	for _, n := range benchTable {
		name, item := n.have(s, have), Need{What: n.what, Why: n.why}
		if item.Have = name; name == "" {
			if name = device; n.name != "" {
				name = FreeName(s, n.name)
			}
			item.Line = n.line(name, have)
		}
		have[n.what] = name
		have[srqArg] = sharedQueue(s, have["protection domain"])
		out = append(out, item)
	}
	return out
}

// NewQP returns the line that makes another queue pair; ok is false if something must
// be made first.
func NewQP(s *session.Snapshot) (text string, ok bool) {
	have := map[string]string{}
	for _, n := range benchTable[:len(benchTable)-2] {
		have[n.what] = n.have(s, have)
	}
	have[srqArg] = sharedQueue(s, have["protection domain"])
	if have["protection domain"] == "" || have["completion queue"] == "" {
		return "", false
	}
	for c := 'a'; c <= 'z'; c++ {
		if !s.Has(string(c)) {
			return createQP(string(c), have), true
		}
	}
	return createQP(FreeName(s, "qp"), have), true
}

// FreeName returns stem, or the first unused of stem2, stem3 …
func FreeName(s *session.Snapshot, stem string) string {
	name := stem
	for i := 2; s.Has(name); i++ {
		name = fmt.Sprint(stem, i)
	}
	return name
}

// Numbered returns the first unused name of conn1, conn2 … for a new object of which there may be many.
func Numbered(s *session.Snapshot, stem string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprint(stem, i); !s.Has(name) {
			return name
		}
	}
}

// Word makes a text one word of a command line, quoted if necessary.
func Word(s string) string {
	bad := func(r rune) bool {
		return r == '"' || r == '#' || r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}
	if s == "" || strings.ContainsFunc(s, bad) {
		return syntax.Quote(s)
	}
	return s
}
