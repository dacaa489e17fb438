package cm

import (
	"fmt"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// CreateID carries out rdma_create_id.
func CreateID(c *core.Call) error {
	ec, err := channelOfID(c)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindID)
	if err != nil {
		dropUnused(c.S, ec)
		return err
	}
	i := &ID{PS: c.Cmd.PortSpace("ps"), ec: ec}
	i.Node = &core.Node{Name: name, Kind: command.KindID, Body: i}
	if !ec.own {
		i.Uses = []*core.Node{ec.Node}
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"channel": cChannel(ec), "&name": "&" + name})
	if err := c.Time(func() (err error) { i.ID, err = ec.ch.CreateID(i.PS); return err }); err != nil {
		dropUnused(c.S, ec)
		return err
	}
	enterID(c.S, i)
	c.Done.Created = append(c.Done.Created, name)
	c.Done.Result = fmt.Sprintf("%s of %s: %s", name, ec.provider.Name(), howRead[ec.mode])
	if ec.own {
		startEvents(c.S, ec)
	}
	return nil
}

// channelOfID returns the channel that the line names, a new implicit one if it names
// a mode, or the only channel.
func channelOfID(c *core.Call) (*EventChannel, error) {
	if !c.Cmd.Has("mode") {
		return core.ArgAs[*EventChannel](c, "channel", nil)
	}
	if c.Cmd.Has("channel") {
		return nil, fmt.Errorf("channel and mode exclude each other: the channel decides the event mode")
	}
	ec, err := openChannel(c, Mode(c.Cmd.String("mode")))
	if err == nil {
		ec.own = true
	}
	return ec, err
}

// dropUnused closes an implicit channel whose identifier could not be created.
func dropUnused(s *core.Session, ec *EventChannel) {
	if ec.own && ec.members == 0 {
		_ = ec.Close() // nothing uses it
	}
}

// idArg returns the identifier that the line names, or the only one that fits. A request
// then belongs to the command, so that its peer cannot withdraw it meanwhile.
func idArg(c *core.Call, fits func(*ID) bool) (*ID, error) {
	var fitsNode func(*core.Node) bool
	if fits != nil {
		fitsNode = func(n *core.Node) bool { return fits(n.Body.(*ID)) }
	}
	i, err := core.ArgAs[*ID](c, "id", fitsNode)
	if err == nil && !claimed(c.S, i, byCommand) {
		return nil, fmt.Errorf("the request %s was withdrawn by its peer, or replaced by a newer one", i.Name)
	}
	return i, err
}

// in returns a filter for identifiers by state; it needs Session.mu.
func in(states ...core.IDState) func(*ID) bool {
	return func(i *ID) bool {
		for _, st := range states {
			if i.state == st {
				return true
			}
		}
		return false
	}
}

// StateOf returns the state of an identifier.
func StateOf(s *core.Session, i *ID) core.IDState {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return i.state
}

// SetIDState sets the state after a call, unless an event has already changed it.
func SetIDState(s *core.Session, i *ID, from, to core.IDState) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if i.state == from {
		i.moveLocked(to)
	}
	s.Changed()
}

// BindAddr carries out rdma_bind_addr.
func BindAddr(c *core.Call) error {
	i, err := idArg(c, in(core.IDIdle))
	if err != nil {
		return err
	}
	src, err := AddrArg(c, "addr", c.Cmd.Uint("port"))
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"addr": cAddr(src)})
	if err := c.Time(func() error { return i.ID.BindAddr(src) }); err != nil {
		return err
	}
	SetIDState(c.S, i, core.IDIdle, core.IDBound)
	look(c.S, i)
	c.Done.Result = describeBound(c.S, i)
	return nil
}

func describeBound(s *core.Session, i *ID) string {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	text := i.at.local.String()
	if i.dev != nil {
		return text + " on " + i.dev.Name
	}
	return text + ", of any device"
}

// ResolveAddr carries out rdma_resolve_addr.
func ResolveAddr(c *core.Call) error {
	i, err := idArg(c, in(core.IDIdle, core.IDBound, core.IDError))
	if err != nil {
		return err
	}
	dst, err := AddrArg(c, "dst", c.Cmd.Uint("port"))
	if err != nil {
		return err
	}
	var st step
	if c.Cmd.Has("src") {
		if st.src, err = AddrArg(c, "src", 0); err != nil {
			return err
		}
	}
	timeout := c.Cmd.Duration("timeout")
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"src": cAddr(st.src), "dst": cAddr(dst)})
	st.name, st.wait = stepAddr, timeout+syncGrace
	err = takeStep(c, i, st, func() error { return i.ID.ResolveAddr(st.src, dst, timeout) })
	if hasNoDevice(err) {
		return offerSource(c, i.ec, err)
	}
	return err
}

// syncGrace is how much longer than the manager's timeout a synchronous call waits.
const syncGrace = time.Second

// ResolveRoute carries out rdma_resolve_route.
func ResolveRoute(c *core.Call) error {
	i, err := idArg(c, in(core.IDAddrResolved))
	if err != nil {
		return err
	}
	timeout := c.Cmd.Duration("timeout")
	return takeStep(c, i, step{name: stepRoute, wait: timeout + syncGrace}, func() error {
		return i.ID.ResolveRoute(timeout)
	})
}

// Listen carries out rdma_listen.
func Listen(c *core.Call) error {
	i, err := idArg(c, in(core.IDBound))
	if err != nil {
		return err
	}
	backlog := c.Cmd.Int("backlog")
	before := StateOf(c.S, i)
	SetIDState(c.S, i, before, core.IDListening)
	if err := c.Time(func() error { return i.ID.Listen(backlog) }); err != nil {
		SetIDState(c.S, i, core.IDListening, before)
		return err
	}
	look(c.S, i)
	c.Done.Result = "listening at " + describeBound(c.S, i)
	return nil
}

// SetOption carries out rdma_set_option.
func SetOption(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	option, value := c.Cmd.CMOption("optname"), c.Cmd.Uint("optval")
	c.Done.C = ccall.Line(c.Cmd, map[string]string{
		"&optval": fmt.Sprintf("&(int){%d}", value), "sizeof(optval)": "sizeof(int)"})
	if err := c.Time(func() error { return i.ID.SetOption(option, value) }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("%s is %d", option, value)
	return nil
}

// MigrateID carries out rdma_migrate_id.
func MigrateID(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	to, err := core.ArgAs[*EventChannel](c, "channel", nil)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, nil)
	from := i.ec
	if from.provider != to.provider {
		return fmt.Errorf("%s is of %s, the channel of %s: %w", i.Name, from.provider.Name(), to.provider.Name(),
			verbs.ErrForeignObject)
	}
	if err := c.Time(func() error { return i.ID.Migrate(to.ch) }); err != nil {
		return err
	}
	if from != to {
		rehome(c.S, i, from, to)
	}
	c.Done.Result = fmt.Sprintf("the events of %s come to %s", i.Name, to.Name)
	return nil
}

// rehome moves an identifier's registration to another channel.
func rehome(s *core.Session, i *ID, from, to *EventChannel) {
	s.Mu.Lock()
	uses := []*core.Node{to.Node}
	for _, n := range i.Uses {
		if n != from.Node {
			uses = append(uses, n)
		}
	}
	i.Uses, i.ec = uses, to
	to.members++
	from.inbox.moveTo(&to.inbox, i) // before an event that is delivered next
	s.Mu.Unlock()
	leaveChannel(s, from)
	s.Changed()
}
