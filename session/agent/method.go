package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
)

// Names of the methods.
const (
	methodFacts   = "facts"
	methodPath    = "path"
	methodRun     = "run"
	methodField   = "field"
	methodListen  = "udp_listen"
	methodSend    = "udp_send"
	methodArrived = "udp_arrived"
)

// methods are what an agent answers. A method is called with the parameters of a request.
var methods map[string]func(*server, context.Context, json.RawMessage) (any, error)

func init() { // the table names functions that lead back to it
	methods = map[string]func(*server, context.Context, json.RawMessage) (any, error){
		methodFacts: with((*server).facts), methodPath: with((*server).path), methodRun: with((*server).run),
		methodField: with((*server).field), methodListen: with((*server).udpListen),
		methodSend:    with((*server).udpSend),
		methodArrived: with((*server).udpArrived),
	}
}

// with decodes the parameters for a method.
func with[P, R any](call func(*server, context.Context, P) (R, error)) func(*server, context.Context,
	json.RawMessage) (any, error) {
	return func(v *server, ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, &Error{codeParams, "wrong parameters: " + err.Error()}
			}
		}
		return call(v, ctx, p)
	}
}

// noParams are those of a method without any.
type noParams struct{}

// lineParams are those of run.
type lineParams struct {
	Line string `json:"line"`
}

// run carries out a line of the session's language. The result is the events since the last line, as 'rdmatui run
// --json' prints them; the last one is the command, with an error if it failed.
func (v *server) run(ctx context.Context, p lineParams) ([]timeline.Event, error) {
	cmd, err := command.Parse(p.Line)
	switch {
	case err != nil:
		return nil, err
	case cmd.Spec == nil:
		return nil, fmt.Errorf("the line is empty")
	case !isAllowed(cmd.Spec):
		return nil, fmt.Errorf("an agent does not run %s", cmd.Spec.Name)
	}
	s := v.start()
	_, _ = s.Run(ctx, cmd) // the command's event has the error
	events, _ := v.log.Since(v.told, nil)
	v.told = v.log.Last()
	return events, nil
}

// fieldParams are those of field.
type fieldParams struct {
	Object string `json:"object"`
	Field  string `json:"field"`
}

// field returns the text of an object's field, such as qp_num of a queue pair.
func (v *server) field(_ context.Context, p fieldParams) (string, error) {
	return v.start().LookUp(p.Object, p.Field)
}
