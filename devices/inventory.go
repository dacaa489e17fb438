package devices

import (
	"errors"
	"fmt"
	"sync"

	"rdmatui/verbs"
)

// Inventory joins the devices of several providers with what the operating
// system knows of them. Its methods may be called from any goroutine.
type Inventory struct {
	// Crashed is called after a panic in a goroutine of the inventory. Set it before
	// the first call.
	Crashed verbs.CrashHook

	providers []verbs.Provider
	os        OS

	mu     sync.Mutex
	opened map[string]verbs.Provider // by the name of the device; guarded by mu
}

// New returns the inventory of the providers' devices, in the order of the providers,
// usually the host's first. It reads nothing yet.
func New(providers []verbs.Provider, sys OS) *Inventory {
	return &Inventory{providers: providers, os: sys, opened: map[string]verbs.Provider{}}
}

// Close closes the sockets that the inventory has opened. It does not close devices.
func (inv *Inventory) Close() error { return inv.os.Close() }

// UnknownDeviceError is the error for a device name that no provider knows.
type UnknownDeviceError struct {
	Name string
	Have []string // the existing names, in the order of the list
	Err  error    // why a provider could not list its devices; nil if all could
}

// Error names the missing device and lists the existing ones.
func (e *UnknownDeviceError) Error() string {
	s := fmt.Sprintf("no device %q", e.Name)
	if len(e.Have) == 0 {
		s += "; no devices found"
	} else {
		s += "; there are " + listed(e.Have)
	}
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

// Unwrap returns why a provider could not list its devices; nil if all could.
func (e *UnknownDeviceError) Unwrap() error { return e.Err }

// ProviderStatus is one provider's list of devices, or why it has none.
type ProviderStatus struct {
	Name    string
	Devices []verbs.DeviceInfo
	Err     error // matches verbs.ErrUnsupported if the host lacks what the provider needs
}

// Providers returns every provider with its devices, in order.
func (inv *Inventory) Providers() []ProviderStatus {
	all := make([]ProviderStatus, len(inv.providers))
	for i, p := range inv.providers {
		infos, err := p.Devices()
		all[i] = ProviderStatus{p.Name(), infos, err}
	}
	return all
}

// Open opens the named device with the first provider that has it. The caller closes
// it. If no provider has the device Open returns an [*UnknownDeviceError].
func (inv *Inventory) Open(name string) (verbs.Device, error) {
	// Listing costs as much as opening, so list only if no provider could open the
	// device.
	failed := make([]error, len(inv.providers))
	for i, p := range inv.providers {
		dev, err := p.Open(name)
		if err == nil {
			inv.mu.Lock()
			inv.opened[name] = p
			inv.mu.Unlock()
			return dev, nil
		}
		failed[i] = err
	}
	return nil, inv.whyNotOpened(name, failed)
}

// asked returns the providers to ask about a device: the one that opened it last, all
// of them before. To ask the software provider costs a socket for each of its addresses.
func (inv *Inventory) asked(name string) []verbs.Provider {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if p := inv.opened[name]; p != nil {
		return []verbs.Provider{p}
	}
	return inv.providers
}

// whyNotOpened distinguishes a device that failed to open from one that does not exist.
func (inv *Inventory) whyNotOpened(name string, failed []error) error {
	unknown := &UnknownDeviceError{Name: name}
	var broken []error
	for i, st := range inv.Providers() {
		if st.Err != nil && !errors.Is(st.Err, verbs.ErrUnsupported) {
			broken = append(broken, fmt.Errorf("%s: %w", st.Name, st.Err))
		}
		for _, info := range st.Devices {
			if info.Name == name {
				return fmt.Errorf("device %q: %w", name, failed[i])
			}
			unknown.Have = append(unknown.Have, cutText(info.Name))
		}
	}
	unknown.Err = errors.Join(broken...)
	return unknown
}
