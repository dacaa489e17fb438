package explained

import (
	"fmt"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// hexFrom is the size from which the end of a range is shown in hexadecimal: that of
// fields of more than 16 bits.
const hexFrom = 1 << 16

// outOfRange says that a queue pair attribute cannot have the requested value, and
// gives the valid range; "" if the value is valid or is not a number.
func outOfRange(e *explain.Entry) string {
	f := fields.QPNamed(e.Name)
	if e.Family != "qp_attr" || f == nil || !isNumber(e.Asked) {
		return ""
	}
	takes := strings.Join(f.Names, ", ")
	switch {
	case f.Max >= hexFrom:
		takes = fmt.Sprintf("0 to %#x", f.Max)
	case f.Max > 0:
		takes = fmt.Sprintf("0 to %d", f.Max)
	case takes == "":
		return "" // an address
	}
	if err := f.Parse(new(verbs.QPAttr), e.Asked); err == nil {
		return ""
	}
	return fmt.Sprintf("%s is out of range: %s takes %s", e.Asked, e.Name, takes)
}

// isNumber tells a number, even one with too many digits or below 0, from a name or a reference.
func isNumber(text string) bool {
	digits := "0123456789"
	text = strings.TrimPrefix(text, "-")
	if hex, found := strings.CutPrefix(text, "0x"); found {
		text, digits = hex, digits+"abcdefABCDEF"
	}
	return text != "" && strings.Trim(text, digits) == ""
}
