package connections

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/cm"
	"rdmatui/session/oob"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// pasteBlock takes a block copied from another instance: the address to connect to, and
// the region it exposes. It runs nothing.
func pasteBlock(s *Screen, text string) tea.Cmd {
	address, region, err := readBlock(text)
	switch {
	case err != nil:
		return screen.Warn("paste not taken: " + err.Error() + "; c asks for an address")
	case s.start.none():
		return screen.Warn(s.advice())
	}
	var took []string
	cmd := tea.Cmd(nil)
	if address != "" {
		cmd = s.takeAddress(address, false)
		took = append(took, address)
	}
	w := s.shownWish()
	if w == nil {
		return screen.Warn("nothing taken: no connection that the region belongs to")
	}
	if region != "" {
		w.region = region
		took = append(took, strings.TrimSpace(region))
	}
	return tea.Batch(cmd, screen.Flash("took "+strings.Join(took, ", ")))
}

// readBlock parses an address with or without port, or a block of names with values.
func readBlock(text string) (address, region string, err error) {
	var plain wish
	plain.setAddress(strings.Join(strings.Fields(text), " "))
	if _, err := netip.ParseAddrPort(net.JoinHostPort(plain.addr, plain.port)); err == nil {
		return plain.address(), "", nil
	}
	block, err := oob.ParseBlock(text)
	if err != nil {
		return "", "", err
	}
	port := defaultPort
	for _, f := range block {
		switch f.Name {
		case "host":
			address = f.Text
		case "port":
			port = f.Text
		case "addr", "rkey", "length":
			region += " " + f.Name + "=" + steps.Word(f.Text)
		default:
			return "", "", fmt.Errorf("%s is of a queue pair, which Bring-up (2) takes", f.Name)
		}
	}
	if address != "" {
		address += " " + port
	}
	if address+region == "" {
		err = fmt.Errorf("host is missing")
	}
	return address, region, err
}

// texts lists what can be copied from a pane.
func texts(s *Screen, at screen.Pane) []screen.CopyText {
	command := screen.CopyText{Name: "command"}
	if list := s.todo(); len(list) > 0 {
		command.Text = list[0].line
	}
	pane := screen.CopyText{Name: "pane", Text: s.Boxes[at].Text()}
	own := screen.CopyText{Name: "ADDR PORT", Text: ownAddress(s)}
	private := screen.CopyText{Name: "private data"}
	if n := s.detail.bytes(); n > 0 {
		private.Text = fmt.Sprintf("0x%x", s.detail.event.CM.PrivateData())
	}
	switch at {
	case paneIDs:
		return screen.CopyTexts(own, screen.CopyText{Name: "host port addr rkey", Text: ownBlock(s)},
			screen.CopyText{Name: "row", Text: s.ids.Text()}, command)
	case paneAbout:
		return screen.CopyTexts(command, own, pane)
	case paneEvents:
		return screen.CopyTexts(screen.CopyText{Name: "row", Text: s.log.Text()}, private)
	}
	return screen.CopyTexts(private, pane)
}

// ownAddress returns the address at which a peer reaches the server shown, or one made
// now; "" for a client.
func ownAddress(s *Screen) string {
	host, port := "", defaultPort
	if len(s.start.addresses) > 0 {
		host, _, _ = strings.Cut(s.start.addresses[0], " ")
	}
	switch id := s.current(); {
	case s.draft != nil && s.draft.serves:
		port = s.draft.port
		if s.draft.addr != "" {
			host = s.draft.addr
		}
	case s.draft != nil:
		return ""
	case id == nil:
	case id.State != session.IDListening && id.State != session.IDBound:
		return ""
	default:
		port = fmt.Sprint(id.Local.Port())
		if a := id.Local.Addr().Unmap(); a.IsValid() && !a.IsUnspecified() {
			host = a.String()
		}
	}
	if host == "" {
		return ""
	}
	return host + " " + port
}

// ownBlock returns the address of the server shown and the first region open to
// peers, for [pasteBlock] of another instance; "" without a region.
func ownBlock(s *Screen) string {
	host, port, ok := strings.Cut(ownAddress(s), " ")
	for i := range s.snap.MRs {
		if m := &s.snap.MRs[i]; ok && m.Access&(verbs.RemoteWrite|verbs.RemoteRead|verbs.RemoteAtomic) != 0 {
			return fmt.Sprintf("host %s port %s addr 0x%x rkey 0x%x length %d", host, port, m.Addr, m.RKey, m.Length)
		}
	}
	return ""
}

// hostMsg carries the providers with a connection manager, and the addresses at which
// peers reach this host's devices.
type hostMsg struct {
	managers  []cm.Manager
	addresses []string
}

// addressesMost bounds the number of addresses shown.
const addressesMost = 6

// addresses returns the addresses of the devices' RoCE GIDs, each with its device. On
// InfiniBand a GID is not an address.
func addresses(inv screen.Inventory) (list []string) {
	for _, sum := range inv.List() {
		d, err := inv.Detail(sum.Name)
		if err != nil {
			continue // the Devices screen says why
		}
		for i := range d.Ports {
			for _, a := range addressesOf(&d.Ports[i]) {
				if list = append(list, a+" ("+sum.Name+")"); len(list) == addressesMost {
					return list
				}
			}
		}
	}
	return list
}

func addressesOf(p *devices.Port) (list []string) {
	for _, g := range p.GIDs {
		if g.Type != verbs.GIDTypeRoCEv2 || p.LinkLayer != verbs.LinkEthernet {
			continue
		}
		a := g.GID.Addr().Unmap()
		if text := a.String(); !a.IsLinkLocalUnicast() && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// reachedAt formats the addresses in one line.
func (s *start) reachedAt() string { return strings.Join(s.addresses, ", ") }
