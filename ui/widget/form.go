package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
)

// FieldMark says whether a field has to be set.
type FieldMark uint8

// Marks.
const (
	Unmarked FieldMark = iota
	Required
	Optional
	Forbidden
)

// FieldKind says how a field is edited.
type FieldKind uint8

// Kinds.
const (
	TextField   FieldKind = iota
	ChoiceField           // one of Choices
	FlagsField            // several of Choices, joined with |
	BoolField             // "0" or "1"
	StaticField           // cannot be edited
)

// Option is one value of a ChoiceField, one bit of a FlagsField.
type Option struct{ Value, Help string }

// fieldKinds says how an argument is edited; others as TextField.
var fieldKinds = map[command.Type]FieldKind{command.Bool: BoolField, command.Choice: ChoiceField,
	command.FlagSet: FlagsField}

// FieldOf returns the field of a command's argument: how it is edited, and what can be chosen. A screen adds the value
// and a note.
func FieldOf(a *command.Arg) Field {
	fd := Field{Name: a.Name, Kind: fieldKinds[a.Type], Read: a.Read}
	for _, o := range a.Offers {
		fd.Choices = append(fd.Choices, Option(o))
	}
	if fd.Choices == nil {
		for _, c := range a.Choices {
			fd.Choices = append(fd.Choices, Option{Value: c})
		}
	}
	return fd
}

// Field is one line of the form. An empty Value means unset.
type Field struct {
	Name, Value string
	Note        string   // unit, meaning or where the value came from
	Shorter     []string // shorter forms of Note for narrow lines, longest first; nil: Note is cut
	Err         string   // shown on a line below
	Mark        FieldMark
	Kind        FieldKind
	Choices     []Option
	// Read returns a typed value as it is kept, or what is wrong with it; nil: every value is taken as it is.
	Read func(text string) (string, error)
}

// Wrong reports whether a field that takes no value has one.
func (fd *Field) Wrong() bool { return fd.Mark == Forbidden && fd.Value != "" }

// FormEvent is the effect of a message.
type FormEvent struct {
	Kind        FormEventKind
	Name, Value string // Changed: the field and its new value
}

// FormEventKind is the kind of an event.
type FormEventKind uint8

// Events.
const (
	FormUnused  FormEventKind = iota // not used by the form
	FormUsed                         // used by the form, no action needed
	FormChanged                      // the user set a field; the form shows it already
	FormSubmit                       // enter while no field is open
)

// Form is a block.
type Form struct {
	Focused bool
	// Complete lists candidates for the open text field.
	Complete func(name, text string, cursor int) []Candidate

	th     *theme.Theme
	fields []Field
	cursor int
	open   bool // the field under the cursor is being edited
	in     *Input
	cycle  Cycle
	on     []bool // open flags: which are set
	flag   int    // the one under the cursor
	rows   []formRow
	top    int
	w, h   int
}

// NewForm makes a form.
func NewForm(th *theme.Theme, fields ...Field) *Form {
	f := &Form{th: th, in: NewInput(th)}
	f.SetFields(fields)
	return f
}

// SetFields replaces the fields. The cursor stays on the field of its name, and an
// open field stays open, with what was typed, if it is still edited in the same way. An
// error stays below its field until the value changes.
func (f *Form) SetFields(fields []Field) {
	var was Field
	if f.cursor < len(f.fields) {
		was = f.fields[f.cursor]
	}
	name, before := was.Name, f.fields
	f.fields = append(f.fields[:0:0], fields...)
	for i := range f.fields {
		f.fields[i].check(before)
	}
	at := -1
	for i := range f.fields {
		if f.fields[i].Name == name {
			at = i
		}
	}
	if at < 0 {
		f.open = false
		at = min(f.cursor, len(f.fields)-1)
	}
	f.cursor = max(at, 0)
	if f.open {
		f.keepOpen(&was, &f.fields[f.cursor])
	}
}

// keepOpen continues the edit of a field that was replaced, and closes it if the new
// field is edited in another way.
func (f *Form) keepOpen(was, now *Field) {
	changed := now.Kind != was.Kind || len(now.Choices) != len(was.Choices)
	switch {
	case !changed:
	case was.Kind.isText() && now.Kind.isText(): // such as a list of devices that has come
		f.refresh(now)
	default:
		f.open = false
	}
}

// isText reports whether a field of the kind is edited as text.
func (k FieldKind) isText() bool { return k == TextField || k == ChoiceField }

// check says below a field what is wrong with its value, and keeps what was said before of the same value.
func (fd *Field) check(before []Field) {
	for i := range before {
		if o := &before[i]; o.Name == fd.Name && o.Value == fd.Value && fd.Err == "" {
			fd.Err = o.Err
		}
	}
	if fd.Read == nil || fd.Value == "" || fd.Err != "" {
		return
	}
	if _, err := fd.Read(fd.Value); err != nil {
		fd.Err = err.Error()
	}
}

