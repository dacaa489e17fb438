package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// noting is a provider with something to say.
type noting struct{ verbs.Provider }

func (noting) Notes() []verbs.Note {
	return []verbs.Note{{Devices: []string{"soft0"}, Text: "soft0 is somewhere else:\nwho knows why"}}
}

// invokeSoft runs a command line and returns the addresses that the software devices were asked for.
func invokeSoft(stdin string, args ...string) (addrs, stdout, stderr string, status int) {
	var out, err bytes.Buffer
	p := &Program{
		Native: func() verbs.Provider { return noLibrary{} },
		Soft: func(a []netip.Addr) verbs.Provider {
			addrs = fmt.Sprint(a)
			return noting{soft.New(soft.Options{})}
		},
		Host: devices.Host(), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
	}
	status = p.Run(context.Background(), args)
	return addrs, out.String(), err.String(), status
}

func TestSoftFlag(t *testing.T) {
	for _, tt := range []struct {
		args  string
		addrs string
		wrong string // what the one line says
	}{
		{"devices", "[]", ""},
		{"devices --soft 192.0.2.1", "[192.0.2.1]", ""},
		{"devices --soft=::ffff:192.0.2.1,fd00::2", "[192.0.2.1 fd00::2]", ""},
		{"--soft fe80::1%eth0 --provider soft devices", "[fe80::1%eth0]", ""},
		{"devices --soft somewhere", "",
			`--soft "somewhere": "somewhere" is not the address of a host, such as 192.0.2.1 or fd00::1`},
		{"devices --soft 192.0.2.1,", "",
			`--soft "192.0.2.1,": "" is not the address of a host, such as 192.0.2.1 or fd00::1`},
		{"devices --soft 0.0.0.0", "",
			`--soft "0.0.0.0": "0.0.0.0" is not the address of a host, such as 192.0.2.1 or fd00::1`},
		{"devices --soft 224.0.0.1", "",
			`--soft "224.0.0.1": "224.0.0.1" is not the address of a host, such as 192.0.2.1 or fd00::1`},
		{"devices --soft ::1,::2,::3", "",
			`--soft "::1,::2,::3": 3 addresses for two devices, soft0 and soft1; give one or two`},
		{"devices --soft ::1,::1", "",
			`--soft "::1,::1": both addresses are the same; give soft0 and soft1 different ones`},
		{"devices --soft ::1 --provider ibverbs", "",
			"--soft needs the software devices, which --provider ibverbs excludes; leave out one of the two"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			addrs, _, stderr, status := invokeSoft("", strings.Fields(tt.args)...)
			if tt.wrong != "" {
				if want := "rdmatui: " + tt.wrong + "\n"; status != Wrong || stderr != want || addrs != "" {
					t.Errorf("exit status %d, %q; want %q", status, stderr, want)
				}
				return
			}
			if status != Done || addrs != tt.addrs {
				t.Errorf("exit status %d, addresses %s, want %s\n%s", status, addrs, tt.addrs, stderr)
			}
		})
	}
}

// TestSoftAddressesTaken: addresses that were asked for and cannot be had are an error. Without --soft, and where no
// device is needed, nothing fails.
func TestSoftAddressesTaken(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		want   string // part of the line on standard error
	}{
		{"devices --soft 203.0.113.77", Failed, "rdmatui: --soft 203.0.113.77: "},
		{"devices --soft 203.0.113.77 --provider soft", Failed, "this host does not have the address"},
		{"run --soft 203.0.113.77 -", Failed, "this host does not have the address"},
		{"explain ENOMEM --soft 203.0.113.77", Done, ""},
	} {
		var out, err bytes.Buffer
		p := &Program{
			Native: func() verbs.Provider { return noLibrary{} },
			Soft: func(a []netip.Addr) verbs.Provider {
				return soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: a}})
			},
			Host: devices.Host(), Stdin: strings.NewReader("note x\n"), Stdout: &out, Stderr: &err,
		}
		status := p.Run(t.Context(), strings.Fields(tt.args))
		if status != tt.status || !strings.Contains(err.String(), tt.want) || strings.Count(err.String(), "\n") > 1 {
			t.Errorf("%s: exit status %d, %q", tt.args, status, err.String())
		}
	}
}

