package devices

import (
	"errors"
	"fmt"

	"rdmatui/verbs"
)

// Inventory joins the devices of several providers with what the operating
// system knows of them. Its methods may be called from any goroutine.
type Inventory struct {
	// Crashed is told of a panic in a goroutine of the inventory; to be set
	// before the first use.
	Crashed verbs.CrashHook

	providers []verbs.Provider
	os        OS
}

// New returns the inventory of the providers' devices, in the order of the
// providers: the host's first, then the software device. It reads nothing yet.
func New(providers []verbs.Provider, sys OS) *Inventory {
	return &Inventory{providers: providers, os: sys}
}

// Close gives back what the operating system's part holds open.
func (inv *Inventory) Close() error { return inv.os.Close() }

// UnknownDeviceError says that no provider has a device of this name.
type UnknownDeviceError struct {
	Name string
	Have []string // the names that exist, in the order of the list
	Err  error    // why a provider could not list its devices; may be nil
}

func (e *UnknownDeviceError) Error() string {
	s := fmt.Sprintf("no device %q", e.Name)
	if len(e.Have) == 0 {
		s += ": there is none at all"
	} else {
		s += ": there are " + listed(e.Have)
	}
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *UnknownDeviceError) Unwrap() error { return e.Err }

// ProviderStatus is what one provider answered when asked for its devices.
type ProviderStatus struct {
	Name    string
	Devices []verbs.DeviceInfo
	Err     error // matches verbs.ErrUnsupported where the host has no such thing
}

// Providers asks every provider for its devices.
func (inv *Inventory) Providers() []ProviderStatus {
	all := make([]ProviderStatus, len(inv.providers))
	for i, p := range inv.providers {
		infos, err := p.Devices()
		all[i] = ProviderStatus{p.Name(), infos, err}
	}
	return all
}

// Open opens the named device with the first provider that has it. The caller
// closes it.
func (inv *Inventory) Open(name string) (verbs.Device, error) {
	// Listing costs as much as opening, so providers are asked to list only
	// when none could open.
	failed := make([]error, len(inv.providers))
	for i, p := range inv.providers {
		dev, err := p.Open(name)
		if err == nil {
			return dev, nil
		}
		failed[i] = err
	}
	return nil, inv.whyNotOpened(name, failed)
}

// whyNotOpened tells a device that failed to open from one that is not there.
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
