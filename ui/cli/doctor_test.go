package cli

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// noLibrary is the provider of a host without libibverbs.
type noLibrary struct{}

func (noLibrary) Name() string { return "ibverbs" }
func (noLibrary) Devices() ([]verbs.DeviceInfo, error) {
	return nil, &verbs.UnsupportedError{Feature: "libibverbs"}
}
func (noLibrary) Open(string) (verbs.Device, error) { return nil, verbs.ErrUnsupported }

// TestDoctorVerdict: what keeps the host's devices away fails, unless nobody
// asks for those, and the software devices are named where they were asked for.
// A list of none of the host's devices fails as well where nothing else was asked for.
func TestDoctorVerdict(t *testing.T) {
	const without = "no host RDMA device is usable: fix the lines marked 'fail'"
	none := "no devices from ibverbs: " + (&verbs.UnsupportedError{Feature: "libibverbs"}).Error() +
		"; 'rdmatui doctor' says what to do"
	for _, tt := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"doctor"}, Failed, "rdmatui: " + without + "; the software devices soft0 and soft1 still work\n"},
		{[]string{"doctor", "--json"}, Failed,
			"rdmatui: " + without + "; the software devices soft0 and soft1 still work\n"},
		{[]string{"doctor", "--provider", "ibverbs"}, Failed, "rdmatui: " + without + "\n"},
		{[]string{"doctor", "--provider", "soft"}, Done, ""},
		{[]string{"devices", "--provider", "ibverbs"}, Failed, "rdmatui: " + none + "\n"},
		{[]string{"devices"}, Done, "note: " + none + "\n"},
		{[]string{"doctor", "-d", "soft1"}, Done, ""},
		{[]string{"doctor", "-d", "soft2"}, Failed,
			"rdmatui: no device \"soft2\"; 'rdmatui devices' lists the devices\n"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			p := &Program{
				Native: func() verbs.Provider { return noLibrary{} },
				Soft:   func([]netip.Addr) verbs.Provider { return soft.New(soft.Options{}) },
				Host:   devices.Host(), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			}
			if status := p.Run(context.Background(), tt.args); status != tt.status {
				t.Errorf("exit status %d, want %d\n%s", status, tt.status, stdout.String())
			}
			if stderr.String() != tt.stderr {
				t.Errorf("on stderr %q, want %q", stderr.String(), tt.stderr)
			}
		})
	}
}
