// Package device is the open devices of a session: their attributes, ports, GID
// tables, asynchronous events and faults, and the choice of a device. It accesses the
// objects on a device through small interfaces; memory, queues and identifiers are in
// other packages.
package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// Device is an open device with its attributes as last read.
type Device struct {
	*core.Node
	Dev  verbs.Device
	Info verbs.DeviceInfo
	// injector is the provider's fault injector, nil if it has none.
	injector verbs.FaultInjector
	from     verbs.Provider
	Managed  bool // opened by the connection manager, and kept while something uses it

	// Defaults that open_device was given.
	onPort uint8 // 0: the first port that is ACTIVE
	onGID  bool  // row sgid of that port's GID table was named
	sgid   int

	// Guarded by Session.mu.
	Attr  verbs.DeviceAttr
	Caps  verbs.DeviceCap     // device_cap_flags_ex, or device_cap_flags
	Ex    *verbs.DeviceAttrEx // nil if the device cannot be queried for them
	Ports []verbs.PortAttr
	why   []error // by port: why it cannot be read, nil if it can
	GIDs  GIDTable
	reads int // number of stored results of queries of ports and GIDs; see keep

	QPs    qpIndex
	async  asyncInbox
	stop   context.CancelFunc // stops the event reader
	reader sync.WaitGroup
}

// Close implements [core.Body].
func (d *Device) Close() error {
	d.StopAsync()
	if d.Managed {
		return nil // it belongs to the manager: another session may use it
	}
	return d.Dev.Close()
}

// StopAsync ends the reader of asynchronous events.
func (d *Device) StopAsync() {
	d.stop()
	d.reader.Wait()
}

// Fields implements [core.Body].
func (d *Device) Fields() []core.Field {
	var fs []core.Field
	for i := range fields.Device {
		f := &fields.Device[i]
		fs = append(fs, core.Field{Name: f.Name, Text: func() (string, error) { return f.Format(&d.Attr), nil }})
	}
	return append(fs,
		core.Field{Name: "gid", Text: func() (string, error) {
			e, err := d.ChooseGID(d.UsualPort().PortNum, verbs.GID{})
			return e.GID.String(), err
		}},
		core.Field{Name: "lid", Text: func() (string, error) {
			return fmt.Sprint(d.Port(d.UsualPort().PortNum).LID), nil
		}},
		core.Field{Name: "port_num", Text: func() (string, error) { return fmt.Sprint(d.UsualPort().PortNum), nil }},
	)
}

// gidAt returns a row of the GID table as last read; ok is false where the row
// is not in use.
func (d *Device) gidAt(port uint8, index int) (verbs.GIDEntry, bool) {
	for _, e := range d.GIDs.Rows {
		if e.PortNum == port && e.Index == index && !e.GID.IsZero() {
			return e, true
		}
	}
	return verbs.GIDEntry{}, false
}

// available lists the devices that can be opened, by provider.
func available(s *core.Session) (found []verbs.DeviceInfo, err error) {
	var errs []error
	for _, p := range s.Opts.Providers {
		infos, err := List(s.Ctx, s, p)
		if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name(), err))
		}
		found = append(found, infos...)
	}
	return found, errors.Join(errs...)
}

// List asks a provider for its devices.
func List(ctx context.Context, s *core.Session, p verbs.Provider) ([]verbs.DeviceInfo, error) {
	var infos []verbs.DeviceInfo
	var failed error
	err := s.Guard(ctx, ccall.Text("ibv_get_device_list()"), func() error { infos, failed = p.Devices(); return nil })
	if err != nil {
		return nil, err
	}
	return infos, failed
}

// ProviderOf returns the provider that lists the named device.
func ProviderOf(s *core.Session, name string) (verbs.Provider, error) {
	var known []string
	for _, p := range s.Opts.Providers {
		infos, _ := List(s.Ctx, s, p) // a provider without devices has no such device
		for _, info := range infos {
			if info.Name == name {
				return p, nil
			}
			known = append(known, info.Name)
		}
	}
	return nil, &core.NameError{Name: name, Kinds: []command.ObjectKind{command.KindAvailable}, Known: known}
}

