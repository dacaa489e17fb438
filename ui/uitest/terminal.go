package uitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	xterm "github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience bounds the wait for what must happen; no test measures time against it. In a machine two ends that poll take
// turns with the kernel, so that a thousand round trips may take a minute.
const patience = 110 * time.Second

// Terminal is a terminal with one program in it.
type Terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before xterm.State // the line discipline, before the program

	mu    sync.Mutex // guards the emulator and its replies
	em    *vt.Emulator
	modes map[ansi.Mode]bool // those that are set
	raw   bytes.Buffer       // every byte that the program has written

	changed chan struct{} // holds a token when something was drawn
	silent  chan struct{} // closed when nothing can be drawn any more
	readers sync.WaitGroup

	exited chan struct{}
	once   sync.Once // closes the slave
}

// StartTerminal runs a command in a terminal of w times h cells. The command gets the
// terminal as its standard input, output, error and controlling terminal; its
// streams must not be set. A command that still runs at the end of the test is killed.
func StartTerminal(t testing.TB, cmd *exec.Cmd, w, h int) *Terminal {
	t.Helper()
	master, slave := openPair(t)
	tm := &Terminal{t: t, cmd: cmd, master: master, slave: slave, em: vt.NewEmulator(w, h), modes: maps.Clone(usual),
		changed: make(chan struct{}, 1), silent: make(chan struct{}), exited: make(chan struct{})}
	tm.before = tm.discipline()
	tm.Claim(w, h)
	tm.em.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { tm.modes[m] = true },
		DisableMode: func(m ansi.Mode) { delete(tm.modes, m) },
	})
	// The emulator takes margins beyond its last row, which a program still sends when
	// the window has just become smaller, and panics when it scrolls in them.
	tm.em.RegisterCsiHandler('r', func(margins ansi.Params) (ignore bool) {
		bottom, _, _ := margins.Param(1, 0)
		return bottom > tm.em.Height()
	})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tm.readers.Go(tm.draw)
	tm.readers.Go(tm.answer)
	go func() {
		_ = cmd.Wait() // the status is in cmd.ProcessState
		close(tm.exited)
	}()
	t.Cleanup(tm.end)
	return tm
}

// openPair opens a pty whose master can be closed while it is read from: the
// pty package leaves it in blocking mode.
func openPair(t testing.TB) (master, slave *os.File) {
	t.Helper()
	blocking, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "pty"), slave
}

// draw passes the program's output to the emulator.
func (tm *Terminal) draw() {
	defer close(tm.silent)
	buf := make([]byte, 1<<16)
	for {
		n, err := tm.master.Read(buf)
		tm.mu.Lock()
		tm.raw.Write(buf[:n])
		_, _ = tm.em.Write(buf[:n]) // never fails while it is open
		tm.mu.Unlock()
		select {
		case tm.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return // all slaves are closed
		}
	}
}

// answer types the emulator's replies to queries.
func (tm *Terminal) answer() { _, _ = io.Copy(tm.master, tm.em) }

// end kills the program if it still runs and waits for the readers.
func (tm *Terminal) end() {
	_ = tm.cmd.Process.Kill() // it may have ended
	<-tm.exited
	tm.closeSlave()
	<-tm.silent
	_ = tm.em.InputPipe().(io.Closer).Close()
	_ = tm.master.Close()
	tm.readers.Wait()
}

func (tm *Terminal) closeSlave() { tm.once.Do(func() { _ = tm.slave.Close() }) }

// Until waits until the screen shows all of the texts at once.
func (tm *Terminal) Until(texts ...string) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("%q to be shown", texts), func(screen string) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(screen, s) })
	})
}

// UntilTimes waits until the screen shows a text n times.
func (tm *Terminal) UntilTimes(n int, text string) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("%q to be shown %d times", text, n), func(screen string) bool {
		return strings.Count(screen, text) == n
	})
}

// UntilGone waits until the screen does not show a text.
func (tm *Terminal) UntilGone(text string) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("%q to go", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

func (tm *Terminal) await(what string, ok func(screen string) bool) {
	tm.t.Helper()
	limit := time.After(patience)
	for silent := false; !ok(tm.Screen()); {
		if silent {
			tm.t.Fatalf("waited for %s; the program has ended (%v):\n%s", what, tm.cmd.ProcessState, tm.Screen())
		}
		select {
		case <-tm.changed:
		case <-tm.exited:
			tm.closeSlave()
			<-tm.silent
			silent = true
		case <-limit:
			tm.t.Fatalf("waited for %s; the screen is\n%s", what, tm.Screen())
		}
	}
}

// Screen returns the visible text, without styles and trailing blanks.
func (tm *Terminal) Screen() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	lines := strings.Split(tm.em.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.Join(lines, "\n")
}

// Filled fails unless the program has drawn in the last row of a window of h
// rows, and in no column beyond w.
func (tm *Terminal) Filled(w, h int) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("row %d to be drawn", h), func(screen string) bool {
		rows := strings.Split(screen, "\n")
		return len(rows) == h && strings.TrimSpace(rows[h-1]) != "" && !slices.ContainsFunc(rows, func(r string) bool {
			return ansi.StringWidth(r) > w
		})
	})
}

