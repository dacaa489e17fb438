package command

import (
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/command/syntax"
)

// SGEText is one piece of memory as it was typed: of a named region, or a raw
// address and key that are taken as they are.
type SGEText struct {
	Object  string // the region's name; "" for a raw one
	Offset  uint64 // bytes from the region's start
	Addr    uint64 // raw: the address
	Length  uint32 // bytes
	ToEnd   bool   // no length was given: up to the region's end
	LKey    uint32
	HasLKey bool // a key was given; a raw one always has it
}

// maxSGEs bounds a list; no device takes that many.
const maxSGEs = 1024

// splitSGEs cuts a list into its pieces and those into their parts.
func splitSGEs(text string) ([][]string, error) {
	pieces := strings.Split(text, ",")
	if len(pieces) > maxSGEs {
		return nil, fmt.Errorf("%d SGEs are too many: at most %d", len(pieces), maxSGEs)
	}
	parts := make([][]string, len(pieces))
	for i, piece := range pieces {
		if piece == "" {
			return nil, errors.New("an SGE is empty: write name:offset:length, joined by ','")
		}
		parts[i] = strings.Split(piece, ":")
	}
	return parts, nil
}

// readSGEs reads a list; only in a reference there can be a dot.
func readSGEs(v *Value, lenient bool) error {
	text, err := replaceInSGEs(v.Text, keepName, InBytes)
	if err != nil {
		return err
	}
	list, err := parseSGEs(text, lenient)
	if err != nil {
		return err
	}
	if v.Text, v.read = text, !strings.Contains(text, "."); v.read {
		v.other = list
	}
	return nil
}

// parseSGEs reads a list. With lenient, references are left unread.
func parseSGEs(text string, lenient bool) ([]SGEText, error) {
	pieces, err := splitSGEs(text)
	if err != nil {
		return nil, err
	}
	sges := make([]SGEText, len(pieces))
	for i, parts := range pieces {
		if sges[i], err = parseSGE(parts, lenient); err != nil {
			return nil, err
		}
	}
	return sges, nil
}

func parseSGE(parts []string, lenient bool) (s SGEText, err error) {
	number := func(part, what string, bits int) uint64 {
		if _, isRef := parseReference(part); err != nil || lenient && isRef {
			return 0
		}
		n, bad := readUint(part, bits)
		if bad != nil {
			err = fmt.Errorf("%s: %w", what, bad)
		}
		return n
	}
	if addr, raw := strings.CutPrefix(parts[0], "@"); raw {
		if len(parts) != 3 {
			return s, fmt.Errorf("%s: a raw SGE is @addr:length:lkey", syntax.Show(strings.Join(parts, ":")))
		}
		s.Addr = number(addr, "addr", 64)
		s.Length = uint32(number(parts[1], "length", 32))
		s.LKey, s.HasLKey = uint32(number(parts[2], "lkey", 32)), true
		return s, err
	}
	if !isName(parts[0]) || len(parts) > 4 {
		return s, fmt.Errorf("%s: an SGE is name:offset:length", syntax.Show(strings.Join(parts, ":")))
	}
	s.Object = parts[0]
	s.ToEnd = len(parts) < 3
	if len(parts) > 1 {
		s.Offset = number(parts[1], "offset", 64)
	}
	if len(parts) > 2 {
		s.Length = uint32(number(parts[2], "length", 32))
	}
	if len(parts) > 3 {
		s.LKey, s.HasLKey = uint32(number(parts[3], "lkey", 32)), true
	}
	return s, err
}

// keepName is the naming function of a list whose region names stay.
func keepName(name string) string { return name }

// replaceInSGEs calls rename for each region's name and replace for each other part.
func replaceInSGEs(text string, rename func(string) string, replace func(string) (string, error)) (string, error) {
	pieces, err := splitSGEs(text)
	if err != nil {
		return "", err
	}
	joined := make([]string, len(pieces))
	for i, parts := range pieces {
		for j, part := range parts {
			addr, raw := strings.CutPrefix(part, "@")
			if j == 0 && !raw {
				parts[j] = rename(part)
				continue
			}
			if addr, err = replace(addr); err != nil {
				return "", err
			}
			if parts[j] = addr; raw {
				parts[j] = "@" + addr
			}
		}
		joined[i] = strings.Join(parts, ":")
	}
	return strings.Join(joined, ","), nil
}
