package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// device is an open device with what was last read from it.
type device struct {
	*node
	dev  verbs.Device
	info verbs.DeviceInfo
	// injector is the provider's, nil where it has none.
	injector verbs.FaultInjector
	managed  bool // it was opened by the connection manager, and lives as long as something uses it

	// What open_device was told that lines mean.
	onPort uint8 // 0: the first port that is ACTIVE
	onGID  bool  // it named the row sgid of that port's GID table
	sgid   int

	// Guarded by Session.mu.
	attr  verbs.DeviceAttr
	caps  verbs.DeviceCap     // device_cap_flags_ex, or device_cap_flags
	ex    *verbs.DeviceAttrEx // nil where the device cannot be asked for them
	ports []verbs.PortAttr
	why   []error // by port: why it is unreadable, nil if it is not
	gids  gidTable

	qps    qpIndex
	async  asyncInbox
	stop   context.CancelFunc // of the event reader
	reader sync.WaitGroup
}

func (d *device) close() error {
	d.StopAsync()
	if d.managed {
		return nil // the manager's: another session may use it, too
	}
	return d.dev.Close()
}

// StopAsync ends the reader of asynchronous events.
func (d *device) StopAsync() {
	d.stop()
	d.reader.Wait()
}

func (d *device) fields() []objectField {
	var fs []objectField
	for i := range verbs.DeviceFields {
		f := &verbs.DeviceFields[i]
		fs = append(fs, objectField{f.Name, func() (string, error) { return f.Format(&d.attr), nil }})
	}
	return append(fs,
		objectField{"gid", func() (string, error) {
			e, err := d.chooseGID(d.usualPort().PortNum, verbs.GID{})
			return e.GID.String(), err
		}},
		objectField{"lid", func() (string, error) { return fmt.Sprint(d.port(d.usualPort().PortNum).LID), nil }},
		objectField{"port_num", func() (string, error) { return fmt.Sprint(d.usualPort().PortNum), nil }},
	)
}

// gidAt returns a row of the GID table as last read; ok is false where the row
// is not in use.
func (d *device) gidAt(port uint8, index int) (verbs.GIDEntry, bool) {
	for _, e := range d.gids.rows {
		if e.PortNum == port && e.Index == index && !e.GID.IsZero() {
			return e, true
		}
	}
	return verbs.GIDEntry{}, false
}

// available lists the devices that can be opened, by provider.
func available(s *base) (found []verbs.DeviceInfo, err error) {
	var errs []error
	for _, p := range s.opts.Providers {
		infos, err := devicesOf(s, s.ctx, p)
		if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name(), err))
		}
		found = append(found, infos...)
	}
	return found, errors.Join(errs...)
}

// devicesOf asks a provider for its devices.
func devicesOf(s *base, ctx context.Context, p verbs.Provider) ([]verbs.DeviceInfo, error) {
	var infos []verbs.DeviceInfo
	var failed error
	err := s.guard(ctx, "ibv_get_device_list()", func() error { infos, failed = p.Devices(); return nil })
	if err != nil {
		return nil, err
	}
	return infos, failed
}

// provider returns the provider that lists the named device.
func provider(s *base, name string) (verbs.Provider, error) {
	var known []string
	for _, p := range s.opts.Providers {
		infos, _ := devicesOf(s, s.ctx, p) // a provider without devices has no such device
		for _, info := range infos {
			if info.Name == name {
				return p, nil
			}
			known = append(known, info.Name)
		}
	}
	return nil, &NameError{Name: name, Kinds: []command.ObjectKind{command.KindAvailable}, Known: known}
}

