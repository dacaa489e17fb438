package world

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs/verbstest/sim"
)

// undrawn lists the commands that are never generated, with the reason.
var undrawn = map[string]string{
	"exchange":         "waits for TCP, outside virtual time",
	"exchange_finish":  "waits for TCP, outside virtual time",
	"rdma_getaddrinfo": "asks the host's resolver",
	"pingpong":         "busy-polls, so virtual time stands still",
	"cq_mode":          "may busy-poll; recipes set the modes that wait",
	"cq_stats":         "reports CPU times, which are not repeatable",
	"lab":              "runs in sessions of its own, which take the host's memory",
	"loop":             "stands for several lines",
	"end":              "stands for several lines",
	"try":              "stands for several lines",
	"until":            "stands for several lines",
	"help":             "always prints the same",
}

// drawn lists the commands that are generated.
var drawn = func() (all []*command.Spec) {
	for _, spec := range command.Commands {
		if undrawn[spec.Name] == "" {
			all = append(all, spec)
		}
	}
	return all
}()

// anyLine generates a line of any command.
func (h *host) anyLine() string { return h.lineOf(sim.Pick(h.w.Rng, drawn...), 0) }

// lineOf generates a line of a command; depth is its depth of nesting.
func (h *host) lineOf(spec *command.Spec, depth int) string {
	w := h.w
	words := []string{spec.Name}
	for i := range spec.Args {
		a := &spec.Args[i]
		if !a.Required && !w.Chance(0.3) || a.Required && w.Chance(0.02) {
			continue
		}
		text := h.value(spec, a, depth)
		if !a.Positional {
			text = a.Name + "=" + text
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// addresses are arguments that accept a host name, which the host's resolver would look up outside virtual time.
var addresses = map[string]bool{"addr": true, "dst": true, "src": true, "address": true, "listen": true}

// few are arguments that count repetitions. Large values would take long and find nothing more.
var few = map[string]bool{"count": true, "n": true, "cqe": true}

// value generates a value, which usually fits its type.
func (h *host) value(spec *command.Spec, a *command.Arg, depth int) string {
	w := h.w
	if w.Chance(0.01) && !(a.Type == command.Word && addresses[a.Name]) {
		odd := sim.Pick(w.Rng, "0", "x", `""`, "-1", "qp.qp_num", "0xffffffffffffffff")
		if odd != "qp.qp_num" || !few[a.Name] {
			return odd
		}
	}
	switch a.Type {
	case command.NewName:
		return fmt.Sprintf("%c%d", 'a'+rune(w.Rng.IntN(3)), w.Rng.IntN(3))
	case command.Object:
		return h.object(a.Objects...)
	case command.Uint:
		if few[a.Name] {
			return fmt.Sprint(1 + w.Rng.IntN(20))
		}
		return fmt.Sprint(sim.Pick(w.Rng, 0, 1, 2, 3, 7, 14, 64, 255, 4096, 0x11111111, 1<<(a.Bits%63)-1))
	case command.Addr:
		return h.farAddr()
	case command.Duration:
		return sim.Pick(w.Rng, "10us", "1ms", "200ms", "3s", "1h")
	case command.Share:
		return sim.Pick(w.Rng, "0", "0.05", "20%")
	case command.Bool:
		return sim.Pick(w.Rng, "0", "1", "on", "off")
	case command.Choice:
		return sim.Pick(w.Rng, a.Choices...)
	case command.FlagSet:
		var some []string
		for _, c := range a.Choices {
			if w.Chance(0.4) {
				some = append(some, c)
			}
		}
		return strings.Join(append(some, sim.Pick(w.Rng, a.Choices...)), "|")
	case command.GIDValue:
		return sim.Pick(w.Rng, h.other().addr.String(), h.addr.String(), "239.1.2.3", "fe80::1")
	case command.SGEList:
		return h.object(command.KindMR) + sim.Pick(w.Rng, "", ":0:8", ":16:256", ":0:4096", ":4090:100")
	case command.Bytes:
		return sim.Pick(w.Rng, `"hello"`, "0x0102", "pattern:100", "be32:7")
	case command.Errno:
		return sim.Pick(w.Rng, "EINVAL", "EBUSY", "ENOMEM")
	case command.NewFile:
		return "nowhere"
	case command.Line:
		if depth > 0 {
			return "sleep 1us"
		}
		return h.lineOf(sim.Pick(w.Rng, drawn...), depth+1)
	}
	return h.word(a)
}

// word generates a bare word or a text; an address if the argument is one.
func (h *host) word(a *command.Arg) string {
	w := h.w
	if addresses[a.Name] {
		return sim.Pick(w.Rng, h.other().addr.String(), h.addr.String(), h.other().addr.Next().String(),
			"239.1.2.3", "10.9.9.9")
	}
	return sim.Pick(w.Rng, "0", "word", `"two words"`)
}

func (h *host) other() *host { return h.w.hosts[1-h.n] }

// object names an object of one of the kinds, and sometimes another one.
func (h *host) object(kinds ...command.ObjectKind) string {
	w := h.w
	if slices.Contains(kinds, command.KindAvailable) {
		return sim.Pick(w.Rng, "soft0", "soft0", "soft1")
	}
	var some, all []string
	for _, o := range h.session.Snapshot().Objects {
		all = append(all, o.Name)
		if slices.Contains(kinds, o.Kind) {
			some = append(some, o.Name)
		}
	}
	switch {
	case len(some) > 0 && !w.Chance(0.05):
		return sim.Pick(w.Rng, some...)
	case len(all) > 0 && w.Chance(0.5):
		return sim.Pick(w.Rng, all...)
	}
	return "none"
}

// farAddr returns an address in a region of the other session.
func (h *host) farAddr() string {
	mrs := h.other().session.Snapshot().MRs
	if len(mrs) == 0 {
		return "0"
	}
	m := mrs[h.w.Rng.IntN(len(mrs))]
	return fmt.Sprint(m.Addr + uint64(h.w.Rng.IntN(64)))
}
