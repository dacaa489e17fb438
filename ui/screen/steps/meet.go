package steps

import (
	"net/netip"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// MeetTimeout is how long an instance waits for another one: a person has to start it, and may go to another host.
const MeetTimeout = "10m"

// ByManager begins the address of an instance that waits for a request of the connection manager.
const ByManager = "rdma_cm "

// Meet lists the lines that connect a queue pair to one of another rdmatui, which tell each other their regions, too:
// as the server, or the client of the one at an address ("" for the server). What is missing is made first. It takes
// the queue pair in hand if that is in RESET, or makes another one. device is opened if none is open. why says what
// must be made by hand before.
func Meet(s *session.Snapshot, inHand, device, address string) (lines []string, why string) {
	if len(s.Devices) == 0 && device == "" {
		return nil, "no device to open; Devices (1) says why"
	}
	needs := Bench(s, device)
	for _, n := range needs[:len(needs)-1] { // without the second queue pair
		if n.Have == "" {
			lines = append(lines, n.Line)
		}
	}
	qp := inHand
	if q := s.QP(qp); q == nil || q.State != verbs.QPReset || q.Type != verbs.RC {
		if len(s.QPs) > 0 {
			text, ok := NewQP(s)
			if !ok {
				return nil, "first make a protection domain and a completion queue: " + lines[0]
			}
			lines = append(lines, text)
		}
		qp = strings.Fields(lines[len(lines)-1])[1]
	}
	peer := FreeName(s, "peer")
	swap := "exchange " + peer + " qp=" + Word(qp)
	if address == "" {
		swap += " timeout=" + MeetTimeout
	} else {
		host, port := hostPort(address)
		if swap += " address=" + Word(host); port != "" {
			swap += " port=" + Word(port)
		}
	}
	return append(lines, swap, "connect_qps "+Word(qp)+" "+peer), ""
}

// hostPort parts an address from a port that follows it after a space or, as in "10.0.0.2:18515", a colon.
func hostPort(text string) (host, port string) {
	if words := strings.Fields(text); len(words) == 2 {
		return words[0], words[1]
	}
	if at, err := netip.ParseAddrPort(text); err == nil {
		host, port, _ = strings.Cut(text, "]:")
		if at.Addr().Is4() {
			host, port, _ = strings.Cut(text, ":")
		}
		return strings.TrimPrefix(host, "["), port
	}
	return text, ""
}

// Meeting asks for the address of the instance to connect to.
func Meeting(join func(address string) tea.Cmd) *screen.Question {
	return &screen.Question{Label: "address of the rdmatui that waits",
		Placeholder: "as that one shows it, such as 192.0.2.1 or rdma_cm 192.0.2.1 7471",
		Done: func(text string) tea.Cmd {
			if text = strings.TrimSpace(text); text == "" {
				return nil
			}
			return join(text)
		}}
}

// RunMeet runs the lines of [Meet], and then goes to Post, where enter posts an RDMA_WRITE to the other instance.
// To one that listens for the connection manager, Connections connects.
func RunMeet(r *Runner, env *screen.Env, s *session.Snapshot, device, address string) tea.Cmd {
	if strings.HasPrefix(address, ByManager) {
		return screen.Send(screen.GotoMsg{To: screen.Connections, Item: address})
	}
	lines, why := Meet(s, env.Hand.In(s), device, address)
	if why != "" {
		return screen.Warn(why)
	}
	write := screen.Send(screen.GotoMsg{To: screen.Post, Item: verbs.WRRDMAWrite.String()})
	return r.StartThen(write, lines...)
}