// Fields returns the fields as they stand.
func (f *Form) Fields() []Field { return f.fields }

// Value returns a field's value; empty if it is unset or does not exist.
func (f *Form) Value(name string) string {
	for i := range f.fields {
		if f.fields[i].Name == name {
			return f.fields[i].Value
		}
	}
	return ""
}

// SetError shows an error under a field, or removes it.
func (f *Form) SetError(name, err string) {
	for i := range f.fields {
		if f.fields[i].Name == name {
			f.fields[i].Err = err
		}
	}
}

// Name returns the field under the cursor; empty if there is none.
func (f *Form) Name() string {
	if f.cursor >= len(f.fields) {
		return ""
	}
	return f.fields[f.cursor].Name
}

// Select puts the cursor on a field, unless one is open.
func (f *Form) Select(name string) {
	for i := range f.fields {
		if f.fields[i].Name == name && !f.open {
			f.cursor = i
		}
	}
}

// Editing reports whether a field is open. It then receives every key, and the screen must
// ignore them.
func (f *Form) Editing() bool { return f.open }

// TextField returns what stays in the open field when something is typed or pasted, "" if no
// text field is open.
func (f *Form) Text() string {
	if !f.open || f.fields[f.cursor].Kind == FlagsField {
		return ""
	}
	return f.in.Kept()
}

// SetText replaces the content of the open field.
func (f *Form) SetText(text string) {
	if f.open && f.fields[f.cursor].Kind != FlagsField {
		f.in.SetValue(text)
		f.refresh(&f.fields[f.cursor])
	}
}

// Context returns the keys of the form while Editing.
func (f *Form) Context() keymap.Context {
	if f.open && f.fields[f.cursor].Kind == FlagsField {
		return keymap.FlagsOpen
	}
	return keymap.FieldOpen
}

// Update takes keys and pastes.
func (f *Form) Update(msg tea.Msg) FormEvent {
	if len(f.fields) == 0 {
		return FormEvent{}
	}
	fd := &f.fields[f.cursor]
	if f.open && fd.Kind == FlagsField {
		return f.updateFlags(msg, fd)
	}
	if f.open {
		return f.updateText(msg, fd)
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return f.updateClosed(k, fd)
	}
	return FormEvent{}
}

func (f *Form) updateClosed(k tea.KeyPressMsg, fd *Field) FormEvent {
	l, m := &keymap.List, &keymap.Form
	by, moves := keymap.Move(k, f.h, len(f.fields))
	switch {
	case moves:
		f.move(by)
	case keymap.Matches(k, l.Left):
		return f.cycleValue(fd, -1)
	case keymap.Matches(k, l.Right):
		return f.cycleValue(fd, 1)
	case keymap.Matches(k, m.Toggle):
		if fd.Kind == FlagsField {
			return f.edit(fd)
		}
		return f.cycleValue(fd, 1)
	case keymap.Matches(k, m.Edit):
		return f.edit(fd)
	case keymap.Matches(k, m.Clear):
		if fd.Kind == StaticField {
			return FormEvent{Kind: FormUsed}
		}
		return f.set(fd, "")
	case keymap.Matches(k, m.Submit):
		return FormEvent{Kind: FormSubmit}
	default:
		return FormEvent{}
	}
	return FormEvent{Kind: FormUsed}
}

// Toward says where a field is from the cursor: "up", "down", or "" if the cursor is on it or there is none.
func (f *Form) Toward(name string) string {
	for i := range f.fields {
		switch {
		case f.fields[i].Name != name || i == f.cursor:
		case i < f.cursor:
			return "up"
		default:
			return "down"
		}
	}
	return ""
}

func (f *Form) move(by int) { f.cursor = max(min(f.cursor+by, len(f.fields)-1), 0) }

func (f *Form) set(fd *Field, v string) FormEvent {
	if fd.Read != nil && v != "" {
		if kept, err := fd.Read(v); err == nil {
			v = kept
		}
	}
	if fd.Value == v {
		return FormEvent{Kind: FormUsed}
	}
	fd.Value, fd.Err = v, ""
	return FormEvent{Kind: FormChanged, Name: fd.Name, Value: v}
}

// cycleValue goes to the next or previous choice; from unset to the first or last.
func (f *Form) cycleValue(fd *Field, dir int) FormEvent {
	switch {
	case fd.Kind == BoolField && fd.Value == "1":
		return f.set(fd, "0")
	case fd.Kind == BoolField:
		return f.set(fd, "1")
	case fd.Kind != ChoiceField || len(fd.Choices) == 0:
		return FormEvent{Kind: FormUsed}
	}
	at := -1
	for i, c := range fd.Choices {
		if c.Value == fd.Value {
			at = i
		}
	}
	if at < 0 && dir < 0 {
		at = 0
	}
	n := len(fd.Choices)
	return f.set(fd, fd.Choices[((at+dir)%n+n)%n].Value)
}

