package measure

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/command"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// ends says which ends of a test run in this program.
type ends uint8

const (
	bothEnds ends = iota
	asClient
	asServer
)

var endNames = [...]string{"both", "client", "server"}

// settings are what the form holds.
type settings struct {
	p    bench.Params
	ends ends
}

// Defaults of the screen. Bandwidth is measured long enough to watch it; latency by a
// number of messages, since only these have samples.
const (
	usualDuration = 10 * time.Second
	usualMessages = 100_000
)

func newSettings() settings {
	return settings{p: defaults(bench.Test{Verb: bench.Write})}
}

// defaults returns the parameters of a test as the screen proposes them.
func defaults(t bench.Test) bench.Params {
	p := bench.DefaultParams(t)
	if t.Latency {
		p.Iters = usualMessages
	} else {
		p.Duration = usualDuration
	}
	return p
}

// setTest changes the test, and keeps where it runs.
func (s *settings) setTest(t bench.Test) {
	was := s.p
	s.p = defaults(t)
	s.p.Device, s.p.Host, s.p.Port, s.p.CM, s.p.Gbits = was.Device, was.Host, was.Port, was.CM, was.Gbits
}

// params returns the parameters to run with. For both ends here and the connection manager
// they have the device's address.
func (s *settings) params(devices []device, usual device) bench.Params {
	p := s.p
	if p.Device == "" && s.ends != asClient {
		p.Device = usual.name
	}
	switch s.ends {
	case bothEnds:
		p.Host = ""
		if i := slices.IndexFunc(devices, func(d device) bool { return d.name == p.Device }); p.CM && i >= 0 {
			p.Host = devices[i].address
		}
	case asServer:
		p.Host = ""
	}
	return p
}

// Names of the form's fields. Most are perftest's flags.
const (
	fieldTest, fieldEnds, fieldAddress, fieldDevice = "test", "ends", "address", "device"
	fieldDuration, fieldIters                       = "duration", "iters"
)

// option is a parameter of the form that is a number or a switch.
type option struct {
	name, note string
	short      string                  // the note where little room is
	fits       func(t bench.Test) bool // nil: all tests
	number     func(p *bench.Params) *int
	on         func(p *bench.Params) *bool
}

func bandwidth(t bench.Test) bool { return !t.Latency }
func sized(t bench.Test) bool     { return t.Verb != bench.Atomic }

// options are the parameters below size and duration.
var options = []option{
	{"all", "all sizes, 2 B to 8 MiB", "2 B to 8 MiB", sized, nil,
		func(p *bench.Params) *bool { return &p.All }},
	{"tx-depth", "requests outstanding", "outstanding", bandwidth,
		func(p *bench.Params) *int { return &p.TXDepth }, nil},
	{"qp", "queue pairs", "", bandwidth, func(p *bench.Params) *int { return &p.QPs }, nil},
	{"post_list", "requests in one call", "requests a call", bandwidth,
		func(p *bench.Params) *int { return &p.PostList }, nil},
	{"cq-mod", "one completion for so many; 0: usual", "sends a completion", nil,
		func(p *bench.Params) *int { return &p.CQMod }, nil},
	{"inline_size", "inline up to so many bytes; -1: usual", "bytes; -1: usual", nil,
		func(p *bench.Params) *int { return &p.Inline }, nil},
	{"events", "sleep until completion events", "1: no polling", nil, nil,
		func(p *bench.Params) *bool { return &p.Events }},
	{"bidirectional", "send in both directions", "both directions", bandwidth, nil,
		func(p *bench.Params) *bool { return &p.Bidirectional }},
	{"rdma_cm", "connect through rdma_cm", "-R", nil, nil,
		func(p *bench.Params) *bool { return &p.CM }},
	{"report_gbits", "Gbit/s instead of MiB/s", "Gbit/s", bandwidth, nil,
		func(p *bench.Params) *bool { return &p.Gbits }},
}