// hosts is a provider of one device of the host, carried out by a software device.
type hosts struct{ verbs.Provider }

func (h hosts) Devices() ([]verbs.DeviceInfo, error) {
	return []verbs.DeviceInfo{{Name: "rxe0", Provider: "ibverbs"}}, nil
}

func (h hosts) Open(name string) (verbs.Device, error) {
	if name != "rxe0" {
		return nil, errors.New("no such device")
	}
	return h.Provider.Open("soft0")
}

// TestNoNoise: no command that uses a device of the host says anything of the software devices.
func TestNoNoise(t *testing.T) {
	const quiet, told = 0, 1
	for _, tt := range []struct {
		args, stdin string
		times       int
	}{
		{"devices", "", quiet},
		{"devices rxe0", "", quiet},
		{"devices -v rxe0", "", quiet},
		{"devices --json -d rxe0", "", quiet},
		{"devices soft1", "", quiet},
		{"devices soft0", "", told},
		{"devices -v", "", told}, // it opens soft0
		{"devices --provider soft", "", told},
		{"doctor -d rxe0", "", quiet},
		{"doctor --json -d rxe0", "", quiet},
		{"doctor -d soft1", "", quiet},
		{"doctor -d soft0", "", told},
		{"doctor", "", told},
		{"run -", "open_device rxe0\nalloc_pd pd\n", quiet},
		{"run -d rxe0 -", "open_device rxe0\n", quiet},
		{"run -", "open_device soft1\n", quiet},
		{"run -", "open_device rxe0\nopen_device soft0\n", told},
		{"lab", "", quiet},
		{"lab -d rxe0 bad-rkey", "", quiet},
		{"lab bad-rkey", "", quiet},
		{"lab bad-rkey -d soft0", "", told},
		{"scenario", "", quiet},
		{"scenario -d rxe0", "", quiet},
		{"scenario rc-pingpong -d rxe0 -p 1 127.0.0.1", "", quiet},
		{"scenario rc-pingpong -d soft0 -p 1 127.0.0.1", "", told},
		{"explain ENOMEM", "", quiet},
		{"explain -d rxe0 max_qp", "", quiet},
		{"version", "", quiet},
		{"help run", "", quiet},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			p := &Program{
				Native: func() verbs.Provider { return hosts{soft.New(soft.Options{})} },
				Soft:   func([]netip.Addr) verbs.Provider { return noting{soft.New(soft.Options{})} },
				Host:   devices.Host(), Stdin: strings.NewReader(tt.stdin), Stdout: &stdout, Stderr: &stderr,
			}
			status := p.Run(context.Background(), strings.Fields(tt.args))
			if got := strings.Count(stdout.String()+stderr.String(), "soft0 is somewhere else"); status == Wrong ||
				got != tt.times {
				t.Errorf("exit status %d, said %d times, want %d\n%s%s", status, got, tt.times, &stdout, &stderr)
			}
		})
	}
}

// TestNotes: what a provider says of its devices is seen wherever they are listed or opened, once each.
func TestNotes(t *testing.T) {
	const said = "soft0 is somewhere else: who knows why"
	for _, tt := range []struct {
		args, stdin string
		stdout      int // times that it is said there
		stderr      string
	}{
		{"devices --provider soft", "", 0, "note: " + said + "\n"},
		{"devices --provider soft --json soft0", "", 0, "note: " + said + "\n"},
		{"doctor --provider soft", "", 1, ""},
		{"run --provider soft -", "open_device soft0\nopen_device soft1\n", 1, ""},
		{"run --provider soft --json -", "open_device soft0\n", 1, ""},
		{"run --provider soft -", "", 0, ""},
	} {
		t.Run(tt.args, func(t *testing.T) {
			_, stdout, stderr, status := invokeSoft(tt.stdin, strings.Fields(tt.args)...)
			flat := strings.NewReplacer(`\u000a`, " ", `\n`, " ", "\n", " ").Replace(stdout)
			if got := strings.Count(flat, said); status != Done || got != tt.stdout || stderr != tt.stderr {
				t.Errorf("exit status %d, said %d times, on stderr %q\n%s", status, got, stderr, stdout)
			}
		})
	}
}