func openDevice(c *call) error {
	name := c.cmd.String("device")
	if name == "" {
		infos, err := available(c.s)
		if len(infos) != 1 {
			names := make([]string, len(infos))
			for i, info := range infos {
				names[i] = info.Name
			}
			return errors.Join(err, &ChoiceError{[]command.ObjectKind{command.KindAvailable}, names})
		}
		name = infos[0].Name
		c.choose("device", name)
	}
	if c.s.taken(name) {
		return fmt.Errorf("%s is open already", name)
	}
	p, err := provider(c.s, name)
	if err != nil {
		return err
	}
	c.done.Call = "ibv_open_device(" + name + ")"
	d := &device{onPort: uint8(c.cmd.Uint("port_num")), onGID: c.cmd.Has("sgid_index"), sgid: c.cmd.Int("sgid_index")}
	d.injector, _ = p.(verbs.FaultInjector)
	if err := c.time(func() (err error) { d.dev, err = p.Open(name); return err }); err != nil {
		return err
	}
	passOnNotes(c.s, p, name)
	d.info = d.dev.Info()
	if err := c.s.guard(c.ctx, "ibv_query_device("+name+")", func() error { return readDevice(c.s, d) }); err != nil {
		return errors.Join(err, d.dev.Close())
	}
	if c.cmd.Has("port_num") && d.port(d.onPort).PortNum == 0 {
		return errors.Join(fmt.Errorf("%s has no port %d: phys_port_cnt is %d", name, d.onPort, len(d.ports)), d.dev.Close())
	}
	d.node = &node{name: name, kind: command.KindDevice, res: d}
	c.done.Result = d.info.Provider + " device, " + describeUsual(c, d)
	watchRemoval(c.s, startAsync(c.s, d), d, p)
	c.enter(d.node)
	return nil
}

// passedOn are the notes of providers that were passed on.
type passedOn struct{ notes sync.Map }

// passOnNotes puts what a provider has to say of the device on the time line,
// once; of all of its devices, for "".
func passOnNotes(s *base, p verbs.Provider, device string) {
	for _, text := range verbs.NotesOn(p, device) {
		if _, was := part[passedOn](s, nil).notes.LoadOrStore(text, true); !was {
			s.note(timeline.LevelWarn, "%s", text)
		}
	}
}

// describeUsual tells of the port that lines mean, and where there are several why
// it is that one.
func describeUsual(c *call, d *device) string {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	choice := d.usualPort()
	text := describePort(d.port(choice.PortNum))
	if len(d.ports) > 1 {
		c.choose("port_num", fmt.Sprint(choice.PortNum))
		text += "; default port: " + choice.Why
	}
	for i, err := range d.why {
		if err != nil && i+1 != int(choice.PortNum) {
			c.warn("port %d is unreadable: %s", i+1, wording(err))
		}
	}
	checkPort(c, d, choice.PortNum)
	if _, err := d.namedGID(choice.PortNum, d.sgid); d.onGID && err != nil {
		c.warn("%v", err)
	}
	return text
}

func describePort(p verbs.PortAttr) string {
	if p.State == verbs.PortUnreadable {
		return fmt.Sprintf("port %d unreadable", p.PortNum)
	}
	return fmt.Sprintf("port %d %s, %s, active_mtu %s", p.PortNum, p.State, p.LinkLayer, p.ActiveMTU)
}