// Written returns every byte that the program has written so far.
func (tm *Terminal) Written() []byte {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return slices.Clone(tm.raw.Bytes())
}

// Resize changes the window; the program receives SIGWINCH.
func (tm *Terminal) Resize(w, h int) {
	tm.t.Helper()
	tm.mu.Lock()
	tm.em.Resize(w, h)
	tm.mu.Unlock()
	tm.Claim(w, h)
}

// Claim tells the program a size that the emulator does not have.
func (tm *Terminal) Claim(w, h int) {
	tm.t.Helper()
	if err := pty.Setsize(tm.slave, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		tm.t.Fatal(err)
	}
}

// Signal sends the program a signal, as kill does. One that has ended gets none.
func (tm *Terminal) Signal(s os.Signal) {
	tm.t.Helper()
	if err := tm.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tm.t.Fatal(err)
	}
}

// HangUp takes the terminal away, as closing its window does. Nothing can be
// read or typed afterwards.
func (tm *Terminal) HangUp() {
	tm.t.Helper()
	tm.closeSlave()
	if err := tm.master.Close(); err != nil {
		tm.t.Fatal(err)
	}
}

// Wait returns the exit status after the program has ended: -1 if a signal ended it. Its last output may not be on the
// pictured before Restored.
func (tm *Terminal) Wait() int {
	tm.t.Helper()
	select {
	case <-tm.exited:
	case <-time.After(patience):
		tm.t.Fatalf("the program does not end; the screen is\n%s", tm.Screen())
	}
	return tm.cmd.ProcessState.ExitCode()
}

// PID returns the program's process ID.
func (tm *Terminal) PID() int { return tm.cmd.Process.Pid }

// Ended waits up to d for the program to end, and reports whether it has.
func (tm *Terminal) Ended(d time.Duration) bool {
	select {
	case <-tm.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// Restored fails unless an ended program has left the terminal as it was: line
// discipline, screen, cursor, mouse, paste, keyboard protocol and style.
func (tm *Terminal) Restored() {
	tm.t.Helper()
	after := tm.discipline()
	tm.closeSlave()
	<-tm.silent
	tm.asBefore(after)
}

// Released fails unless a suspended program has left the terminal as it was.
func (tm *Terminal) Released() {
	tm.t.Helper()
	tm.asBefore(tm.discipline())
}

func (tm *Terminal) asBefore(after xterm.State) {
	tm.t.Helper()
	if after != tm.before {
		tm.t.Errorf("the line discipline is %+v, it was %+v", after, tm.before)
	}
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if tm.em.IsAltScreen() {
		tm.t.Error("the alternate screen was not left")
	}
	if !maps.Equal(tm.modes, usual) {
		tm.t.Errorf("the modes that are set are %v, they were %v", tm.modes, usual)
	}
	if err := undone(tm.raw.Bytes()); err != nil {
		tm.t.Error(err)
	}
}

// usual lists the modes that are set in a new terminal.
var usual = map[ansi.Mode]bool{ansi.ModeTextCursorEnable: true, ansi.ModeAutoWrap: true}

// pairs are sequences that the emulator does not track: the last occurrence of the first
// must be followed by one of the second.
var pairs = []struct{ what, do, undo string }{
	{"modifyOtherKeys", ansi.SetModifyOtherKeys2, ansi.ResetModifyOtherKeys},
	{"the kitty keyboard", ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes), ansi.PopKittyKeyboard(1)},
	{"the window's title", ansi.SetWindowTitle("rdmatui"), ansi.SetWindowTitle("")},
}

// undone reports each of pairs whose first sequence comes after the last second one in a program's output.
func undone(raw []byte) error {
	var errs []error
	for _, p := range pairs {
		if do := bytes.LastIndex(raw, []byte(p.do)); do > bytes.LastIndex(raw, []byte(p.undo)) {
			errs = append(errs, fmt.Errorf("%s was changed by %q and not put back", p.what, p.do))
		}
	}
	return errors.Join(errs...)
}

// discipline reads the settings of the line. It does not use Fd, which would
// make reading block.
func (tm *Terminal) discipline() (now xterm.State) {
	tm.t.Helper()
	conn, err := tm.master.SyscallConn()
	if err != nil {
		tm.t.Fatal(err)
	}
	var state *xterm.State
	if cerr := conn.Control(func(fd uintptr) { state, err = xterm.GetState(fd) }); cerr != nil || err != nil {
		tm.t.Fatal(cerr, err)
	}
	return *state
}
