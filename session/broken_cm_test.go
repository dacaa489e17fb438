package session_test

import (
	"context"
	"net/netip"
	"time"

	"rdmatui/verbs"
)

func (p *brokenProvider) CreateEventChannel() (verbs.CMEventChannel, error) {
	return broken(p.b, "create_event_channel", p.Provider.CreateEventChannel,
		func(c verbs.CMEventChannel) verbs.CMEventChannel { return &brokenEvents{c, p.b} })
}

func (p *brokenProvider) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	return broken(p.b, "getaddrinfo", func() ([]verbs.AddrInfo, error) {
		return p.Provider.GetAddrInfo(ctx, node, service, hints)
	}, same)
}

type brokenEvents struct {
	verbs.CMEventChannel
	b *breaker
}

func (c *brokenEvents) CreateID(ps verbs.CMPortSpace) (verbs.CMID, error) {
	return broken(c.b, "create_id", func() (verbs.CMID, error) { return c.CMEventChannel.CreateID(ps) }, c.b.id)
}

func (c *brokenEvents) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	e, err := c.CMEventChannel.GetEvent(ctx)
	e.ID, e.ListenID = c.b.id(e.ID), c.b.id(e.ListenID)
	return e, err
}

func (c *brokenEvents) Close() error { return c.b.do("destroy_event_channel", c.CMEventChannel.Close) }

type brokenID struct {
	verbs.CMID
	b *breaker
}

func (b *breaker) id(i verbs.CMID) verbs.CMID {
	if i == nil {
		return nil
	}
	return standIn(b, i, func() verbs.CMID { return &brokenID{i, b} })
}

func (i *brokenID) Device() verbs.Device { return i.b.device(i.CMID.Device()) }

func (i *brokenID) QP() verbs.QP { return i.b.qp(i.CMID.QP()) }

func (i *brokenID) BindAddr(src netip.AddrPort) error {
	return i.b.do("bind_addr", func() error { return i.CMID.BindAddr(src) })
}

func (i *brokenID) ResolveAddr(src, dst netip.AddrPort, timeout time.Duration) error {
	return i.b.do("resolve_addr", func() error { return i.CMID.ResolveAddr(src, dst, timeout) })
}

func (i *brokenID) ResolveRoute(timeout time.Duration) error {
	return i.b.do("resolve_route", func() error { return i.CMID.ResolveRoute(timeout) })
}

func (i *brokenID) Listen(backlog int) error {
	return i.b.do("listen", func() error { return i.CMID.Listen(backlog) })
}

func (i *brokenID) Connect(p verbs.CMConnParam) error {
	return i.b.do("connect", func() error { return i.CMID.Connect(p) })
}

func (i *brokenID) Accept(p verbs.CMConnParam) error {
	return i.b.do("accept", func() error { return i.CMID.Accept(p) })
}

func (i *brokenID) Reject(data []byte) error {
	return i.b.do("reject", func() error { return i.CMID.Reject(data) })
}

func (i *brokenID) Disconnect() error { return i.b.do("disconnect", i.CMID.Disconnect) }

func (i *brokenID) Establish() error { return i.b.do("establish", i.CMID.Establish) }

func (i *brokenID) Notify(t verbs.EventType) error {
	return i.b.do("notify", func() error { return i.CMID.Notify(t) })
}

func (i *brokenID) SetOption(o verbs.CMOption, value uint64) error {
	return i.b.do("set_option", func() error { return i.CMID.SetOption(o, value) })
}

func (i *brokenID) InitQPAttr(to verbs.QPState) (verbs.QPAttr, error) {
	return broken(i.b, "init_qp_attr", func() (verbs.QPAttr, error) { return i.CMID.InitQPAttr(to) }, same)
}

func (i *brokenID) CreateQP(pd verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
	if p, ok := pd.(*brokenPD); ok {
		pd = p.PD
	}
	return broken(i.b, "rdma_create_qp", func() (verbs.QP, error) { return i.CMID.CreateQP(pd, sound(spec)) }, i.b.qp)
}

func (i *brokenID) JoinMulticast(group netip.Addr) error {
	return i.b.do("join_multicast", func() error { return i.CMID.JoinMulticast(group) })
}

func (i *brokenID) LeaveMulticast(group netip.Addr) error {
	return i.b.do("leave_multicast", func() error { return i.CMID.LeaveMulticast(group) })
}

func (i *brokenID) Migrate(to verbs.CMEventChannel) error {
	if c, ok := to.(*brokenEvents); ok {
		to = c.CMEventChannel
	}
	return i.b.do("migrate_id", func() error { return i.CMID.Migrate(to) })
}

func (i *brokenID) Close() error { return i.b.do("destroy_id", i.CMID.Close) }
