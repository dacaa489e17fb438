package command

import (
	"math/bits"
	"slices"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The constructors below make the table's rows short.

const leftOut = "; may be left out if only one fits"

func newName(kind ObjectKind) Arg {
	return Arg{Name: "name", Type: NewName, Positional: true, Objects: []ObjectKind{kind},
		Doc: "its name; left out: the first free of " + NameStem(kind) + ", " + NameStem(kind) + "2, …"}
}

// NameStem is what an object of a kind is called whose name was left out; the
// second is called that with a 2.
func NameStem(kind ObjectKind) string {
	switch kind {
	case KindChannel:
		return "channel"
	case KindEvents:
		return "events"
	case KindID:
		return "id"
	case KindAddrInfo:
		return "res"
	}
	return string(kind)
}

// object is an existing object given by place.
func object(name, doc string, kinds ...ObjectKind) Arg {
	return Arg{Name: name, Type: Object, Positional: true, Objects: kinds, Doc: doc + leftOut}
}

// objectArg is an existing object given by name.
func objectArg(name, doc string, kinds ...ObjectKind) Arg {
	return Arg{Name: name, Type: Object, Objects: kinds, Doc: doc}
}

func uintArg(name string, bits int, def, unit, doc string) Arg {
	return Arg{Name: name, Type: Uint, Bits: bits, Default: def, Unit: unit, Doc: doc}
}

func durationArg(name, def, doc string) Arg {
	return Arg{Name: name, Type: Duration, Default: def, Doc: doc}
}

// limitArg is how long a command waits at most.
func limitArg(name, def, doc string) Arg {
	a := durationArg(name, def, doc)
	a.Limits = true
	return a
}

func boolArg(name, def, doc string) Arg {
	return Arg{Name: name, Type: Bool, Default: def, Doc: doc}
}

func enumArg[T verbs.Integer](name string, e verbs.Enum[T], def, doc string) Arg {
	return someOf(name, e, e.Values(), def, doc)
}

// someOf takes some of the values that an enum names.
func someOf[T verbs.Integer](name string, e verbs.Enum[T], values []T, def, doc string) Arg {
	a := Arg{Name: name, Type: Choice, Default: def, Doc: doc,
		cprefix: strings.TrimSuffix(e.CName(values[0]), e.Name(values[0]))}
	for _, v := range values {
		a.Choices, a.values = append(a.Choices, e.Name(v)), append(a.values, uint64(v))
	}
	return a
}

func flagsArg[T verbs.Integer](name string, f verbs.Flags[T], def, doc string) Arg {
	a := Arg{Name: name, Type: FlagSet, Choices: f.Names(), Default: def, Doc: doc,
		cprefix: strings.TrimSuffix(f.CName(1), f.Name(1)),
		cflags:  func(set uint64) string { return f.CName(T(set)) }}
	for _, c := range a.Choices {
		bit, _ := f.Parse(c) // the table's own name
		a.values = append(a.values, uint64(bit))
	}
	return a
}

// stateArg takes a queue pair's state: one that it can be in.
func stateArg(name, doc string) Arg {
	states := slices.DeleteFunc(verbs.QPStates.Values(), func(s verbs.QPState) bool { return s == verbs.QPUnknown })
	return someOf(name, verbs.QPStates, states, "", doc)
}

func (a Arg) required() Arg   { a.Required = true; return a }
func (a Arg) positional() Arg { a.Positional = true; return a }

// otherwise says what stands for an argument that is left out.
func (a Arg) otherwise(doc string) Arg { a.Doc += "; left out: " + doc; return a }

func (a Arg) withDefault(def string) Arg { a.Default = def; return a }

// offering names the choices that forms offer.
func (a Arg) offering(offers ...Offer) Arg { a.Offers = offers; return a }

// qpFieldArg describes a field of struct ibv_qp_attr as an argument.
func qpFieldArg(name string) Arg {
	f := fields.QPNamed(name)
	if f == nil {
		panic("command: fields.QP has no " + name) // a mistake in this table; a test sees it
	}
	a := Arg{Name: f.Name, Doc: explain.Short("qp_attr", f.Name)}
	switch {
	case slices.Equal(f.Names, []string{"0", "1"}):
		a.Type = Bool
	case f.Bit == verbs.AttrAccessFlags:
		return flagsArg(f.Name, verbs.AccessFlags, "", a.Doc).offering(
			Offer{"LOCAL_WRITE", "no effect on a queue pair"}, Offer{"REMOTE_WRITE", "the peer may RDMA WRITE"},
			Offer{"REMOTE_READ", "the peer may RDMA READ"}, Offer{"REMOTE_ATOMIC", "the peer may use atomics"})
	case f.Bit == verbs.AttrState || f.Bit == verbs.AttrCurState:
		return stateArg(f.Name, a.Doc)
	case f.Bit == verbs.AttrPathMTU:
		a.Type, a.Choices, a.cprefix, a.values = Choice, f.Names, "IBV_MTU_", []uint64{1, 2, 3, 4, 5}
	case f.Bit == verbs.AttrPathMigState:
		return enumArg(f.Name, verbs.MigStates, "", a.Doc)
	case f.Max > 0:
		a.Type, a.Bits = Uint, bits.Len64(f.Max)
	default:
		a.Type = GIDValue
	}
	return a
}

// qpFieldArgs describes all fields that modify_qp takes but qp_state, which it
// takes by place.
func qpFieldArgs() []Arg {
	var args []Arg
	for i := range fields.QP {
		if name := fields.QP[i].Name; name != "qp_state" {
			args = append(args, qpFieldArg(name))
		}
	}
	return args
}
