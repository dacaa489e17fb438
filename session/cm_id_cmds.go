package session

import (
	"fmt"
	"time"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

func createID(c *call) error {
	ec, err := channelOfID(c)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindID)
	if err != nil {
		dropUnused(c.s, ec)
		return err
	}
	i := &cmID{ps: c.cmd.PortSpace("ps"), ec: ec}
	i.node = &node{name: name, kind: command.KindID, res: i}
	if !ec.own {
		i.uses = []*node{ec.node}
	}
	c.done.Call = fmt.Sprintf("rdma_create_id(%s, &%s, NULL, %s)", cChannel(ec), name, verbs.CMPortSpaces.CName(i.ps))
	if err := c.time(func() (err error) { i.id, err = ec.ch.CreateID(i.ps); return err }); err != nil {
		dropUnused(c.s, ec)
		return err
	}
	enterID(c.s, i)
	c.done.Created = append(c.done.Created, name)
	c.done.Result = fmt.Sprintf("%s of %s: %s", name, ec.provider.Name(), howRead[ec.mode])
	if ec.own {
		startEvents(c.s, ec)
	}
	return nil
}

// channelOfID is the channel that the line names, one of the identifier's own
// where it names a mode, or the only one.
func channelOfID(c *call) (*eventChannel, error) {
	if !c.cmd.Has("mode") {
		return argAs[*eventChannel](c, "channel", nil)
	}
	if c.cmd.Has("channel") {
		return nil, fmt.Errorf("channel and mode exclude each other: how events are waited for is a matter of the channel")
	}
	ec, err := openChannel(c, eventMode(c.cmd.String("mode")))
	if err == nil {
		ec.own = true
	}
	return ec, err
}

// dropUnused closes a channel that was made for an identifier that is not to be.
func dropUnused(s *base, ec *eventChannel) {
	if ec.own && ec.members == 0 {
		_ = ec.close() // nothing is on it
	}
}

func idArg(c *call, fits func(*cmID) bool) (*cmID, error) {
	var fitsNode func(*node) bool
	if fits != nil {
		fitsNode = func(n *node) bool { return fits(n.res.(*cmID)) }
	}
	return argAs[*cmID](c, "id", fitsNode)
}

// in makes a filter of identifiers by their states, with Session.mu held.
func in(states ...IDState) func(*cmID) bool {
	return func(i *cmID) bool {
		for _, st := range states {
			if i.state == st {
				return true
			}
		}
		return false
	}
}

func stateOf(s *base, i *cmID) IDState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return i.state
}

// setIDState takes note of a state that a call has led to, unless an event was
// faster and moved the identifier on.
func setIDState(s *base, i *cmID, from, to IDState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.state == from {
		i.moveLocked(to)
	}
	s.changed()
}

// deviceOfID is the device that an identifier is bound to.
func deviceOfID(s *base, i *cmID) (*device, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i.dev == nil {
		return nil, notBound(i)
	}
	return i.dev, nil
}

func bindAddr(c *call) error {
	i, err := idArg(c, in(IDIdle))
	if err != nil {
		return err
	}
	src, err := addrArg(c, "addr", c.cmd.Uint("port"))
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("rdma_bind_addr(%s, %s)", i.name, cAddr(src))
	if err := c.time(func() error { return i.id.BindAddr(src) }); err != nil {
		return err
	}
	setIDState(c.s, i, IDIdle, IDBound)
	look(c.s, i)
	c.done.Result = describeBound(c.s, i)
	return nil
}

func describeBound(s *base, i *cmID) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text := i.at.local.String()
	if i.dev != nil {
		return text + " on " + i.dev.name
	}
	return text + ", of any device"
}

func resolveAddr(c *call) error {
	i, err := idArg(c, in(IDIdle, IDBound, IDError))
	if err != nil {
		return err
	}
	dst, err := addrArg(c, "dst", c.cmd.Uint("port"))
	if err != nil {
		return err
	}
	srcText := "NULL"
	var st step
	if c.cmd.Has("src") {
		if st.src, err = addrArg(c, "src", 0); err != nil {
			return err
		}
		srcText = cAddr(st.src)
	}
	timeout := c.cmd.Duration("timeout")
	c.done.Call = fmt.Sprintf("rdma_resolve_addr(%s, %s, %s, %d)", i.name, srcText, cAddr(dst), timeout.Milliseconds())
	st.name, st.wait = stepAddr, timeout+syncGrace
	err = takeStep(c, i, st, func() error { return i.id.ResolveAddr(st.src, dst, timeout) })
	if hasNoDevice(err) {
		return offerSource(c, i.ec, err)
	}
	return err
}

// syncGrace is how much longer than the manager a synchronous call waits.
const syncGrace = time.Second

func resolveRoute(c *call) error {
	i, err := idArg(c, in(IDAddrResolved))
	if err != nil {
		return err
	}
	timeout := c.cmd.Duration("timeout")
	c.done.Call = fmt.Sprintf("rdma_resolve_route(%s, %d)", i.name, timeout.Milliseconds())
	return takeStep(c, i, step{name: stepRoute, wait: timeout + syncGrace}, func() error { return i.id.ResolveRoute(timeout) })
}

func listenID(c *call) error {
	i, err := idArg(c, in(IDBound))
	if err != nil {
		return err
	}
	backlog := c.cmd.Int("backlog")
	c.done.Call = fmt.Sprintf("rdma_listen(%s, %d)", i.name, backlog)
	before := stateOf(c.s, i)
	setIDState(c.s, i, before, IDListening)
	if err := c.time(func() error { return i.id.Listen(backlog) }); err != nil {
		setIDState(c.s, i, IDListening, before)
		return err
	}
	look(c.s, i)
	c.done.Result = "listening at " + describeBound(c.s, i)
	return nil
}

func setIDOption(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	option, value := c.cmd.CMOption("optname"), c.cmd.Uint("optval")
	c.done.Call = fmt.Sprintf("rdma_set_option(%s, RDMA_OPTION_ID, %s, &(int){%d}, sizeof(int))", i.name, verbs.CMOptions.CName(option), value)
	if err := c.time(func() error { return i.id.SetOption(option, value) }); err != nil {
		return err
	}
	c.done.Result = fmt.Sprintf("%s is %d", option, value)
	return nil
}

func migrateID(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	to, err := argAs[*eventChannel](c, "channel", nil)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("rdma_migrate_id(%s, %s)", i.name, to.name)
	from := i.ec
	if from.provider != to.provider {
		return fmt.Errorf("%s is of %s, the channel of %s: %w", i.name, from.provider.Name(), to.provider.Name(), verbs.ErrForeignObject)
	}
	if err := c.time(func() error { return i.id.Migrate(to.ch) }); err != nil {
		return err
	}
	if from != to {
		rehome(c.s, i, from, to)
	}
	c.done.Result = fmt.Sprintf("the events of %s come to %s", i.name, to.name)
	return nil
}

// rehome moves an identifier's account to another channel.
func rehome(s *base, i *cmID, from, to *eventChannel) {
	s.mu.Lock()
	uses := []*node{to.node}
	for _, n := range i.uses {
		if n != from.node {
			uses = append(uses, n)
		}
	}
	i.uses, i.ec = uses, to
	to.members++
	s.mu.Unlock()
	from.inbox.moveTo(&to.inbox, i)
	leaveChannel(s, from)
	s.changed()
}
