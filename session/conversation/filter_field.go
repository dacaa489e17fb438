package conversation

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/capture"
	"rdmatui/session/command/syntax"
	"rdmatui/verbs/wire"
)

// FilterWord is a name that an expression may use.
type FilterWord struct {
	Name  string
	Doc   string
	Field bool // it is compared with a value
}

// field is a word with its meaning; one of word, numbers, texts and addrs is set, or word and numbers.
type field struct {
	FilterWord
	word    Filter
	numbers func(s *Subject, is func(uint64) bool) bool // whether one of the packet's values passes
	texts   func(s *Subject) string
	addrs   func(s *Subject) []netip.Addr
}

// packetFields are the words and fields that are not header fields.
var packetFields = slices.Concat(markFields(), carriedFields(), []field{
	{FilterWord: FilterWord{"v1", "RoCE v1", false}, word: func(s *Subject) bool { return s.V1 }},
	numberField("n", "packet number in the capture", func(s *Subject) uint64 { return s.Seq }),
	numberField("len", "payload bytes; --json: payload_len", func(s *Subject) uint64 {
		return uint64(len(s.Wire.Payload))
	}),
	numberField("conversation", "conversation number", talkNumber),
	{FilterWord: FilterWord{"qp", "queue pair number of either end", true}, numbers: queuePairs},
	{FilterWord: FilterWord{"op", "opcode name", true}, texts: func(s *Subject) string {
		return s.Wire.BTH.Opcode.String()
	}},
	{FilterWord: FilterWord{"device", "capture interface; --json: interface", true}, texts: func(s *Subject) string {
		return s.Device
	}},
	{FilterWord: FilterWord{"outer", "encapsulations with their identifiers and outer addresses; --json: outer", true},
		texts: func(s *Subject) string { return s.Outer.String() }},
	{FilterWord: FilterWord{"outer_id", "identifier of an encapsulation: VNI, key, session, label, TEID or I-SID",
		true}, numbers: outerIDs},
	{FilterWord: FilterWord{"outer_ip", "outer source or destination address, or a prefix", true}, addrs: outerAddrs},
	{FilterWord: FilterWord{"ip", "source or destination address, or a prefix such as 10.0.0.0/8", true},
		addrs: func(s *Subject) []netip.Addr { return []netip.Addr{s.Src.Addr(), s.Dst.Addr()} }},
	{FilterWord: FilterWord{"src", "source address or prefix", true}, addrs: func(s *Subject) []netip.Addr {
		return []netip.Addr{s.Src.Addr()}
	}},
	{FilterWord: FilterWord{"dst", "destination address or prefix", true}, addrs: func(s *Subject) []netip.Addr {
		return []netip.Addr{s.Dst.Addr()}
	}},
})

func markFields() (all []field) {
	for _, m := range MarkTable() {
		f := field{FilterWord: FilterWord{m.Name, m.Doc, false}}
		f.word = func(s *Subject) bool { return s.Marks.Has(m.Bit) }
		// ecn
		if at := slices.IndexFunc(capture.Fields(), func(f capture.Field) bool { return f.Name == m.Name }); at >= 0 {
			f.numbers = numbersOf(&capture.Fields()[at])
		}
		all = append(all, f)
	}
	return all
}

// carriedFields are the fields of the headers that carry a packet; those that are a mark's name are with the marks.
func carriedFields() (all []field) {
	for i := range capture.Fields() {
		c := &capture.Fields()[i]
		switch f := (field{FilterWord: FilterWord{c.Name, c.Doc, true}}); {
		case slices.ContainsFunc(MarkTable(), func(m Mark) bool { return m.Name == c.Name }):
		case c.Of == nil:
			f.texts = func(s *Subject) string { return c.Text(s.Frame) }
			all = append(all, f)
		default:
			f.numbers = numbersOf(c)
			all = append(all, f)
		}
	}
	return all
}

func numbersOf(c *capture.Field) func(*Subject, func(uint64) bool) bool {
	return func(s *Subject, is func(uint64) bool) bool { return is(c.Of(s.Frame)) }
}

func numberField(name, doc string, of func(*Subject) uint64) field {
	numbers := func(s *Subject, is func(uint64) bool) bool { return is(of(s)) }
	return field{FilterWord: FilterWord{name, doc, true}, numbers: numbers}
}

func talkNumber(s *Subject) uint64 {
	if s.Talk == nil {
		return 0
	}
	return uint64(s.Talk.Number)
}

// queuePairs compares both ends of the packet's conversation, or what the packet names.
func queuePairs(s *Subject, is func(uint64) bool) bool {
	if is(uint64(s.Wire.BTH.DestQP)) {
		return true
	}
	if s.Talk == nil {
		return s.Wire.Headers.Has(wire.HasDETH) && is(uint64(s.Wire.DETH.SrcQP))
	}
	return is(uint64(s.Talk.Ends[0].QP)) || is(uint64(s.Talk.Ends[1].QP))
}

