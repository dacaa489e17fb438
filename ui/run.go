package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/command/syntax"
	"rdmatui/session/conversation"
	"rdmatui/session/script"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup"
	"rdmatui/ui/screen/completions"
	"rdmatui/ui/screen/connections"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/home"
	"rdmatui/ui/screen/journal"
	"rdmatui/ui/screen/measure"
	"rdmatui/ui/screen/post"
	"rdmatui/ui/screen/scenarios"
	"rdmatui/ui/screen/wire"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// Screen is the program in a terminal.
type Screen struct{ guard guard }

// Crashed handles panics of goroutines started outside the screen. If no screen is
// open, the panic ends the process.
func (sc *Screen) Crashed(reason any, stack []byte) { sc.guard.caught(reason, stack) }

// Restore restores the terminal while the screen is open; it may be called from any
// goroutine. It is for a process that must end although the screen does not respond.
func (sc *Screen) Restore() { sc.guard.restore() }

// Run opens the screen on a new session, and returns when the user leaves or ctx
// ends. In every case the session's objects are destroyed, its lines are kept and the
// terminal is restored. If device is set, it is opened at the start. If there are captures,
// the Wire screen shows them instead of the session's packets. With resume, the lines of
// the session that ended last are offered.
func (sc *Screen) Run(ctx context.Context, providers []verbs.Provider, device string,
	captures []conversation.Source, resume bool) (err error) {
	if err := cmp.Or(checkKind(os.Getenv), checkSize(os.Stdout)); err != nil {
		return err
	}
	folders := store.FoldersFrom(os.Getenv)
	var last *store.Session
	if resume {
		if last, err = lastSession(folders); err != nil {
			return err
		}
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	g := &sc.guard
	g.open(end, saveTerminal(os.Stdin, os.Stdout))
	defer g.shut()
	asker := &script.Asker{}
	s := session.New(session.Options{
		Providers: providers, Live: true, RefuseWhileWaiting: true, Input: asker.Input, Crashed: g.caught,
	})
	kept, problems := store.Open(folders, store.NewSettings(theme.Names))
	defer func() {
		closed := closing(g, s)
		within(g, func() { keepSession(kept, s) })
		err = errors.Join(g.tell(os.Stderr), err, closed)
	}()
	if device != "" {
		if _, err := s.Exec(ctx, "open_device device="+syntax.Quote(device)); err != nil {
			return err
		}
	}
	inv := devices.New(providers, devices.Host())
	inv.Crashed = g.caught
	defer inv.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()                              // runs first: the watchers stop using the inventory
	defer within(g, func() { _ = kept.Save() }) // the user was told at the first failed save
	env := &screen.Env{Ctx: ctx, Theme: theme.Chosen(os.Getenv, kept.Choice("theme"), kept.Choice("glyphs")),
		Store: kept, Session: s, Inventory: inv,
		Diagnose: func(ctx context.Context) []devices.Finding { return inv.Diagnose(ctx, "") },
		Asks:     asker, Crashed: g.caught}
	if len(captures) > 0 {
		defer readCaptures(env, captures)()
	}
	tours := tour.NewBook(kept)
	screens := map[screen.ID]screen.Screen{
		screen.Home:        home.New(env, tours),
		screen.Devices:     devscreen.New(env),
		screen.BringUp:     bringup.New(env),
		screen.Post:        post.New(env),
		screen.Completions: completions.New(env),
		screen.Connections: connections.New(env),
		screen.Wire:        wire.New(env),
		screen.Scenarios:   scenarios.New(env),
		screen.Journal:     journal.New(env),
		screen.Measure:     measure.New(env),
	}
	if env.Trace != nil { // the others show a session
		screens = map[screen.ID]screen.Screen{screen.Wire: screens[screen.Wire]}
	}
	app := NewApp(env, screens)
	app.getenv, app.tours.book = os.Getenv, tours
	app.warn(problems)
	app.setRecorder()
	if last != nil {
		layLast(app, last)
	}
	in, err := keyboard()
	if err != nil {
		return leaving(ctx, err)
	}
	program := tea.NewProgram(guarded{app, g}, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(drawRate),
		tea.WithFilter(boundSize), tea.WithInput(in))
	app.clock.pace.program = program
	_, err = program.Run()
	return leaving(ctx, err)
}

// traceGC is the room for garbage in percent of the heap. A trace is most of the heap and
// none of it is garbage, so the usual 100 would double what a large capture takes.
const traceGC = 40

// readCaptures begins to read captures, and returns what ends it.
func readCaptures(env *screen.Env, captures []conversation.Source) (end func()) {
	env.Trace = conversation.NewTrace(int(memory.OfProcess().Limit() / 2))
	debug.SetGCPercent(traceGC)
	done := make(chan struct{})
	go func() {
		defer env.Crashed.Catch()
		defer close(done)
		env.Trace.Read(captures)
	}()
	return func() {
		env.Trace.Stop()
		<-done
	}
}

// closeTime is how long the session may take to close after a panic, which may have
// left a lock held. The end of the process releases the rest.
const closeTime = 2 * time.Second

func closing(g *guard, s *session.Session) error {
	closed := make(chan error, 1)
	go func() {
		defer g.catch()
		closed <- s.Close()
	}()
	select {
	case err := <-closed:
		return err
	case <-g.fallen:
	}
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTime):
		return errors.New("the session could not be closed")
	}
}

// saveTime is how long writing the files may take when the screen closes: an
// unresponsive file system must not block leaving.
const saveTime = 2 * time.Second

// within writes files, and returns after that time even if they are not written yet.
func within(g *guard, write func()) {
	saved := make(chan struct{})
	go func() {
		defer g.catch()
		defer close(saved)
		write()
	}()
	select {
	case <-saved:
	case <-time.After(saveTime):
	}
}

// leaving returns the error to report for that of the event loop: nil if the program
// was told to end.
func leaving(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("the screen failed and was closed: %w", err)
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil
	}
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == ownTerminal {
		return errors.New(
			"the screen needs a terminal, and there is none here; 'rdmatui --help' lists the commands that need none")
	}
	return fmt.Errorf("the screen cannot be opened: %w", err)
}
