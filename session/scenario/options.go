package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Option is a parameter of a scenario as a person types it, under the name
// that it has on the command line.
type Option struct {
	Name, Doc string
	Choices   []string // all there are; nil: any text
	Bool      bool     // "0" or "1"
	Chosen    bool     // "" has it chosen, and is no default that is written out

	get  func(*Params) string
	set  func(*Params, string) error
	vary func(*Params) // to another value, to see whether the script knows it
}

// Get is the value as text; "" where it is left to be chosen.
func (o *Option) Get(p *Params) string { return o.get(p) }

// Set reads a value.
func (o *Option) Set(p *Params, text string) error {
	if err := o.set(p, strings.TrimSpace(text)); err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	return nil
}

// Options are all parameters but the role and the address.
var Options = []Option{
	intOption("iters", "iterations", func(p *Params) *int { return &p.Count }),
	intOption("size", "message size in bytes", func(p *Params) *int { return &p.Size }),
	{Name: "mtu", Doc: "path MTU in bytes", Choices: []string{"256", "512", "1024", "2048", "4096"},
		get:  func(p *Params) string { return p.MTU.String() },
		set:  func(p *Params, text string) (err error) { p.MTU, err = verbs.ParseMTU(text); return err },
		vary: func(p *Params) { p.MTU ^= 1 }},
	{Name: "port", Doc: "the server's port",
		get: func(p *Params) string { return fmt.Sprint(p.Port) },
		set: func(p *Params, text string) error {
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil || n == 0 {
				return fmt.Errorf("%q is not a port: 1 to 65535", text)
			}
			p.Port = uint16(n)
			return nil
		},
		vary: func(p *Params) { p.Port++ }},
	{Name: "bind", Doc: "local IP address, or any", Chosen: true,
		get:  func(p *Params) string { return p.Bind },
		set:  func(p *Params, text string) error { p.Bind = text; return nil },
		vary: func(p *Params) { p.Bind += "0" }},
	intOption("num-qp", "queue pairs, the same number at both ends", func(p *Params) *int { return &p.QPs }),
	{Name: "op", Doc: "the same at both ends", Choices: []string{"write", "read"},
		get:  func(p *Params) string { return p.Op },
		set:  func(p *Params, text string) error { p.Op = text; return nil },
		vary: func(p *Params) { p.Op = other(p.Op, "write", "read") }},
	intOption("connections", "connections at the same time", func(p *Params) *int { return &p.Connections }),
	{Name: "ps", Doc: "port space, the same at both ends", Choices: []string{"TCP", "IB"},
		get:  func(p *Params) string { return p.PS },
		set:  func(p *Params, text string) error { p.PS = strings.ToUpper(text); return nil },
		vary: func(p *Params) { p.PS = other(p.PS, "TCP", "IB") }},
	{Name: "message", Doc: "messages, separated by |; left out: typed", Chosen: true,
		get: func(p *Params) string { return strings.Join(p.Messages, "|") },
		set: func(p *Params, text string) error {
			if p.Messages = nil; text != "" {
				p.Messages = strings.Split(text, "|")
			}
			return nil
		},
		vary: func(p *Params) { p.Messages = append([]string{"?"}, p.Messages...) }},
	{Name: "numbers", Doc: "format of the numbers in private data", Choices: []string{"be64", "be32"},
		get:  func(p *Params) string { return p.Numbers },
		set:  func(p *Params, text string) error { p.Numbers = text; return nil },
		vary: func(p *Params) { p.Numbers = other(p.Numbers, "be64", "be32") }},
	{Name: "cm", Doc: "event mode of the connection manager", Choices: []string{"event", "poll", "sync"},
		get:  func(p *Params) string { return p.CM },
		set:  func(p *Params, text string) error { p.CM = text; return nil },
		vary: func(p *Params) { p.CM = other(p.CM, "event", "poll") }},
	boolOption("persistent", "serve one client after another", func(p *Params) *bool { return &p.Persistent }),
	boolOption("events", "sleep until completions come", func(p *Params) *bool { return &p.Events }),
	boolOption("nonblock", "with events: poll for them without sleeping", func(p *Params) *bool { return &p.Nonblock }),
	boolOption("chk", "check the bytes of every message", func(p *Params) *bool { return &p.Validate }),
	intOption("rx-depth", "number of RECVs to keep posted", func(p *Params) *int { return &p.RXDepth }),
	{Name: "gid-index", Doc: "row of the GID table; left out: chosen automatically", Chosen: true,
		get: func(p *Params) string {
			if p.GIDIndex < 0 {
				return ""
			}
			return strconv.Itoa(p.GIDIndex)
		},
		set: func(p *Params, text string) error {
			if p.GIDIndex = -1; text == "" {
				return nil
			}
			n, err := strconv.ParseUint(text, 10, 8)
			if err != nil {
				return fmt.Errorf("%q is not a row of a GID table: 0 to 255", text)
			}
			p.GIDIndex = int(n)
			return nil
		},
		vary: func(p *Params) { p.GIDIndex += 2 }},
	{Name: "ib-port", Doc: "port of the device; left out: the first that is ACTIVE", Chosen: true,
		get: func(p *Params) string {
			if p.DevicePort == 0 {
				return ""
			}
			return fmt.Sprint(p.DevicePort)
		},
		set: func(p *Params, text string) error {
			if p.DevicePort = 0; text == "" {
				return nil
			}
			n, err := strconv.ParseUint(text, 10, 8)
			if err != nil || n == 0 {
				return fmt.Errorf("%q is not a port of a device: 1 to 255", text)
			}
			p.DevicePort = uint8(n)
			return nil
		},
		vary: func(p *Params) { p.DevicePort++ }},
	spanOption("wait", "how long to wait for the peer", func(p *Params) *time.Duration { return &p.Wait }),
	spanOption("idle", "how long a client may be silent", func(p *Params) *time.Duration { return &p.Idle }),
}

