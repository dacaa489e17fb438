package devices

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rdmatui/verbs"
)

// fakeOS is a machine whose files are those of a fixture.
type fakeOS struct {
	exclusive bool
	tree
	charDevices []string
	onNetdev    map[string]string // RDMA device by netdev
	addresses   map[int][]netip.Prefix
	module      string
	moduleErr   error
	denied      string // a file that may not be opened
	soft, hard  uint64
	limitErr    error
	announce    chan struct{}
}

func (f *fakeOS) CharDevices(string) []string               { return f.charDevices }
func (f *fakeOS) DeviceForNetdev(nd string) (string, error) { return f.onNetdev[nd], nil }
func (f *fakeOS) DriverModule(string) (string, error)       { return f.module, f.moduleErr }
func (f *fakeOS) Resources(string) (Resources, error)       { return Resources{}, nil }
func (f *fakeOS) Memlock() (soft, hard uint64, err error)   { return f.soft, f.hard, f.limitErr }
func (f *fakeOS) Exclusive() (bool, error)                  { return f.exclusive, nil }
func (f *fakeOS) Close() error                              { return nil }

func (f *fakeOS) Addresses(i int) (all []netip.Prefix, err error) {
	if i == 0 && f.addresses == nil {
		return nil, errors.New("this machine does not tell its addresses")
	}
	for index, addrs := range f.addresses {
		if i == 0 || i == index {
			all = append(all, addrs...)
		}
	}
	return all, nil
}

func (f *fakeOS) Access(path string) error {
	if path == f.denied {
		return &os.PathError{Op: "open", Path: path, Err: os.ErrPermission}
	}
	return f.tree.Access(path)
}

func (f *fakeOS) Changes(ctx context.Context, notify func(), _ verbs.CrashHook) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.announce:
			notify()
		}
	}
}

// plant builds the machine of a fixture: one line a file ("path: content", with
// \n and \t) or symbolic link ("path -> target").
func plant(t *testing.T, fixture string) *fakeOS {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", fixture+".tree"))
	if err != nil {
		t.Fatal(err)
	}
	// The path of the temporary directory may itself contain a symbolic link.
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeOS{tree: tree{root}, soft: Unlimited, hard: Unlimited, announce: make(chan struct{})}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		if path, target, ok := strings.Cut(line, " -> "); ok {
			f.link(t, path, target)
			continue
		}
		path, content := cutEntry(line)
		f.write(t, path, content)
	}
	return f
}

// cutEntry cuts at the first colon that ends a path; PCI addresses have colons too.
func cutEntry(line string) (path, content string) {
	if path, content, ok := strings.Cut(line, ": "); ok {
		return path, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(content) + "\n"
	}
	return strings.TrimSuffix(line, ":"), ""
}