func outerIDs(s *Subject, is func(uint64) bool) bool {
	return slices.ContainsFunc(s.Outer.Layers(), func(l capture.Layer) bool { return l.HasID && is(uint64(l.ID)) })
}

func outerAddrs(s *Subject) (all []netip.Addr) {
	for _, l := range s.Outer.Layers() {
		all = append(all, l.Src.Addr(), l.Dst.Addr())
	}
	return all
}

// headerFields are the fields of the headers; a name that several headers have means
// all of them.
var headerFields = func() map[string]field {
	all := map[string]field{}
	for _, h := range wire.HeaderTable() {
		for _, f := range h.Fields {
			before := all[f.Name].numbers
			all[f.Name] = field{FilterWord: FilterWord{f.Name, "field of the " + h.Name, true},
				numbers: func(s *Subject, is func(uint64) bool) bool {
					return before != nil && before(s, is) || hasHeader(s.Frame, h.Bit) && is(f.Of(&s.Wire))
				}}
		}
	}
	return all
}()

func hasHeader(f *capture.Frame, bit wire.Headers) bool {
	return len(f.Data) >= wire.BTHLen && f.Wire.Headers.Has(bit)
}

// findField returns the field or word of a name; those of this package come first.
func findField(name string) (field, bool) {
	name = strings.ToLower(name)
	if i := slices.IndexFunc(packetFields, func(f field) bool { return f.Name == name }); i >= 0 {
		return packetFields[i], true
	}
	f, ok := headerFields[name]
	return f, ok
}

// FilterWords lists what an expression may use, those of packets first, then the header
// fields by name.
func FilterWords() (all []FilterWord) {
	for _, f := range packetFields {
		all = append(all, f.FilterWord)
	}
	for _, name := range slices.Sorted(maps.Keys(headerFields)) {
		all = append(all, headerFields[name].FilterWord)
	}
	return all
}

// suggestWord names similar words, or some that are used often.
func suggestWord(name string) string {
	var names []string
	for _, w := range FilterWords() {
		names = append(names, w.Name)
	}
	if meant := syntax.DidYouMean(name, names); meant != "" {
		return meant
	}
	return "use for example nak, rnr, retry, gap, psn, qp, op, ip, len"
}

// operators lists what the field can be compared by.
func (f *field) operators() []string {
	switch {
	case f.texts != nil:
		return []string{"~", "==", "!="}
	case f.addrs != nil:
		return []string{"==", "!="}
	}
	return operators[:6]
}

func (f *field) compare(op, value string) (Filter, error) {
	switch {
	case f.texts != nil:
		return f.compareText(op, value), nil
	case f.addrs != nil:
		return f.compareAddr(op, value)
	}
	want, err := strconv.ParseUint(strings.ToLower(value), 0, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number; write 17 or 0x11", value)
	}
	if op == "!=" { // not one of the values
		return func(s *Subject) bool { return !f.numbers(s, func(v uint64) bool { return v == want }) }, nil
	}
	is := comparisons[op]
	return func(s *Subject) bool { return f.numbers(s, func(v uint64) bool { return is(v, want) }) }, nil
}

var comparisons = map[string]func(a, b uint64) bool{
	"==": func(a, b uint64) bool { return a == b },
	"<":  func(a, b uint64) bool { return a < b },
	"<=": func(a, b uint64) bool { return a <= b },
	">":  func(a, b uint64) bool { return a > b },
	">=": func(a, b uint64) bool { return a >= b },
}

func (f *field) compareText(op, value string) Filter {
	value = strings.ToLower(value)
	switch op {
	case "==":
		return func(s *Subject) bool { return strings.ToLower(f.texts(s)) == value }
	case "!=":
		return func(s *Subject) bool { return strings.ToLower(f.texts(s)) != value }
	}
	return func(s *Subject) bool { return strings.Contains(strings.ToLower(f.texts(s)), value) }
}

func (f *field) compareAddr(op, value string) (Filter, error) {
	prefix, err := netip.ParsePrefix(value)
	if err != nil {
		addr, err := netip.ParseAddr(value)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a prefix; write 10.0.0.1 or 10.0.0.0/8", value)
		}
		prefix = netip.PrefixFrom(addr, addr.BitLen())
	}
	want := op == "=="
	within := func(a netip.Addr) bool { return prefix.Contains(a.Unmap()) }
	return func(s *Subject) bool { return slices.ContainsFunc(f.addrs(s), within) == want }, nil
}