// OptionNamed returns the option of that name, nil if there is none.
func OptionNamed(name string) *Option {
	for i := range Options {
		if Options[i].Name == name {
			return &Options[i]
		}
	}
	return nil
}

// Options are those that make a difference to this end of the scenario.
func (p Params) Options() (options []*Option) {
	_, source, err := p.source()
	if err != nil {
		return nil
	}
	script, err := p.execute(source)
	if err != nil {
		return nil
	}
	for i := range Options {
		o, q := &Options[i], p
		if o.vary(&q); o.Name == "nonblock" {
			q.Events = p.Events
		}
		if changed, err := q.execute(source); err != nil || changed != script {
			options = append(options, o)
		}
	}
	return options
}

func other(now, one, two string) string {
	if now == one {
		return two
	}
	return one
}

// shortSpan writes 1h0m0s as 1h.
func shortSpan(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func intOption(name, doc string, of func(*Params) *int) Option {
	return Option{Name: name, Doc: doc,
		get: func(p *Params) string { return strconv.Itoa(*of(p)) },
		set: func(p *Params, text string) error {
			n, err := strconv.ParseUint(text, 10, 31)
			if err != nil || n == 0 {
				return fmt.Errorf("%q is not a number of at least 1", text)
			}
			*of(p) = int(n)
			return nil
		},
		vary: func(p *Params) { *of(p)++ }}
}

func spanOption(name, doc string, of func(*Params) *time.Duration) Option {
	return Option{Name: name, Doc: doc,
		get: func(p *Params) string { return shortSpan(*of(p)) },
		set: func(p *Params, text string) error {
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return fmt.Errorf("%q is not a time such as 10s, 5m or 1h", text)
			}
			*of(p) = d
			return nil
		},
		vary: func(p *Params) { *of(p) += time.Second }}
}

func boolOption(name, doc string, of func(*Params) *bool) Option {
	return Option{Name: name, Doc: doc, Bool: true,
		get:  func(p *Params) string { return ccall.Bool(*of(p)) },
		set:  func(p *Params, text string) error { *of(p) = text == "1"; return nil },
		vary: func(p *Params) { *of(p) = !*of(p) }}
}

// offered is a hint with the scenario's option in place of the line's argument.
func (p Params) offered(hint string, err error) string {
	var e *core.OptionError
	if !errors.As(err, &e) || !slices.ContainsFunc(p.Options(), func(o *Option) bool { return o.Name == e.Option }) {
		return hint
	}
	return strings.TrimSuffix(hint, e.Advice()) + "; --" + e.Option + " takes " + e.Takes
}