func (f *fakeOS) write(t *testing.T, path, content string) {
	t.Helper()
	at := f.at(path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *fakeOS) link(t *testing.T, path, target string) {
	t.Helper()
	at := f.at(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.MkdirAll(f.at(target), 0o755),
		os.Symlink(f.at(target), at)); err != nil {
		t.Fatal(err)
	}
}

// fakeProvider offers fake devices and counts the open ones.
type fakeProvider struct {
	name    string
	devices []*fakeDevice
	err     error

	mu     sync.Mutex
	opened int
	open   int
	listed int
}

func (p *fakeProvider) Name() string { return p.name }

func (p *fakeProvider) Devices() ([]verbs.DeviceInfo, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed++
	var infos []verbs.DeviceInfo
	for _, d := range p.devices {
		infos = append(infos, d.Info())
	}
	return infos, p.err
}

func (p *fakeProvider) Open(name string) (verbs.Device, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.devices {
		if d.info.Name == name && d.openErr != nil {
			return nil, d.openErr
		}
		if d.info.Name == name {
			p.opened++
			p.open++
			return &openDevice{fakeDevice: d, provider: p}, nil
		}
	}
	return nil, errors.New("no such device")
}

type fakeDevice struct {
	verbs.Device // what the inventory must not call panics
	info         verbs.DeviceInfo
	attr         verbs.DeviceAttr
	attrErr      error
	ex           *verbs.DeviceAttrEx
	exErr        error
	port         verbs.PortAttr
	ports        []verbs.PortAttr // in place of port, from port 1 on
	portErr      error
	gids         []verbs.GIDEntry
	gidsErr      error
	pkeys        []uint16
	pkeysErr     error // of every row but the first
	openErr      error
}

func (d *fakeDevice) Info() verbs.DeviceInfo                 { return d.info }
func (d *fakeDevice) QueryDevice() (verbs.DeviceAttr, error) { return d.attr, d.attrErr }
func (d *fakeDevice) QueryPort(port uint8) (verbs.PortAttr, error) {
	if d.ports != nil {
		return d.ports[port-1], d.portErr
	}
	return d.port, d.portErr
}
func (d *fakeDevice) QueryGIDTable() ([]verbs.GIDEntry, error) { return d.gids, d.gidsErr }
func (d *fakeDevice) QueryPKey(_ uint8, index int) (uint16, error) {
	if index > 0 && d.pkeysErr != nil {
		return 0, d.pkeysErr
	}
	return d.pkeys[index], nil
}
func (d *fakeDevice) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	if d.exErr != nil {
		return verbs.DeviceAttrEx{}, d.exErr
	}
	if d.ex == nil {
		return verbs.DeviceAttrEx{}, &verbs.UnsupportedError{Feature: "ibv_query_device_ex"}
	}
	return *d.ex, nil
}

type openDevice struct {
	*fakeDevice
	provider *fakeProvider
	once     sync.Once
}

func (d *openDevice) Close() error {
	d.once.Do(func() {
		d.provider.mu.Lock()
		defer d.provider.mu.Unlock()
		d.provider.open--
	})
	return nil
}

func gid(t *testing.T, s string) verbs.GID {
	t.Helper()
	g, err := verbs.ParseGID(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rxe0 and soft0 are as the virtual machine and the software device show them.
func rxe0(t *testing.T) *fakeDevice {
	return &fakeDevice{
		info: verbs.DeviceInfo{Name: "rxe0", Provider: "ibverbs",
			NodeGUID: verbs.GUID{0x30, 0x9f, 0x9e, 0xff, 0xfe, 0x8e, 8, 1}, NodeType: "CA"},
		attr: verbs.DeviceAttr{MaxQP: 1048560, AtomicCap: 1, PhysPortCnt: 1, DeviceCapFlags: 0x01223c76},
		ex:   &verbs.DeviceAttrEx{DeviceCapFlagsEx: 0x1223c76},
		port: verbs.PortAttr{State: verbs.PortActive, MaxMTU: 5, ActiveMTU: 3, GIDTblLen: 1024, PKeyTblLen: 3,
			LinkLayer: verbs.LinkEthernet, ActiveWidth: 1, ActiveSpeed: 8},
		pkeys: []uint16{0xffff, 0, 0},
		gids: []verbs.GIDEntry{
			{PortNum: 1, Index: 0, GID: gid(t, "fe80::309f:9eff:fe8e:801"), Type: verbs.GIDTypeRoCEv2},
			{PortNum: 1, Index: 1, GID: gid(t, "10.9.0.1"), Type: verbs.GIDTypeRoCEv2},
		},
	}
}

func soft0(t *testing.T) *fakeDevice {
	d := rxe0(t)
	d.info = verbs.DeviceInfo{Name: "soft0", Provider: "soft"}
	d.ex = nil
	d.gids = []verbs.GIDEntry{{PortNum: 1, Index: 0, GID: gid(t, "127.0.0.1"), Type: verbs.GIDTypeRoCEv2}}
	return d
}