// OpenDevice carries out open_device.
func OpenDevice(c *core.Call) error {
	name := c.Cmd.String("device")
	if name == "" {
		infos, err := available(c.S)
		if len(infos) != 1 {
			names := make([]string, len(infos))
			for i, info := range infos {
				names[i] = info.Name
			}
			return errors.Join(err, &core.ChoiceError{Kinds: []command.ObjectKind{command.KindAvailable}, Names: names})
		}
		name = infos[0].Name
		c.Choose("device", name)
	}
	if c.S.Taken(name) {
		return fmt.Errorf("%s is already open", name)
	}
	p, err := ProviderOf(c.S, name)
	if err != nil {
		return err
	}
	d := &Device{onPort: uint8(c.Cmd.Uint("port_num")), onGID: c.Cmd.Has("sgid_index"), sgid: c.Cmd.Int("sgid_index")}
	d.injector, _ = p.(verbs.FaultInjector)
	if err := c.Time(func() (err error) { d.Dev, err = p.Open(name); return err }); err != nil {
		return err
	}
	PassOnNotes(c.S, p, name)
	d.Info = d.Dev.Info()
	call := ccall.Text("ibv_query_device(" + name + ")")
	if err := c.S.Guard(c.Ctx, call, func() error { return readDevice(c.S, d) }); err != nil {
		return errors.Join(err, d.Dev.Close())
	}
	if c.Cmd.Has("port_num") && d.Port(d.onPort).PortNum == 0 {
		return errors.Join(fmt.Errorf("%s has no port %d: phys_port_cnt is %d", name, d.onPort, len(d.Ports)),
			d.Dev.Close())
	}
	d.Node, d.from = &core.Node{Name: name, Kind: command.KindDevice, Body: d}, p
	c.Done.Result = d.Info.Provider + " device, " + describeUsual(c, d)
	watchRemoval(startAsync(c.S, d), c.S, d, p)
	c.Enter(d.Node)
	return nil
}

// passedOn are the notes of providers that were passed on.
type passedOn struct{ notes sync.Map }

// PassOnNotes puts the provider's notes about the device on the time line, each once;
// "": about all its devices.
func PassOnNotes(s *core.Session, p verbs.Provider, device string) {
	for _, text := range verbs.NotesOn(p, device) {
		if _, was := core.Part[passedOn](s, nil).notes.LoadOrStore(text, true); !was {
			s.Note(timeline.LevelWarn, "%s", text)
		}
	}
}

// describeUsual names the default port, and if there are several why it is the
// default.
func describeUsual(c *core.Call, d *Device) string {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	choice := d.UsualPort()
	text := describePort(d.Port(choice.PortNum))
	if len(d.Ports) > 1 {
		c.Choose("port_num", fmt.Sprint(choice.PortNum))
		text += "; default port: " + choice.Why
	}
	for i, err := range d.why {
		if err != nil && i+1 != int(choice.PortNum) {
			c.Warn("port %d is unreadable: %s", i+1, core.Wording(err))
		}
	}
	CheckPort(c, d, choice.PortNum)
	if _, err := d.NamedGID(choice.PortNum, d.sgid); d.onGID && err != nil {
		c.Warn("%v", err)
	}
	return text
}

func describePort(p verbs.PortAttr) string {
	if p.State == verbs.PortUnreadable {
		return fmt.Sprintf("port %d unreadable", p.PortNum)
	}
	return fmt.Sprintf("port %d %s, %s, active_mtu %s", p.PortNum, p.State, p.LinkLayer, p.ActiveMTU)
}

// readDevice reads what defaults, checks and snapshots need.
func readDevice(s *core.Session, d *Device) error {
	attr, err := d.Dev.QueryDevice()
	if err != nil {
		return err
	}
	ports, why := make([]verbs.PortAttr, attr.PhysPortCnt), make([]error, attr.PhysPortCnt)
	for i := range ports {
		if ports[i], why[i] = d.Dev.QueryPort(uint8(i + 1)); why[i] != nil {
			ports[i] = verbs.PortAttr{State: verbs.PortUnreadable}
		}
		ports[i].PortNum = uint8(i + 1)
	}
	caps := verbs.DeviceCap(attr.DeviceCapFlags)
	var known *verbs.DeviceAttrEx
	if ex, err := d.Dev.QueryDeviceEx(); err == nil { // or it has no such attributes
		caps, known = ex.DeviceCapFlagsEx, &ex
	}
	rows, err := d.Dev.QueryGIDTable()
	if err != nil {
		return err
	}
	gids := newGIDTable(s, rows)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	d.Attr, d.Caps, d.Ex, d.Ports, d.why, d.GIDs = attr, caps, known, ports, why, gids
	s.Changed()
	return nil
}

