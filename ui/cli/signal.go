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

// bySignal added to a signal's number is the exit status of a program that the
// signal has ended, as shells report it.
const bySignal = 128

// leaveSignals ask the program to leave: it destroys what it has made first.
var leaveSignals = map[os.Signal]string{
	syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT", syscall.SIGABRT: "SIGABRT",
}

// dumps are the signals that also ask where the program is, as in any Go program.
var dumps = map[os.Signal]bool{syscall.SIGQUIT: true, syscall.SIGABRT: true}

// maxDump bounds the goroutine stacks of a dump, in bytes.
const maxDump = 1 << 20

// sameRequest is how long signals after the first are part of the same request
// to leave: timeout(1) signals its child and then the child's process group.
const sameRequest = time.Second

// signaled is the cause of a context that a signal has ended.
type signaled struct {
	syscall.Signal
	stacks []byte // of all goroutines when it came; nil for a signal that asks for none
}

func (s signaled) Error() string { return "stopped by " + leaveSignals[s.Signal] }

// Is makes it a cancellation like any other.
func (s signaled) Is(target error) bool { return target == context.Canceled }

// status is the exit status of a program that the signal has ended.
func (s signaled) status() int { return bySignal + int(s.Signal) }

func newSignaled(s os.Signal) signaled {
	sig := signaled{Signal: s.(syscall.Signal)}
	if dumps[s] {
		sig.stacks = make([]byte, maxDump)
		sig.stacks = sig.stacks[:runtime.Stack(sig.stacks, true)]
	}
	return sig
}

// UntilSignal returns a context that ends with the first SIGINT, SIGTERM, SIGHUP,
// SIGQUIT or SIGABRT. Where leaving takes longer than sameRequest, one more signal
// ends the process: exit is called with that signal's status, and with the stacks
// of all goroutines for SIGQUIT and SIGABRT. It must not return.
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

// signalOf returns the signal that has ended ctx.
func signalOf(ctx context.Context) (s signaled, ok bool) {
	ok = errors.As(context.Cause(ctx), &s)
	return s, ok
}

// why puts the signal in the place of the cancellation that it has caused.
func why(ctx context.Context, err error) string {
	if s, ok := signalOf(ctx); ok && errors.Is(err, context.Canceled) {
		return strings.ReplaceAll(err.Error(), context.Canceled.Error(), s.Error())
	}
	return err.Error()
}
