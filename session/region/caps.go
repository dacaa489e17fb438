package region

import (
	"fmt"
	"math"

	"rdmatui/session/device"
	"rdmatui/verbs"
)

// AttrError says that a device lacks something, by an attribute of its own that is 0. It matches
// [verbs.ErrUnsupported].
type AttrError struct {
	Device, What, Attr string
	use                string
}

// Error names the device, the missing feature and the attribute that is 0.
func (e *AttrError) Error() string {
	return fmt.Sprintf("%s has no %s: its %s is 0", e.Device, e.What, e.Attr)
}

// Remedy says what to do instead.
func (e *AttrError) Remedy() string { return e.use }

// Is makes errors.Is(err, verbs.ErrUnsupported) true.
func (e *AttrError) Is(target error) bool { return target == verbs.ErrUnsupported }

// ImplicitError refuses a region of all of this process's memory.
type ImplicitError struct{}

// Error says why implicit on-demand paging is refused.
func (*ImplicitError) Error() string {
	return "implicit on-demand paging is refused: the region would cover all memory of rdmatui, open to every peer with its rkey"
}

// Remedy says what to do instead.
func (*ImplicitError) Remedy() string { return "give the length of the memory to register: length=" }

// Is makes errors.Is(err, verbs.ErrUnsupported) true.
func (*ImplicitError) Is(target error) bool { return target == verbs.ErrUnsupported }

// lackOfMR is the error of a registration that the device cannot make, nil where nothing is known against it: the
// provider's EINVAL would tell no reason. A region of all memory is refused of every device.
func lackOfMR(d *device.Device, access verbs.Access, length uint64) error {
	switch {
	case access&verbs.OnDemand == 0:
		return nil
	case length == math.MaxUint64:
		return &ImplicitError{}
	case d.Ex != nil && d.Ex.ODPCaps.GeneralCaps&verbs.ODPSupport == 0:
		return &AttrError{d.Name, "on-demand paging", "odp_caps.general_caps", "leave ON_DEMAND out"}
	}
	return nil
}
