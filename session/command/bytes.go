package command

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"rdmatui/verbs"
)

const patternPrefix = "pattern:"

// patternPeriod is prime, so that no power-of-two shift of the pattern looks
// like the pattern.
const patternPeriod = 251

// FillPattern fills p with the bytes that pattern:LEN stands for: 0, 1 … 250
// over and over, from the given position.
func FillPattern(p []byte, from int) {
	for i := range p {
		p[i] = byte((from + i) % patternPeriod)
	}
}

// checkBytes says whether text can be read as bytes, without making them.
func checkBytes(text string, quoted, lenient bool) error {
	if quoted {
		return nil
	}
	if length, ok := strings.CutPrefix(text, patternPrefix); ok {
		if _, isRef := parseReference(length); isRef && lenient {
			return nil
		}
		if n, err := verbs.ParseUint(length, 63); err != nil || n > maxPatternLen {
			return fmt.Errorf("%s is no length of a pattern: 0 to %d bytes", show(length), maxPatternLen)
		}
		return nil
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		if len(digits)%2 != 0 {
			return errors.New("hex data needs an even number of digits")
		}
		if _, err := hex.DecodeString(digits); err != nil {
			return fmt.Errorf(`%s is no hex data; quote it if it is text`, show(text))
		}
	}
	return nil
}

// parseBytes makes the bytes of a value that checkBytes accepted.
func parseBytes(text string, quoted bool) []byte {
	if quoted {
		return []byte(text)
	}
	if length, ok := strings.CutPrefix(text, patternPrefix); ok {
		n, err := verbs.ParseUint(length, 63)
		if err != nil || n > maxPatternLen {
			return nil
		}
		p := make([]byte, n)
		FillPattern(p, 0)
		return p
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		p, err := hex.DecodeString(digits)
		if err != nil {
			return nil
		}
		return p
	}
	return []byte(text)
}
