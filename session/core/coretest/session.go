// Package coretest makes sessions for the tests of packages that need a session and none of its commands.
package coretest

import (
	"context"

	"rdmatui/session/command"
	"rdmatui/session/core"
)

// unrecorded is a recorder that keeps nothing.
type unrecorded struct{}

// Begin implements core.Recorder.
func (unrecorded) Begin(context.Context, command.Command) {}

// Parsed implements core.Recorder.
func (unrecorded) Parsed(command.Command) {}

// End implements core.Recorder.
func (unrecorded) End(*core.Call) {}

// New returns a session in which carryOut carries out each line; nil: no line can be. It records nothing, and need not
// be closed.
func New(opts core.Options, carryOut core.Handler) *core.Session {
	wiring := core.Wiring{
		Commands: core.Handlers{},
		Hint:     func(*core.Call, error) string { return "" },
		Record:   func(*core.Session) core.Recorder { return unrecorded{} },
		Flush:    func(*core.Session) {},
		Close:    func(*core.Session) error { return nil },
	}
	for _, spec := range command.Commands {
		wiring.Commands[spec] = carryOut
	}
	return core.New(opts, wiring)
}
