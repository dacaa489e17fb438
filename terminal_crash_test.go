package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"rdmatui/ui"
	"rdmatui/ui/uitest/term"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// A crash is tried with the screen in a process of its own, which is this test
// binary: crashing says on which device and where.
const crashVariable = "RDMATUI_TEST_CRASH"

// The places where the provider falls over once it was asked for a second domain.
const (
	inCommand = "in a command"
	inReader  = "in the session's reader"
	inUpdate  = "in update"
)

// crashMain is the program with a provider that panics.
func crashMain(name, where string) int {
	var p verbs.Provider = soft.New(soft.Options{})
	if name == device {
		p = native.New()
	}
	err := ui.Run(context.Background(), []verbs.Provider{&crashingProvider{Provider: p, where: where, armed: make(chan struct{})}}, name)
	if err != nil {
		os.Stderr.WriteString("ended: " + strings.ReplaceAll(err.Error(), "\n", " ") + "\n")
		return 1
	}
	return 0
}

// crashingProvider falls over from the second protection domain on.
type crashingProvider struct {
	verbs.Provider
	where   string
	domains atomic.Int32
	armed   chan struct{} // closed with the second domain
}

func (p *crashingProvider) fall(where string) {
	select {
	case <-p.armed:
		if p.where == where {
			panic("fell over " + where)
		}
	default:
	}
}

// Devices is called while a line is typed, to complete the names in it.
func (p *crashingProvider) Devices() ([]verbs.DeviceInfo, error) {
	p.fall(inUpdate)
	return p.Provider.Devices()
}

func (p *crashingProvider) Open(name string) (verbs.Device, error) {
	d, err := p.Provider.Open(name)
	if err != nil {
		return nil, err
	}
	return &crashingDevice{d, p}, nil
}

type crashingDevice struct {
	verbs.Device
	p *crashingProvider
}

func (d *crashingDevice) AllocPD() (verbs.PD, error) {
	if d.p.domains.Add(1) == 2 {
		close(d.p.armed)
	}
	d.p.fall(inCommand)
	return d.Device.AllocPD()
}

func (d *crashingDevice) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	if d.p.where == inReader {
		select {
		case <-d.p.armed:
		case <-ctx.Done():
		}
		d.p.fall(inReader)
	}
	return d.Device.GetAsyncEvent(ctx)
}

func TestCrash(t *testing.T) { crashEverywhere(t, "soft0", func(*testing.T) {}) }

func TestCrashOnKernel(t *testing.T) {
	vmtest.Need(t)
	crashEverywhere(t, device, nothingLeft)
}

// crashEverywhere wants a panic to put the terminal back, to say where it was,
// and to leave no object.
func crashEverywhere(t *testing.T, name string, check func(*testing.T)) {
	for _, where := range []string{inCommand, inReader, inUpdate} {
		t.Run(where, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = terminalEnv(crashVariable + "=" + name + ":" + where)
			tm := term.Start(t, cmd, 120, 40)
			makeObjects(tm)
			tm.Type(":alloc_pd second device=" + name + "\r")
			if where == inUpdate {
				tm.Until("second · ")
				tm.Type(":open_device x")
			}
			if status := tm.Wait(); status != 1 {
				t.Errorf("exit status %d", status)
			}
			tm.Restored()
			said := string(tm.Written())
			_, said, _ = strings.Cut(said, "\x1b[?1049l")
			for _, want := range []string{"fell over " + where, "terminal_crash_test.go:", "ended: a fault of the program itself"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q was not said once the screen had been left:\n%s", want, said)
				}
			}
			check(t)
		})
	}
}