// readDevice reads what the defaults, the checks and the snapshot need.
func readDevice(s *base, d *device) error {
	attr, err := d.dev.QueryDevice()
	if err != nil {
		return err
	}
	ports, why := make([]verbs.PortAttr, attr.PhysPortCnt), make([]error, attr.PhysPortCnt)
	for i := range ports {
		if ports[i], why[i] = d.dev.QueryPort(uint8(i + 1)); why[i] != nil {
			ports[i] = verbs.PortAttr{State: verbs.PortUnreadable}
		}
		ports[i].PortNum = uint8(i + 1)
	}
	caps := verbs.DeviceCap(attr.DeviceCapFlags)
	var known *verbs.DeviceAttrEx
	if ex, err := d.dev.QueryDeviceEx(); err == nil { // or it has no such attributes
		caps, known = ex.DeviceCapFlagsEx, &ex
	}
	rows, err := d.dev.QueryGIDTable()
	if err != nil {
		return err
	}
	gids := newGIDTable(s, rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	d.attr, d.caps, d.ex, d.ports, d.why, d.gids = attr, caps, known, ports, why, gids
	s.changed()
	return nil
}

func queryDevice(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("ibv_query_device(%s, &attr)", d.name)
	var attr verbs.DeviceAttr
	if err := c.time(func() (err error) { attr, err = d.dev.QueryDevice(); return err }); err != nil {
		return err
	}
	c.s.mu.Lock()
	d.attr = attr
	c.s.mu.Unlock()
	values := make([]string, len(verbs.DeviceFields))
	for i := range verbs.DeviceFields {
		f := &verbs.DeviceFields[i]
		values[i] = f.Name + "=" + f.Format(&attr)
	}
	c.done.Result = strings.Join(values, " ")
	return nil
}

// portOf is portArg of a line that only asks.
func portOf(c *call, d *device) uint8 {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	return portArg(c, d)
}

func queryPort(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	num := portOf(c, d)
	c.done.Call = fmt.Sprintf("ibv_query_port(%s, %d, &attr)", d.name, num)
	var p verbs.PortAttr
	if err := c.time(func() (err error) { p, err = d.dev.QueryPort(num); return err }); err != nil {
		return err
	}
	p.PortNum = num
	c.s.mu.Lock()
	if int(num) <= len(d.ports) && num > 0 {
		d.ports[num-1], d.why[num-1] = p, nil
	}
	c.s.mu.Unlock()
	c.s.changed()
	c.done.Result = fmt.Sprintf("%s, max_mtu %s, lid %d", describePort(p), p.MaxMTU, p.LID)
	if rate := p.Rate(); rate > 0 {
		c.done.Result += fmt.Sprintf(", %g Gbit/s", rate)
	}
	return nil
}

func queryGID(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	port := portOf(c, d)
	if !c.cmd.Has("index") {
		return queryGIDTable(c, d, port)
	}
	index := c.cmd.Int("index")
	c.done.Call = fmt.Sprintf("ibv_query_gid_ex(%s, %d, %d, &entry, 0)", d.name, port, index)
	var e verbs.GIDEntry
	if err := c.time(func() (err error) { e, err = d.dev.QueryGID(port, index); return err }); err != nil {
		return err
	}
	c.done.Result = describeGID(e)
	return nil
}

func queryGIDTable(c *call, d *device, port uint8) error {
	c.s.mu.RLock()
	rowsAtMost := d.port(port).GIDTblLen
	c.s.mu.RUnlock()
	c.done.Call = fmt.Sprintf("ibv_query_gid_table(%s, entries, %d, 0)", d.name, rowsAtMost)
	var all []verbs.GIDEntry
	if err := c.time(func() (err error) { all, err = d.dev.QueryGIDTable(); return err }); err != nil {
		return err
	}
	gids := newGIDTable(c.s, all)
	c.s.mu.Lock()
	d.gids = gids
	c.s.mu.Unlock()
	var rows []string
	for _, e := range all {
		if e.PortNum == port {
			rows = append(rows, describeGID(e))
		}
	}
	c.done.Result = strings.Join(rows, "; ")
	return nil
}

func describeGID(e verbs.GIDEntry) string {
	s := fmt.Sprintf("%d: %s %s", e.Index, e.GID, e.Type)
	if e.Netdev != "" {
		s += " " + e.Netdev
	}
	return s
}

func queryPKey(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	port, index := portOf(c, d), c.cmd.Int("index")
	c.done.Call = fmt.Sprintf("ibv_query_pkey(%s, %d, %d, &pkey)", d.name, port, index)
	var key uint16
	if err := c.time(func() (err error) { key, err = d.dev.QueryPKey(port, index); return err }); err != nil {
		return err
	}
	c.done.Result = fmt.Sprintf("pkey 0x%04x", key)
	return nil
}

// deviceArg is the device that a line names, or that of the identifier that it
// names.
func deviceArg(c *call) (*device, error) {
	if c.cmd.Spec.Arg("id") == nil || !c.cmd.Has("id") || c.cmd.Given("device") {
		return argAs[*device](c, "device", nil)
	}
	i, err := argAs[*cmID](c, "id", nil)
	if err != nil {
		return nil, err
	}
	d, err := deviceOfID(c.s, i)
	if err == nil {
		c.choose("device", d.name)
	}
	return d, err
}

func (d *device) view(v *Snapshot) {
	view := DeviceView{
		Name: d.name, Info: d.info, Attr: d.attr, Ports: slices.Clone(d.ports), Port: d.usualPort(), GIDs: slices.Clone(d.gids.rows),
		Faults: d.faults(),
	}
	view.GID, _ = d.chooseGID(view.Port.PortNum, verbs.GID{}) // it stays zero
	v.Devices = append(v.Devices, view)
}
