package cm

import (
	"context"
	"errors"
	"syscall"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// hasNoDevice reports whether an address could not be resolved because no device is on the route.
func hasNoDevice(err error) bool {
	var event *Error
	return errors.As(err, &event) && event.Type == verbs.CMAddrError && event.Status == -int(syscall.ENODEV) ||
		errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENETUNREACH)
}

// offerSource adds the advice to name a source address, which selects the device.
func offerSource(c *core.Call, ec *EventChannel, err error) error {
	e := &core.OptionError{Err: err, Arg: "src=", Option: "bind", Takes: ownAddress(c.Ctx, c.S, ec)}
	if c.Done.Hint == "" {
		c.Done.Hint = c.HintFor(err)
	}
	c.Done.Hint += e.Advice()
	return e
}

// ownAddress says how to find the addresses of devices, with an example.
func ownAddress(ctx context.Context, s *core.Session, ec *EventChannel) string {
	const where = "an address of an RDMA device"
	infos, _ := device.List(ctx, s, ec.provider) // without one there is no example
	for _, info := range infos {
		var rows []verbs.GIDEntry
		err := s.Guard(ctx, ccall.Text("ibv_open_device("+info.Name+")"), func() error {
			d, err := ec.provider.Open(info.Name)
			if err != nil {
				return err
			}
			rows, err = d.QueryGIDTable()
			return errors.Join(err, d.Close())
		})
		for i := 0; err == nil && i < len(rows); i++ {
			if row := &rows[i]; row.Type == verbs.GIDTypeRoCEv2 && row.GID.IsIPv4() {
				return where + ", such as " + row.GID.Addr().String() + " of " + info.Name
			}
		}
	}
	return where + "; 'rdmatui devices' lists them"
}
