package soft

import (
	"context"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/transport"
)

// device is one opening of an adapter: a verbs context.
type device struct {
	adapter *adapter
	transport.Device
}

var (
	_ verbs.Device          = (*device)(nil)
	_ verbs.RTValuesQuerier = (*device)(nil)
)

func newDevice(a *adapter, managed bool) *device {
	d := &device{adapter: a}
	d.Init(&a.transport, a.eng, managed, a.release)
	return d
}

func (d *device) fail(op string, err error) error { return verbs.NewOpError(op, d.adapter.name, err) }

// Info identifies the device.
func (d *device) Info() verbs.DeviceInfo { return d.adapter.info() }

// QueryDevice reports the limits that the device enforces.
func (d *device) QueryDevice() (verbs.DeviceAttr, error) {
	if err := d.CheckOpen(); err != nil {
		return verbs.DeviceAttr{}, d.fail("ibv_query_device", err)
	}
	return d.adapter.deviceAttr(), nil
}

// QueryDeviceEx reports the extended attributes.
func (d *device) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	if err := d.CheckOpen(); err != nil {
		return verbs.DeviceAttrEx{}, d.fail("ibv_query_device_ex", err)
	}
	return d.adapter.deviceAttrEx(), nil
}

// QueryPort reads port 1.
func (d *device) QueryPort(port uint8) (verbs.PortAttr, error) {
	if err := d.port(port); err != nil {
		return verbs.PortAttr{}, d.fail("ibv_query_port", err)
	}
	return d.adapter.portAttr(), nil
}

func (d *device) port(port uint8) error {
	if err := d.CheckOpen(); err != nil {
		return err
	}
	if port != 1 {
		return syscall.EINVAL
	}
	return nil
}

// QueryGIDTable lists the GIDs: each is an address that the link carries.
func (d *device) QueryGIDTable() ([]verbs.GIDEntry, error) {
	if err := d.CheckOpen(); err != nil {
		return nil, d.fail("ibv_query_gid_table", err)
	}
	return append([]verbs.GIDEntry(nil), d.adapter.gids...), nil
}

// QueryGID reads one row of the GID table.
func (d *device) QueryGID(port uint8, index int) (verbs.GIDEntry, error) {
	err := d.port(port)
	if err == nil && (index < 0 || index >= len(d.adapter.gids)) {
		err = syscall.EINVAL
	}
	if err != nil {
		return verbs.GIDEntry{}, d.fail("ibv_query_gid", err)
	}
	return d.adapter.gids[index], nil
}

// QueryPKey reads the only P_Key.
func (d *device) QueryPKey(port uint8, index int) (uint16, error) {
	err := d.port(port)
	if err == nil && index != 0 {
		err = syscall.EINVAL
	}
	if err != nil {
		return 0, d.fail("ibv_query_pkey", err)
	}
	return object.FullPKey, nil
}

// GetAsyncEvent waits for the next asynchronous event.
func (d *device) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	ev, err := d.Events.Get(ctx)
	if err == verbs.ErrClosed {
		err = d.fail("ibv_get_async_event", err)
	}
	return ev, err
}

// Close closes the context; after the last context of a device its engine
// stops.
func (d *device) Close() error { return d.fail("ibv_close_device", d.Device.Close()) }
