package command

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

const patternPrefix = "pattern:"

// FilePath returns the file that a value of type Bytes or Backing names. In quotes it
// would be text; a path with blanks is written file:"a path".
func (v *Value) FilePath() (path string, ok bool) {
	if v.Arg.Type != Bytes && v.Arg.Type != Backing || v.Quoted {
		return "", false
	}
	return strings.CutPrefix(v.Text, syntax.FilePrefix)
}

// FilePath is [Value.FilePath] of the named argument.
func (c Command) FilePath(name string) (path string, ok bool) {
	v, has := c.value(name)
	if !has {
		return "", false
	}
	return v.FilePath()
}

// Files returns the paths of the files that the command reads or creates; it ignores
// nested lines.
func (c Command) Files() (paths []string) {
	for i := range c.Values {
		v := &c.Values[i]
		if path, ok := v.FilePath(); ok {
			paths = append(paths, path)
		} else if v.Arg.Type == NewFile {
			paths = append(paths, v.Text)
		} else if name, ok := strings.CutPrefix(v.Text, sharedPrefix); ok && v.Arg.Type == Backing {
			paths = append(paths, sharedRoot+name)
		} else if strings.HasPrefix(v.Text, bufferPrefix) && v.Arg.Type == Backing {
			paths = append(paths, v.Text)
		}
	}
	return paths
}

// MakesFile reports whether the command, or the line within it, makes a file.
func (c Command) MakesFile() bool {
	return slices.ContainsFunc(c.Values, func(v Value) bool { return v.Arg.Type == NewFile }) ||
		slices.ContainsFunc(c.Nested(), Command.MakesFile)
}

// patternPeriod is prime, so that no power-of-two shift of the pattern looks
// like the pattern.
const patternPeriod = 251

// FillPattern fills p with the bytes that pattern:LEN:FROM stands for: 0, 1 …
// 250 over and over, from the given position.
func FillPattern(p []byte, from int) {
	for i := range p {
		p[i] = byte((from + i) % patternPeriod)
	}
}

// pattern is some of those bytes.
type pattern struct{ length, from uint64 }

// cutPattern takes pattern:LEN or pattern:LEN:FROM apart; where FROM is left out
// it is 0.
func cutPattern(text string) (length, from string, ok bool) {
	text, ok = strings.CutPrefix(text, patternPrefix)
	length, from, given := strings.Cut(text, ":")
	if !given {
		from = "0"
	}
	return length, from, ok
}

// parsePattern reads the length of a pattern and where in it to begin.
func parsePattern(length, from string) (p pattern, err error) {
	if p.length, err = verbs.ParseUint(length, 63); err != nil || p.length > maxPatternLen {
		return p, fmt.Errorf("%s is not a pattern length: 0 to %d bytes", syntax.Show(length), maxPatternLen)
	}
	if p.from, err = verbs.ParseUint(from, 31); err != nil {
		return p, fmt.Errorf("%s is not a position in the pattern", syntax.Show(from))
	}
	return p, nil
}

// readBytes reads data. Only arguments named data accept a file.
func readBytes(v *Value, lenient bool) (err error) {
	if path, ok := v.FilePath(); ok && v.Arg.Name != "data" {
		return fmt.Errorf("%s takes no file; quote it if it is text", v.Arg.Name)
	} else if ok && path == "" {
		return errors.New("file: needs a path; quote it if it is text")
	}
	if v.Quoted {
		return nil
	}
	if length, from, ok := cutPattern(v.Text); ok {
		if _, isRef := parseReference(length); isRef && lenient {
			length, v.read = "0", false
		}
		v.other, err = parsePattern(length, from)
		return err
	}
	if isNumbers(v.Text) {
		return v.readNumbers(lenient)
	}
	digits, isHex := strings.CutPrefix(v.Text, "0x")
	if !isHex {
		return nil
	}
	if len(digits)%2 != 0 {
		return errors.New("hex data needs an even number of digits")
	}
	if v.other, err = hex.DecodeString(digits); err != nil {
		return fmt.Errorf(`%s is not hex data; quote it if it is text`, syntax.Show(v.Text))
	}
	return nil
}

