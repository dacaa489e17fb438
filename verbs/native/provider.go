package native

import (
	"strconv"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/cm"
	"rdmatui/verbs/native/internal/failure"
)

// Provider lists and opens the host's RDMA devices. Create it with [New].
type Provider struct {
	names   []string // file names of libibverbs
	cmNames []string // file names of librdmacm
	plain   bool     // see Options.PlainCalls

	mu  sync.Mutex
	lib *library    // nil until loaded
	cm  *cm.Manager // nil until loaded
}

// Options configure how the provider calls the host's libraries. The zero value is the
// default.
type Options struct {
	// PlainCalls makes posts and polls use purego's ordinary calls, which are slower than
	// the quick calls that replace them.
	PlainCalls bool
}

// New returns the provider. It loads the libraries when they are first needed.
func New() *Provider { return NewWith(Options{}) }

// NewWith is [New] with options.
func NewWith(o Options) *Provider {
	return &Provider{names: []string{"libibverbs.so.1"}, cmNames: []string{"librdmacm.so.1"}, plain: o.PlainCalls}
}

// Name returns [verbs.HostProvider].
func (p *Provider) Name() string { return verbs.HostProvider }

// library loads the library at the first call. After a failure the next call tries
// again, because a package may have been installed meanwhile. A loaded library stays
// loaded: the drivers that it loaded cannot be unloaded.
func (p *Provider) library() (*library, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lib == nil {
		lib, err := loadLibrary(p.names...)
		if err != nil {
			return nil, err
		}
		if p.plain {
			lib.dl.CallPlainly()
		}
		lib.preloadDrivers("/sys/module")
		p.lib = lib
	}
	return p.lib, nil
}

// Devices lists the host's devices in the library's order. The error matches
// verbs.ErrUnsupported if the library is missing or the kernel has no RDMA.
func (p *Provider) Devices() ([]verbs.DeviceInfo, error) {
	lib, err := p.library()
	if err != nil {
		return nil, err
	}
	list, err := lib.devices()
	if err != nil {
		return nil, err
	}
	defer list.free()
	infos := make([]verbs.DeviceInfo, len(list.devices))
	for i := range infos {
		infos[i] = list.info(i)
	}
	return infos, nil
}

// Open opens the named device.
func (p *Provider) Open(name string) (verbs.Device, error) {
	lib, err := p.library()
	if err != nil {
		return nil, err
	}
	list, err := lib.devices()
	if err != nil {
		return nil, err
	}
	defer list.free()
	for i := range list.devices {
		if info := list.info(i); info.Name == name {
			return openDevice(lib, list.devices[i], info)
		}
	}
	return nil, failure.Of("ibv_open_device", strconv.Quote(name), syscall.ENODEV)
}
