package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// Value is one argument's value.
type Value struct {
	Arg    *Arg
	Text   string // quotes undone; references as they were typed, until Resolve
	Given  bool   // it was typed, and is no default or choice of the session's
	Quoted bool   // it was in quotes: text even if it looks like a number or a reference

	column int    // byte offset in the line, from 1; 0 where it was not typed
	read   bool   // number and other have its meaning: it is no reference, or has none in it
	number uint64 // a number, an address, ns, a choice's or a set's C value, or the bits of a float64
	other  any    // verbs.GID, verbs.Backing, []SGEText, []byte or pattern
}

// checkValue reads a value as its type and normalizes the spelling of choices and flags. With lenient, references are
// left unread until they are resolved.
func (p *parser) checkValue(v *Value, lenient bool) *syntax.Error {
	if v.Text == "" && v.Arg.Type != Text && v.Arg.Type != Bytes {
		return p.errorAt(v, "%s has an empty value", v.Arg.Name)
	}
	if lenient && takesReference(v.Arg.Type) && isReference(v) {
		return nil
	}
	err := p.read(v, lenient)
	if err == nil {
		return nil
	}
	e := p.errorAt(v, "%s: %v", v.Arg.Name, err)
	if v.Arg.Type == Choice || v.Arg.Type == FlagSet {
		if e.Hint = syntax.DidYouMean(e.Token, v.Arg.Choices); e.Hint == "" && p.spec != "" {
			e.Hint = "see help " + p.spec
		}
	}
	return e
}

// read reads a value and normalizes its text.
func (p *parser) read(v *Value, lenient bool) error {
	if v.Arg.Type == NewName && p.known.reserved[v.Text] {
		return fmt.Errorf("%s cannot be a name: it is a word of the language", syntax.Show(v.Text))
	}
	v.read = true
	return readers[v.Arg.Type](v, lenient)
}

// take reads a value that the session has formatted or recorded, unless it is a reference.
func (v *Value) take() {
	if !takesReference(v.Arg.Type) || !isReference(v) {
		v.read = true
		v.read = readers[v.Arg.Type](v, true) == nil && v.read
	}
}

// Read reads one argument's text as the parser does before references are resolved, and returns it as it is kept, a
// size such as 2M in bytes. The error names the argument and says what it takes.
func (a *Arg) Read(text string) (string, error) {
	v := Value{Arg: a, Text: text, Given: true}
	if takesReference(a.Type) && isReference(&v) {
		return text, nil
	}
	err := readers[a.Type](&v, true)
	if err == nil {
		return v.Text, nil
	}
	hint := ""
	if _, bad := strconv.ParseUint(text, 0, 64); a.Type == Uint && errors.Is(bad, strconv.ErrSyntax) {
		hint = fmt.Sprintf("; write one of %d bits, such as 17 or 0x11", a.Bits)
	}
	return text, fmt.Errorf("%s: %w%s", a.Name, err, hint)
}

func takesReference(t Type) bool {
	switch t {
	case Uint, Addr, Duration, Bool, Choice, FlagSet, GIDValue:
		return true
	}
	return false
}

// readers read a value of each type: they check it, keep its meaning, and leave its text as it is to be kept.
var readers = [...]func(v *Value, lenient bool) error{
	Word:     readAny,
	Text:     readAny,
	NewFile:  readAny,
	NewName:  readNewName,
	Object:   readObject,
	Uint:     readNumber,
	Addr:     func(v *Value, _ bool) error { return v.readUint(v.Text, 64) },
	Duration: readDuration,
	Share:    readShare,
	Bool:     readBool,
	Choice:   readChoice,
	FlagSet:  readFlags,
	GIDValue: readGID,
	SGEList:  readSGEs,
	Bytes:    readBytes,
	Backing:  func(v *Value, _ bool) (err error) { v.other, err = parseBacking(v.Text); return err },
	Errno:    readErrno,
	Line:     readAny,
}

func readAny(*Value, bool) error { return nil }

func readNewName(v *Value, _ bool) error {
	if !isName(v.Text) {
		return fmt.Errorf("%s is not a name: letters, digits, '_' and '-', a letter first, at most %d",
			syntax.Show(v.Text), syntax.MaxNameLen)
	}
	return nil
}

// readObject does not restrict device names, which other software chooses.
func readObject(v *Value, _ bool) error {
	device := slices.Contains(v.Arg.Objects, KindAvailable) || slices.Contains(v.Arg.Objects, KindDevice)
	if !isName(v.Text) && (!device || !isDeviceName(v.Text)) {
		return fmt.Errorf("%s cannot be the name of %s", syntax.Show(v.Text), v.Arg.Objects[0].Indefinite())
	}
	return nil
}

func isDeviceName(s string) bool {
	return s != "" && len(s) <= syntax.MaxNameLen && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~'
	})
}

// readNumber also takes sizes such as 64K, 2M or 1G where bytes are counted, and keeps the number.
func readNumber(v *Value, _ bool) error {
	text := v.Text
	if v.Arg.Unit == "bytes" {
		text, _ = InBytes(text)
	}
	err := v.readUint(text, v.Arg.Bits)
	if err == nil {
		v.Text = text
	}
	return err
}

func (v *Value) readUint(text string, bits int) (err error) {
	v.number, err = readUint(text, bits)
	return err
}