// QueryDevice carries out query_device.
func QueryDevice(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	var attr verbs.DeviceAttr
	if err := c.Time(func() (err error) { attr, err = d.Dev.QueryDevice(); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	d.Attr = attr
	c.S.Mu.Unlock()
	values := make([]string, len(fields.Device))
	for i := range fields.Device {
		f := &fields.Device[i]
		values[i] = f.Name + "=" + f.Format(&attr)
	}
	c.Done.Result = strings.Join(values, " ")
	return nil
}

// portOf is portArg for a line that only queries.
func portOf(c *core.Call, d *Device) uint8 {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	return portArg(c, d)
}

// QueryPort carries out query_port.
func QueryPort(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	num := portOf(c, d)
	var p verbs.PortAttr
	before := d.readsNow(c.S)
	if err := c.Time(func() (err error) { p, err = d.Dev.QueryPort(num); return err }); err != nil {
		return err
	}
	p.PortNum = num
	if !d.keep(c.S, before, func() {
		if int(num) <= len(d.Ports) && num > 0 {
			d.Ports[num-1], d.why[num-1] = p, nil
		}
	}) {
		ReadPorts(c.S, d)
	}
	c.Done.Result = fmt.Sprintf("%s, max_mtu %s, lid %d", describePort(p), p.MaxMTU, p.LID)
	if rate := p.Rate(); rate > 0 {
		c.Done.Result += fmt.Sprintf(", %g Gbit/s", rate)
	}
	return nil
}

// QueryGID carries out query_gid.
func QueryGID(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	port := portOf(c, d)
	if !c.Cmd.Has("index") {
		return queryGIDTable(c, d, port)
	}
	index := c.Cmd.Int("index")
	c.Done.C = ccall.Format("ibv_query_gid_ex(%s, %d, %d, &entry, 0)", d.Name, port, index)
	var e verbs.GIDEntry
	if err := c.Time(func() (err error) { e, err = d.Dev.QueryGID(port, index); return err }); err != nil {
		return err
	}
	c.Done.Result = describeGID(e)
	return nil
}

func queryGIDTable(c *core.Call, d *Device, port uint8) error {
	c.S.Mu.RLock()
	before, rowsAtMost := d.reads, d.Port(port).GIDTblLen
	c.S.Mu.RUnlock()
	c.Done.C = ccall.Format("ibv_query_gid_table(%s, entries, %d, 0)", d.Name, rowsAtMost)
	var all []verbs.GIDEntry
	if err := c.Time(func() (err error) { all, err = d.Dev.QueryGIDTable(); return err }); err != nil {
		return err
	}
	gids := newGIDTable(c.S, all)
	if !d.keep(c.S, before, func() { d.GIDs = gids }) {
		ReadPorts(c.S, d)
	}
	var rows []string
	for _, e := range all {
		if e.PortNum == port {
			rows = append(rows, describeGID(e))
		}
	}
	c.Done.Result = strings.Join(rows, "; ")
	return nil
}

func describeGID(e verbs.GIDEntry) string {
	s := fmt.Sprintf("%d: %s %s", e.Index, e.GID, e.Type)
	if e.Netdev != "" {
		s += " " + e.Netdev
	}
	return s
}

// QueryPKey carries out query_pkey.
func QueryPKey(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	port, index := portOf(c, d), c.Cmd.Int("index")
	var key uint16
	if err := c.Time(func() (err error) { key, err = d.Dev.QueryPKey(port, index); return err }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("pkey 0x%04x", key)
	return nil
}

// bound is a body that gets its device later: an identifier of the connection
// manager.
type bound interface {
	core.Body
	BoundDevice(*core.Session) (*Device, error)
}

// Arg returns the device that a line names, or that of the named identifier.
func Arg(c *core.Call) (*Device, error) {
	if c.Cmd.Spec.Arg("id") == nil || !c.Cmd.Has("id") || c.Cmd.Given("device") {
		return core.ArgAs[*Device](c, "device", nil)
	}
	i, err := core.ArgAs[bound](c, "id", nil)
	if err != nil {
		return nil, err
	}
	d, err := i.BoundDevice(c.S)
	if err == nil {
		c.Choose("device", d.Name)
	}
	return d, err
}

// View implements [core.Body].
func (d *Device) View(v *core.Snapshot) {
	view := core.DeviceView{
		Name: d.Name, Info: d.Info, Attr: d.Attr, Ports: slices.Clone(d.Ports),
		Port: d.UsualPort(), GIDs: slices.Clone(d.GIDs.Rows),
		Faults: d.faults(),
	}
	view.GID, _ = d.ChooseGID(view.Port.PortNum, verbs.GID{}) // zero if there is none
	v.Devices = append(v.Devices, view)
}
