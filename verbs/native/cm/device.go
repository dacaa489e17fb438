package cm

import (
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// device is a device that librdmacm opened. The wrapper lives while identifiers are
// bound to it or objects created from it exist. The library counts only the
// identifiers, and after the last one may close a device that was removed from the
// host. So while only objects remain, held takes the place of an identifier.
type device struct {
	Device
	ctx     uintptr
	ids     int     // number of identifiers bound to it
	held    uintptr // a list of rdma_get_devices, which counts as a user of all devices in it; or 0
	removed bool    // from the host

	cmdFD, asyncFD int32 // of the context
	cmdFile        fileID
}

// bind returns the device of a context, with one more identifier.
func (m *Manager) bind(ctx uintptr) *device {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.devices[ctx]
	if d == nil {
		d = m.wrap(ctx)
		m.devices[ctx] = d
	}
	d.ids++
	return d
}

func (m *Manager) wrap(ctx uintptr) *device {
	raw := dl.View[abi.Context](ctx)
	return &device{
		Device: m.host.Borrow(ctx, func() { m.letGo(ctx) }), ctx: ctx,
		cmdFD: raw.CmdFD, asyncFD: raw.AsyncFD, cmdFile: fileOf(raw.CmdFD),
	}
}

// noteRemoved records that a device was removed from the host.
func (m *Manager) noteRemoved(d *device) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.removed = true
}

// keep makes the device outlive an identifier that is about to be closed, if it is the
// last.
func (m *Manager) keep(d *device) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.ids > 1 || d.held != 0 {
		return nil
	}
	if users := d.Users(); len(users) > 0 && !m.hold(d) {
		return &verbs.BusyError{Object: "device " + d.Info().Name, UsedBy: users}
	}
	return nil
}

// hold fails if the library already considers the device dead.
func (m *Manager) hold(d *device) bool {
	list, err := m.lib.getDevices.Call(0)
	if err != nil {
		return false
	}
	for at := list; ; at += unsafe.Sizeof(at) {
		switch *dl.View[uintptr](at) {
		case d.ctx:
			d.held = list
			return true
		case 0:
			m.lib.freeDevices.Call(list)
			return false
		}
	}
}

// unbind is the counterpart of bind.
func (m *Manager) unbind(d *device) {
	m.mu.Lock()
	d.ids--
	if d.ids == 0 && d.held == 0 && len(d.Users()) > 0 {
		m.hold(d) // for objects created after keep checked
	}
	m.mu.Unlock()
	m.letGo(d.ctx)
}

// letGo ends the wrapper of a device that is no longer used.
func (m *Manager) letGo(ctx uintptr) {
	d := m.abandon(ctx)
	if d == nil {
		return
	}
	d.EndWaits() // without a lock: it waits for waiters, which may need the device's
	if d.removed {
		m.closeRemoved(d)
	}
}

func (m *Manager) abandon(ctx uintptr) *device {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.devices[ctx]
	if d == nil || d.ids > 0 || !d.Abandon() {
		return nil
	}
	delete(m.devices, ctx)
	if d.held != 0 {
		m.lib.freeDevices.Call(d.held)
	}
	return d
}

// closeRemoved closes a device that was removed from the host: the kernel delays the
// removal until then. The library closes it when it is asked for its devices and finds
// others; with none left it gives up before that.
func (m *Manager) closeRemoved(d *device) {
	if m.host.HasDevice() {
		if devices, err := m.lib.getDevices.Call(0); err == nil {
			m.lib.freeDevices.Call(devices)
		}
		return
	}
	if d.cmdFile != (fileID{}) && fileOf(d.cmdFD) == d.cmdFile { // not closed yet
		disconnect(d.cmdFD, d.asyncFD)
	}
}