// changes lists what differs between two settings of one test, in the words of the form.
func changes(was, is *bench.Params) (out []string) {
	note := func(name string, was, is any) {
		if was != is {
			out = append(out, fmt.Sprintf("%s %v", name, is))
		}
	}
	note("size", was.Size, is.Size)
	note(fieldDuration, was.Duration, is.Duration)
	if is.Duration == 0 {
		note(fieldIters, was.Iters, is.Iters)
	}
	note("connection", was.Connection, is.Connection)
	for i := range options {
		if o := &options[i]; o.on != nil {
			note(o.name, *o.on(was), *o.on(is))
		} else {
			note(o.name, *o.number(was), *o.number(is))
		}
	}
	return out
}

// scale doubles a number of the form, or halves it; false: the field is not a number.
func (s *settings) scale(name string, twice bool) (value string, ok bool) {
	n, least := uint64(0), uint64(1)
	switch name {
	case "size":
		n = s.p.Size
	case fieldDuration:
		n = uint64(s.p.Duration / time.Second)
	case fieldIters:
		n = s.p.Iters
	default:
		i := slices.IndexFunc(options, func(o option) bool { return o.name == name && o.number != nil })
		if i < 0 {
			return "", false
		}
		usual := defaults(s.p.Test)
		n, least = uint64(max(*options[i].number(&s.p), 0)), uint64(min(max(*options[i].number(&usual), 0), 1))
	}
	if twice {
		return strconv.FormatUint(max(n*2, 1), 10), true
	}
	return strconv.FormatUint(max(n/2, least), 10), true
}

// fields returns the form. What is seldom used shows while all is true, or if it has another value than usual.
func (s *settings) fields(devices []device, usual device, all bool) []widget.Field {
	t, standard, more := s.p.Test, defaults(s.p.Test), widget.Fold{All: all}
	test := widget.Field{Name: fieldTest, Value: t.String(), Kind: widget.ChoiceField, Note: t.Stock()}
	for _, o := range bench.Tests {
		test.Choices = append(test.Choices, widget.Option{Value: o.String(), Help: o.Stock()})
	}
	where := widget.Field{Name: fieldEnds, Value: endNames[s.ends], Kind: widget.ChoiceField, Choices: []widget.Option{
		{Value: endNames[bothEnds], Help: "both ends in this program"}, {Value: endNames[asClient],
			Help: "connects to a server"}, {Value: endNames[asServer], Help: "waits for a client"}}}
	where.Note = where.Choices[s.ends].Help
	out := []widget.Field{test, where}
	if s.ends == asClient {
		out = append(out, widget.Field{Name: fieldAddress, Value: s.p.Host, Mark: widget.Required,
			Note: "of the server"})
	}
	dev := widget.Field{Name: fieldDevice, Value: s.p.Device, Kind: widget.ChoiceField, Note: "unset: " + usual.name}
	if s.ends == asClient {
		dev.Note = "unset: by the address"
	}
	for _, d := range devices {
		dev.Choices = append(dev.Choices, widget.Option{Value: d.name, Help: d.address})
	}
	out = append(out, dev)
	if port := strconv.Itoa(int(s.p.Port)); s.p.CM {
		out = append(out, widget.Field{Name: "port", Value: port, Note: "of rdma_cm"})
	} else if s.ends != bothEnds {
		out = append(out, widget.Field{Name: "port", Value: port, Note: "TCP, for the exchange"})
	}
	size := widget.Field{Name: "size", Value: strconv.FormatUint(s.p.Size, 10), Note: "bytes a message",
		Shorter: []string{"bytes"}}
	if !sized(t) || s.p.All {
		size.Kind = widget.StaticField
	}
	out = append(out, size,
		widget.Field{Name: fieldDuration, Value: unlessZero(int(s.p.Duration / time.Second)),
			Note: "seconds; unset: by iters", Shorter: []string{"seconds"}})
	iters := widget.Field{Name: fieldIters, Value: strconv.FormatUint(s.p.Iters, 10),
		Note: "messages on each queue pair", Shorter: []string{"messages a QP"}}
	if s.p.Duration > 0 {
		iters.Value, iters.Note = "", "not with a duration"
	}
	out = more.Add(out, iters, "")
	out = more.Add(out, widget.Field{Name: "connection", Value: s.p.Connection.String(), Kind: widget.ChoiceField,
		Choices: services(t), Note: "transport service"}, standard.Connection.String())
	for _, o := range options {
		if o.fits == nil || o.fits(t) {
			out = more.Add(out, o.field(&s.p), o.field(&standard).Value)
		}
	}
	out = more.Rest(out)
	for i := range out {
		if out[i].Shorter == nil {
			out[i].Shorter = []string{} // no note instead of half of one
		}
	}
	return out
}

