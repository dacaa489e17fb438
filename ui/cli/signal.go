package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// bySignal plus a signal's number is the exit status of a program that the signal
// ended, as shells report it.
const bySignal = 128

// leaveSignals ask the program to exit; it destroys everything it created first.
var leaveSignals = map[os.Signal]string{
	syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP",
	syscall.SIGQUIT: "SIGQUIT", syscall.SIGABRT: "SIGABRT",
}

// dumps are the signals that also ask for the stacks of all goroutines, as in any Go program.
var dumps = map[os.Signal]bool{syscall.SIGQUIT: true, syscall.SIGABRT: true}

// maxDump bounds the goroutine stacks of a dump, in bytes.
const maxDump = 1 << 20

// sameRequest is how long further signals count as the same request to exit:
// timeout(1) signals its child and then the child's process group.
const sameRequest = time.Second

// signaled is the cause of a context that a signal ended.
type signaled struct {
	syscall.Signal
	stacks []byte // of all goroutines when the signal came; nil for signals that do not ask for them
}

// Error names the signal.
func (s signaled) Error() string { return "stopped by " + leaveSignals[s.Signal] }

// Is reports a match with context.Canceled, so that a signal counts as a cancellation.
func (s signaled) Is(target error) bool { return target == context.Canceled }

// status is the exit status of a program that the signal ended.
func (s signaled) status() int { return bySignal + int(s.Signal) }

func newSignaled(s os.Signal) signaled {
	sig := signaled{Signal: s.(syscall.Signal)}
	if dumps[s] {
		sig.stacks = make([]byte, maxDump)
		sig.stacks = sig.stacks[:runtime.Stack(sig.stacks, true)]
	}
	return sig
}

// UntilSignal returns a context that the first SIGINT, SIGTERM, SIGHUP, SIGQUIT or
// SIGABRT ends. If the program still runs sameRequest later, the next signal ends the
// process: UntilSignal calls exit with that signal's exit status and, for SIGQUIT and
// SIGABRT, the stacks of all goroutines. exit must not return.
func UntilSignal(exit func(status int, stacks []byte)) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 1)
	for s := range leaveSignals {
		if !signal.Ignored(s) { // as nohup does
			signal.Notify(came, s)
		}
	}
	done := make(chan struct{})
	go func() {
		defer signal.Stop(came)
		var first time.Time
		for {
			select {
			case s := <-came:
				switch sig := newSignaled(s); {
				case first.IsZero():
					first = time.Now()
					cancel(sig)
				case time.Since(first) >= sameRequest:
					exit(sig.status(), sig.stacks)
					return
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { cancel(nil); close(done) }
}

// signalOf returns the signal that ended ctx.
func signalOf(ctx context.Context) (s signaled, ok bool) {
	ok = errors.As(context.Cause(ctx), &s)
	return s, ok
}

// why returns the text of err, with the signal in place of the cancellation that it
// caused.
func why(ctx context.Context, err error) string {
	if s, ok := signalOf(ctx); ok && errors.Is(err, context.Canceled) {
		return strings.ReplaceAll(err.Error(), context.Canceled.Error(), s.Error())
	}
	return err.Error()
}
