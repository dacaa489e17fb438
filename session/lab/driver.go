package lab

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"rdmatui/verbs"
)

// Driver is what makes a device, as far as its differences are known here.
type Driver struct {
	Name   string // "rxe", "" for any whose differences are not known
	Kernel Kernel // the running one, which Name is a part of
}

// softwareDrivers are the kernel's software devices by their vendor_id: Soft-RoCE has no vendor, and Soft-iWARP
// has "bmt".
var softwareDrivers = map[uint32]string{0xffffff: "rxe", 0x626d74: "siw"}

// DriverOf returns the driver of a device of a provider. release is the running kernel's, as uname -r prints it.
func DriverOf(provider string, attr *verbs.DeviceAttr, release string) Driver {
	if name := softwareDrivers[attr.VendorID]; provider == "ibverbs" && name != "" {
		return Driver{Name: name, Kernel: KernelOf(release)}
	}
	return Driver{}
}

// Kernel is a version of the kernel, such as 6.12; the zero Kernel is an unknown one.
type Kernel struct{ Major, Minor int }

var releaseForm = regexp.MustCompile(`^(\d{1,3})\.(\d{1,4})(\D|$)`)

// KernelOf returns the version in a release such as "6.12.9-amd64", the zero Kernel where there is none.
func KernelOf(release string) Kernel {
	m := releaseForm.FindStringSubmatch(release)
	if m == nil {
		return Kernel{}
	}
	major, _ := strconv.Atoi(m[1]) // both are digits, and few
	minor, _ := strconv.Atoi(m[2])
	return Kernel{major, minor}
}

// String returns "MAJOR.MINOR"; "" for the zero value.
func (k Kernel) String() string {
	if k == (Kernel{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d", k.Major, k.Minor)
}

func (k Kernel) compare(o Kernel) int {
	return cmp.Or(cmp.Compare(k.Major, o.Major), cmp.Compare(k.Minor, o.Minor))
}

// KernelRange is a range of kernels with both ends in it. An end that is zero is open; the zero KernelRange has all
// kernels, an unknown one too.
type KernelRange struct{ From, To Kernel }

const rangeMark = ".."

var versionForm = regexp.MustCompile(`^[1-9]\d{0,2}\.(0|[1-9]\d{0,3})$`)

// ParseKernelRange reads "6.4.." (6.4 and later), "..6.3" (6.3 and earlier) or "6.4..6.9".
func ParseKernelRange(text string) (KernelRange, error) {
	from, to, ok := strings.Cut(text, rangeMark)
	for _, end := range []string{from, to} {
		if !ok || from+to == "" || end != "" && !versionForm.MatchString(end) {
			return KernelRange{}, fmt.Errorf("%q is not a kernel range such as 6.4.., ..6.3 or 6.4..6.9", text)
		}
	}
	r := KernelRange{KernelOf(from), KernelOf(to)}
	if to != "" && r.From.compare(r.To) > 0 {
		return KernelRange{}, fmt.Errorf("the range of kernels %q ends before it begins", text)
	}
	return r, nil
}

// Has reports whether a kernel is in the range.
func (r KernelRange) Has(k Kernel) bool {
	if r == (KernelRange{}) {
		return true
	}
	return k != Kernel{} && r.From.compare(k) <= 0 && (r.To == Kernel{} || k.compare(r.To) <= 0)
}