// Cycles reports whether Toggle does something to the field under the cursor.
func (f *Form) Cycles() bool {
	fd := f.current()
	if fd.Kind != ChoiceField {
		return fd.Kind == BoolField || fd.Kind == FlagsField
	}
	return slices.ContainsFunc(fd.Choices, func(o Option) bool { return o.Value != fd.Value })
}

// Edits reports whether the field under the cursor can be edited.
func (f *Form) Edits() bool { return f.current().Kind != StaticField }

// Clears reports whether the field under the cursor can be unset.
func (f *Form) Clears() bool { return f.Edits() && f.current().Value != "" }

// current returns the field under the cursor, one that cannot be edited if there is none.
func (f *Form) current() *Field {
	if f.cursor < len(f.fields) {
		return &f.fields[f.cursor]
	}
	return &Field{Kind: StaticField}
}

// edit opens a field. A Choice is opened as text, so that a value that is not
// among the choices can be tried.
func (f *Form) edit(fd *Field) FormEvent {
	switch fd.Kind {
	case StaticField:
	case BoolField:
		return f.cycleValue(fd, 1)
	case FlagsField:
		f.open, f.flag, f.on = true, 0, f.on[:0]
		for _, c := range fd.Choices {
			f.on = append(f.on, hasFlag(fd.Value, c.Value))
		}
	default:
		f.open = true
		f.in.Offer(fd.Value)
		f.refresh(fd)
	}
	return FormEvent{Kind: FormUsed}
}

func hasFlag(value, flag string) bool {
	for v := range strings.SplitSeq(value, "|") {
		if strings.TrimSpace(v) == flag {
			return true
		}
	}
	return false
}

func (f *Form) refresh(fd *Field) {
	f.cycle.Set(nil)
	switch {
	case fd.Kind == ChoiceField:
		var list []Candidate
		for _, c := range fd.Choices {
			if strings.HasPrefix(c.Value, f.in.Value()) || f.in.Value() == fd.Value {
				list = append(list, Candidate{Text: c.Value, Help: c.Help})
			}
		}
		f.cycle.Set(list)
	case f.Complete != nil:
		f.cycle.Set(f.Complete(fd.Name, f.in.Value(), f.in.Cursor()))
	}
}

func (f *Form) updateText(msg tea.Msg, fd *Field) FormEvent {
	k, isKey := msg.(tea.KeyPressMsg)
	m := &keymap.Entry
	switch {
	case isKey && keymap.Matches(k, m.Accept):
		return f.accept(fd, 0)
	case isKey && keymap.Matches(k, m.Up):
		return f.accept(fd, -1)
	case isKey && keymap.Matches(k, m.Down):
		return f.accept(fd, 1)
	case isKey && keymap.Matches(k, m.Cancel):
		f.open = false
	case isKey && keymap.Matches(k, m.Complete):
		f.cycle.Step(f.in, 1)
	case isKey && keymap.Matches(k, m.CompletePrev):
		f.cycle.Step(f.in, -1)
	case f.in.Update(msg):
		f.refresh(fd)
	case !isKey:
		return FormEvent{}
	}
	return FormEvent{Kind: FormUsed}
}

func (f *Form) accept(fd *Field, move int) FormEvent {
	f.open = false
	ev := f.set(fd, strings.TrimSpace(f.in.Value()))
	f.move(move)
	return ev
}

func (f *Form) updateFlags(msg tea.Msg, fd *Field) FormEvent {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return FormEvent{}
	}
	m := &keymap.Flags
	switch {
	case keymap.Matches(k, m.Up):
		f.flag = max(f.flag-1, 0)
	case keymap.Matches(k, m.Down):
		f.flag = max(min(f.flag+1, len(f.on)-1), 0)
	case keymap.Matches(k, m.Toggle) && f.flag < len(f.on):
		f.on[f.flag] = !f.on[f.flag]
	case keymap.Matches(k, m.Cancel):
		f.open = false
	case keymap.Matches(k, m.Accept):
		f.open = false
		return f.set(fd, f.joined(fd))
	}
	return FormEvent{Kind: FormUsed}
}

// joined preserves names in the value that are not among the choices.
func (f *Form) joined(fd *Field) string {
	var out []string
	for i, c := range fd.Choices {
		if i < len(f.on) && f.on[i] {
			out = append(out, c.Value)
		}
	}
	for v := range strings.SplitSeq(fd.Value, "|") {
		known := strings.TrimSpace(v) == ""
		for _, c := range fd.Choices {
			known = known || c.Value == strings.TrimSpace(v)
		}
		if !known {
			out = append(out, strings.TrimSpace(v))
		}
	}
	return strings.Join(out, "|")
}