// services lists the transport services that a test can have.
func services(t bench.Test) (out []widget.Option) {
	for _, c := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		p := bench.DefaultParams(t)
		if p.Connection = c; p.Check() == nil {
			out = append(out, widget.Option{Value: c.String()})
		}
	}
	return out
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (o *option) field(p *bench.Params) widget.Field {
	if o.on != nil {
		value := "0"
		if *o.on(p) {
			value = "1"
		}
		return widget.Field{Name: o.name, Value: value, Note: o.note, Shorter: []string{o.short},
			Kind: widget.BoolField}
	}
	return widget.Field{Name: o.name, Value: strconv.Itoa(*o.number(p)), Note: o.note, Shorter: []string{o.short}}
}

// set takes a value of the form; "" is the default.
func (s *settings) set(name, value string) error {
	usual := defaults(s.p.Test)
	switch name {
	case fieldTest:
		t, err := bench.Named(value)
		if err == nil {
			s.setTest(t)
		}
		return err
	case fieldEnds:
		for i, n := range endNames {
			if n == value {
				s.ends = ends(i)
				return nil
			}
		}
		return fmt.Errorf("ends: %q is not both, client or server", value)
	case fieldAddress:
		s.p.Host = value
	case fieldDevice:
		s.p.Device = value
	case "port":
		return number(name, value, uint64(usual.Port), 65535, func(n uint64) { s.p.Port = uint16(n) })
	case "size":
		value, _ = command.InBytes(value)
		return number(name, value, usual.Size, 1<<31, func(n uint64) { s.p.Size = n })
	case fieldDuration:
		return number(name, value, 0, 86_400, func(n uint64) {
			if s.p.Duration = time.Duration(n) * time.Second; n > 0 {
				s.p.All = false
			}
		})
	case fieldIters:
		return number(name, value, usual.Iters, 100_000_000, func(n uint64) { s.p.Iters, s.p.Duration = n, 0 })
	case "connection":
		for _, c := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
			if c.String() == value || value == "" && c == verbs.RC {
				s.p.Connection = c
				return nil
			}
		}
		return fmt.Errorf("connection: %q is not RC, UC or UD", value)
	}
	for i := range options {
		if o := &options[i]; o.name == name {
			return s.setOption(o, value, &usual)
		}
	}
	return nil
}

func (s *settings) setOption(o *option, value string, usual *bench.Params) error {
	if o.on != nil {
		*o.on(&s.p) = value == "1"
		if o.name == "all" && s.p.All {
			s.p.Duration = 0
			s.p.Iters = min(s.p.Iters, bench.DefaultParams(s.p.Test).Iters)
		}
		return nil
	}
	if value == "" {
		*o.number(&s.p) = *o.number(usual)
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%s: %q is not a number", o.name, value)
	}
	*o.number(&s.p) = int(n)
	return nil
}

// number parses a value, "" as the default.
func number(name, value string, usual, most uint64, set func(uint64)) error {
	if value == "" {
		set(usual)
		return nil
	}
	n, err := strconv.ParseUint(value, 0, 64)
	if err != nil || n > most {
		return fmt.Errorf("%s: %q is not a number up to %d", name, value, most)
	}
	set(n)
	return nil
}
