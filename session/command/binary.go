package command

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errCutCommand = errors.New("a recorded command is truncated")

// MarshalBinary encodes a command compactly: the name of its Spec, its line, and each
// value with the index of its argument.
func (c Command) MarshalBinary() (b []byte, err error) {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	if c.Spec == nil {
		text("")
		text(c.Text)
		return b, nil
	}
	text(c.Spec.Name)
	text(c.Text)
	for _, v := range c.Values {
		i := c.Spec.place(v.Arg)
		if i < 0 {
			return nil, fmt.Errorf("%s has a value for an unknown argument", c.Spec.Name)
		}
		b = append(binary.AppendUvarint(b, uint64(i)), bit(v.Given)|bit(v.Quoted)<<1|bit(c.made)<<2)
		b = binary.AppendUvarint(b, uint64(v.column))
		text(v.Text)
	}
	return b, nil
}

// place returns the index of an argument in the command, -1 if it is not one of them.
func (s *Spec) place(arg *Arg) int {
	for i := range s.Args {
		if &s.Args[i] == arg {
			return i
		}
	}
	return -1
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (c *Command) UnmarshalBinary(b []byte) error {
	number := func() (n uint64, err error) {
		n, used := binary.Uvarint(b)
		if used <= 0 {
			return 0, errCutCommand
		}
		b = b[used:]
		return n, nil
	}
	text := func() (string, error) {
		n, err := number()
		if err != nil || n > uint64(len(b)) {
			return "", errCutCommand
		}
		s := string(b[:n])
		b = b[n:]
		return s, nil
	}
	name, err := text()
	if err != nil {
		return err
	}
	*c = Command{Spec: Find(name)}
	if c.Text, err = text(); err != nil {
		return err
	}
	if c.Spec == nil {
		if name != "" || len(b) > 0 {
			return fmt.Errorf("there is no command %q", name)
		}
		return nil
	}
	c.Values = []Value{}
	for len(b) > 0 {
		i, err := number()
		if err != nil || i >= uint64(len(c.Spec.Args)) || len(b) == 0 {
			return errCutCommand
		}
		v := Value{Arg: &c.Spec.Args[i], Given: b[0]&1 != 0, Quoted: b[0]&2 != 0}
		c.made = b[0]&4 != 0
		b = b[1:]
		column, err := number()
		if err != nil {
			return err
		}
		v.column = int(column)
		if v.Text, err = text(); err != nil {
			return err
		}
		v.takeFor(c.Spec)
		c.Values = append(c.Values, v)
	}
	return nil
}