// InBytes returns a size such as 2M as its number of bytes, anything else as it is.
func InBytes(text string) (string, error) {
	if text == "" || sizeUnits[text[len(text)-1]&^0x20] == 0 {
		return text, nil
	}
	n, err := parseSize(text)
	if err != nil {
		return text, nil // whoever reads the number says what is wrong
	}
	return strconv.FormatUint(n, 10), nil
}

// readUint is verbs.ParseUint with errors that do not repeat the whole text, which may be long.
func readUint(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(text, 0, bits)
	if err != nil {
		return 0, errors.New(numberMessage(text, bits))
	}
	return n, nil
}

// numberMessage says why text is not a number of that many bits.
func numberMessage(text string, bits int) string {
	if len(text) > 0 && syntax.IsDigit(text[0]) {
		if _, err := strconv.ParseUint(text, 0, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return fmt.Sprintf("%s is too large: the field has %d bits, at most %d", syntax.Show(text), bits,
				uint64(math.MaxUint64)>>(64-bits))
		}
	}
	return syntax.Show(text) + " is not a number"
}

func readDuration(v *Value, _ bool) error {
	d, err := time.ParseDuration(v.Text)
	if _, plain := verbs.ParseUint(v.Text, 63); err != nil && plain == nil {
		return fmt.Errorf("%s has no unit: write %ss or %sms", syntax.Show(v.Text), v.Text, v.Text)
	}
	if err != nil {
		return fmt.Errorf("%s is not a duration such as 1s, 250ms or 10us", syntax.Show(v.Text))
	}
	if d < 0 {
		return fmt.Errorf("%s is negative", syntax.Show(v.Text))
	}
	v.number = uint64(d)
	return nil
}

// parseShare reads 0.05 or 5%.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	return v, err
}

func readShare(v *Value, _ bool) error {
	share, err := parseShare(v.Text)
	switch {
	case err != nil || math.IsNaN(share):
		return fmt.Errorf("%s is not a share such as 0.05 or 5%%", syntax.Show(v.Text))
	case share < 0 || share > 1 && strings.HasSuffix(v.Text, "%"):
		return fmt.Errorf("%s is not from 0%% to 100%%", syntax.Show(v.Text))
	case share > 1 && share <= 100:
		return fmt.Errorf("%s is more than 1: write %s%%", syntax.Show(v.Text), v.Text)
	case share > 1:
		return fmt.Errorf("%s is not from 0 to 1", syntax.Show(v.Text))
	}
	v.number = math.Float64bits(share)
	return nil
}

var boolWords = map[string]bool{
	"1": true, "on": true, "true": true, "yes": true, "0": false, "off": false, "false": false, "no": false,
}

func readBool(v *Value, _ bool) error {
	on, ok := boolWords[strings.ToLower(v.Text)]
	if !ok {
		return fmt.Errorf("%s is neither 0 nor 1, off nor on", syntax.Show(v.Text))
	}
	v.number = uint64(bit(on))
	return nil
}

// choice returns the table's spelling of a choice, and its value, 0 if it is no constant of C.
func (a *Arg) choice(text string) (name string, value uint64, ok bool) {
	for i, c := range a.Choices {
		if strings.EqualFold(c, text) || a.cprefix != "" && strings.EqualFold(a.cprefix+c, text) {
			if a.values != nil {
				value = a.values[i]
			}
			return c, value, true
		}
	}
	return "", 0, false
}

func readChoice(v *Value, _ bool) error {
	name, n, ok := v.Arg.choice(v.Text)
	if !ok {
		return fmt.Errorf("%s is not known", syntax.Show(v.Text))
	}
	v.Text, v.number = name, n
	return nil
}

func readFlags(v *Value, _ bool) error {
	parts := strings.FieldsFunc(v.Text, func(r rune) bool { return r == '|' || r == ',' })
	if len(parts) > 2*syntax.MaxNameLen {
		return fmt.Errorf("too many flags: %d", len(parts))
	}
	if len(parts) == 0 {
		return fmt.Errorf("%s has an empty flag; 0 means none", syntax.Show(v.Text))
	}
	set := uint64(0)
	for i, part := range parts {
		if name, n, ok := v.Arg.choice(part); ok {
			parts[i], set = name, set|n
		} else if n, err := verbs.ParseUint(part, 31); err == nil {
			set |= n
		} else {
			return &flagError{part}
		}
	}
	v.Text, v.number = strings.Join(parts, "|"), set
	return nil
}

// flagError names the one flag of several that is not known.
type flagError struct{ flag string }

// Error names the unknown flag.
func (e *flagError) Error() string { return syntax.Show(e.flag) + " is not known" }

func readGID(v *Value, _ bool) error {
	gid, err := verbs.ParseGID(v.Text)
	if err != nil {
		return fmt.Errorf("%s is not a GID or IP address such as fe80::1 or 10.0.0.1", syntax.Show(v.Text))
	}
	v.other = gid
	return nil
}

func isErrno(s string) bool {
	if len(s) < 3 || len(s) > syntax.MaxNameLen || s[0] != 'E' {
		return false
	}
	return strings.ToUpper(s) == s && isName(s)
}

func readErrno(v *Value, _ bool) error {
	if !isErrno(v.Text) {
		return fmt.Errorf("%s is not an errno such as EINVAL", syntax.Show(v.Text))
	}
	return nil
}
