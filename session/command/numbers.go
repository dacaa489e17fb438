package command

import (
	"encoding/binary"
	"fmt"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

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

// checkNumbers checks whether text can be parsed as numbers; with lenient, references
// are accepted.
func checkNumbers(text string, lenient bool) error {
	return eachNumber(text, func(form, value string) error {
		if _, isRef := parseReference(value); isRef && lenient {
			return nil
		}
		return checkUint(value, 8*numberForms[form].size)
	})
}

// parseNumbers encodes text that checkNumbers accepted.
func parseNumbers(text string) (p []byte) {
	err := eachNumber(text, func(form, value string) error {
		f := numberForms[form]
		n, err := verbs.ParseUint(value, 8*f.size)
		p = f.append(p, n)
		return err
	})
	if err != nil {
		return nil
	}
	return p
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
