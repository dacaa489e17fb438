package program

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"rdmatui/devices"
	"rdmatui/ui"
	"rdmatui/ui/cli"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/link"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// A crash is tested with the screen in a separate process, which is this test binary:
// crashing says on which device and where.
const crashVariable = "RDMATUI_TEST_CRASH"

// The places where the provider panics once a second domain was asked for.
const (
	inCommand = "in a command"
	inReader  = "in the session's reader"
	inUpdate  = "in update"
	inEngine  = "in the software device's engine"
	// hangsInUpdate does not panic but never returns.
	hangsInUpdate = "hangs in update"
)

// headless, appended to a place, does the same in a script.
const headless = ", headless"

// crashScript arms the provider and sends a packet.
const crashScript = `open_device soft0
alloc_pd pd
create_cq cq
create_qp a
create_qp b
connect_qps a b
alloc_pd second
post_send a SEND
poll_cq timeout=1h
`

// crashMain is the program with a provider that panics.
func crashMain(name, where string) int {
	screen := new(ui.Screen)
	fabric := soft.New(soft.Options{Crashed: screen.Crashed})
	where, script := strings.CutSuffix(where, headless)
	p := &crashingProvider{Provider: fabric, fabric: fabric.Fabric(), where: where, armed: make(chan struct{})}
	if name == device {
		p.Provider = native.New()
	}
	if script {
		program := &cli.Program{Soft: func([]netip.Addr) verbs.Provider { return p }, Host: devices.Host(),
			Stdin: strings.NewReader(crashScript), Stdout: os.Stdout, Stderr: os.Stderr}
		return program.Run(context.Background(), []string{"run", "--provider", "soft", "-"})
	}
	ctx, stop := cli.UntilSignal(func(status int, stacks []byte) {
		screen.Restore()
		line.WriteTrace(os.Stderr, stacks)
		os.Exit(status)
	})
	defer stop()
	if err := screen.Run(ctx, []verbs.Provider{p}, name, nil, false); err != nil {
		os.Stderr.WriteString("ended: " + strings.ReplaceAll(err.Error(), "\n", " ") + "\n")
		return 1
	}
	return 0
}

// crashingProvider panics from the second protection domain on.
type crashingProvider struct {
	verbs.Provider
	fabric  *link.Fabric
	where   string
	domains atomic.Int32
	armed   chan struct{} // closed on the second domain
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

func (p *crashingProvider) hang(where string) {
	select {
	case <-p.armed:
		if p.where == where {
			os.Stdout.WriteString(where)
			select {}
		}
	default:
	}
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
		d.p.fabric.SetTap(func(*link.Packet) { d.p.fall(inEngine) })
	}
	d.p.fall(inCommand)
	pd, err := d.Device.AllocPD()
	if err != nil {
		return nil, err
	}
	return &crashingPD{pd, d.p}, nil
}

type crashingPD struct {
	verbs.PD
	p *crashingProvider
}

func (d *crashingPD) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	mr, err := d.PD.RegMR(spec)
	if err != nil {
		return nil, err
	}
	return &crashingMR{mr, d.p}, nil
}

// crashingMR panics when the screen, being updated, asks for its key.
type crashingMR struct {
	verbs.MR
	p *crashingProvider
}

func (m *crashingMR) RKey() uint32 {
	m.p.fall(inUpdate)
	m.p.hang(hangsInUpdate)
	return m.MR.RKey()
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

func TestCrash(t *testing.T) {
	crashEverywhere(t, "soft0", func(*testing.T) {}, inCommand, inReader, inUpdate, inEngine)
}

func TestCrashOnKernel(t *testing.T) {
	vmtest.Need(t)
	crashEverywhere(t, device, nothingLeft, inCommand, inReader, inUpdate)
}

// crashEverywhere checks that after a panic the terminal is restored, the place is
// reported, and no object is left.
func crashEverywhere(t *testing.T, name string, check func(*testing.T), places ...string) {
	for _, where := range places {
		t.Run(where, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = terminalEnv(crashVariable + "=" + name + ":" + where)
			tm := uitest.StartTerminal(t, cmd, 120, 40)
			makeObjects(tm)
			tm.Type(":alloc_pd second device=" + name + "\r\r")
			if where == inEngine {
				tm.Until("second · ")
				tm.Type(":post_send a SEND\r\r")
			}
			if status := tm.Wait(); status != 1 {
				t.Errorf("exit status %d", status)
			}
			tm.Restored()
			said := string(tm.Written())
			_, said, _ = strings.Cut(said, "\x1b[?1049l")
			wants := []string{"fell over " + where, "terminal_crash_test.go:", "ended: a bug in rdmatui"}
			if where == inUpdate {
				wants = append(wants, "rdmatui/ui.(*App).Update")
			}
			for _, want := range wants {
				if !strings.Contains(said, want) {
					t.Errorf("%q was not said once the screen had been left:\n%s", want, said)
				}
			}
			check(t)
		})
	}
}

// TestCrashHeadless: there is no terminal to restore, and the panic ends the process
// as usual.
func TestCrashHeadless(t *testing.T) {
	for _, where := range []string{inCommand, inReader, inEngine} {
		t.Run(where, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = terminalEnv(crashVariable + "=soft0:" + where + headless)
			// A separate stream: the runtime writes a panic in pieces, and a line of the script's
			// output may come between two of them.
			var said strings.Builder
			cmd.Stderr = &said
			err = cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() <= 0 {
				t.Errorf("it ended with %v", err)
			}
			for _, want := range []string{"panic: fell over " + where, "goroutine ", "terminal_crash_test.go:"} {
				if !strings.Contains(said.String(), want) {
					t.Errorf("%q was not said:\n%s", want, said.String())
				}
			}
		})
	}
}
