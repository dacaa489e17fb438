package verbs

import (
	"errors"
	"fmt"
	"strconv"
)

// ParseUint reads an unsigned number in decimal, 0x, 0o or 0b form that fits
// into the given number of bits; underscores may separate digits.
func ParseUint(s string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(s, 0, bits)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is too large: the field has %d bits", s, bits)
	default:
		return 0, fmt.Errorf("%q is not a number", s)
	}
}