// Bytes returns data: a text's bytes, decoded hex, numbers, or a pattern.
func (c Command) Bytes(name string) []byte {
	v, ok := c.value(name)
	if !ok || !v.read {
		return nil
	}
	switch data := v.other.(type) {
	case pattern:
		p := make([]byte, data.length)
		FillPattern(p, int(data.from))
		return p
	case []byte:
		return slices.Clone(data)
	}
	return []byte(v.Text)
}

// numberForm is the layout of a number in memory.
type numberForm struct {
	size  int // bytes
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
}

// numberForms are the layouts by the name that lines use.
var numberForms = map[string]numberForm{
	"u8":   {1, binary.BigEndian},
	"be16": {2, binary.BigEndian}, "be32": {4, binary.BigEndian}, "be64": {8, binary.BigEndian},
	"le16": {2, binary.LittleEndian}, "le32": {4, binary.LittleEndian}, "le64": {8, binary.LittleEndian},
}

// NumberForms lists the names of the layouts.
var NumberForms = []string{"u8", "be16", "be32", "be64", "le16", "le32", "le64"}

func (f numberForm) append(b []byte, n uint64) []byte {
	switch f.size {
	case 1:
		return append(b, byte(n))
	case 2:
		return f.order.AppendUint16(b, uint16(n))
	case 4:
		return f.order.AppendUint32(b, uint32(n))
	}
	return f.order.AppendUint64(b, n)
}

// ReadNumber reads the number that lies at the start of p in the named layout;
// ok is false where there is no such layout or p is too short.
func ReadNumber(form string, p []byte) (n uint64, ok bool) {
	f := numberForms[form]
	if f.size == 0 || len(p) < f.size {
		return 0, false
	}
	switch f.size {
	case 1:
		return uint64(p[0]), true
	case 2:
		return uint64(f.order.Uint16(p)), true
	case 4:
		return uint64(f.order.Uint32(p)), true
	}
	return f.order.Uint64(p), true
}

// NumberSize returns how many bytes the named layout takes, 0 where there is no
// such layout.
func NumberSize(form string) int { return numberForms[form].size }

// isNumbers reports whether text has the form be32:100,le64:src.addr.
func isNumbers(text string) bool {
	form, _, ok := strings.Cut(text, ":")
	return ok && numberForms[form].size > 0
}

// maxNumbers bounds the numbers of one value.
const maxNumbers = 256

// eachNumber splits be32:100,le64:src.addr.
func eachNumber(text string, f func(form, value string) error) error {
	parts := strings.Split(text, ",")
	if len(parts) > maxNumbers {
		return fmt.Errorf("too many numbers: %d", len(parts))
	}
	for _, part := range parts {
		form, value, ok := strings.Cut(part, ":")
		if !ok || numberForms[form].size == 0 {
			return fmt.Errorf("%s is not a number such as be32:100; the kinds are %s", syntax.Show(part),
				strings.Join(NumberForms, " "))
		}
		if err := f(form, value); err != nil {
			return err
		}
	}
	return nil
}

// readNumbers reads numbers; with lenient, references are accepted.
func (v *Value) readNumbers(lenient bool) error {
	var p []byte
	err := eachNumber(v.Text, func(form, value string) error {
		if _, isRef := parseReference(value); isRef && lenient {
			v.read = false
			return nil
		}
		f := numberForms[form]
		n, err := readUint(value, 8*f.size)
		p = f.append(p, n)
		return err
	})
	v.other = p
	return err
}

// replaceInNumbers calls replace for each value of numbers.
func replaceInNumbers(text string, replace func(string) (string, error)) (string, error) {
	var parts []string
	err := eachNumber(text, func(form, value string) error {
		value, err := replace(value)
		parts = append(parts, form+":"+value)
		return err
	})
	return strings.Join(parts, ","), err
}
