package explained

import (
	"fmt"
	"strconv"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// mostRetries is the largest retry_cnt, and the usual one.
const mostRetries = 7

// decoders say what a coded value stands for, by the names of attributes.
var decoders = map[string]func(n uint8) time.Duration{
	"timeout": verbs.AckTimeout, "alt_timeout": verbs.AckTimeout, "local_ca_ack_delay": verbs.AckTimeout,
	"subnet_timeout": verbs.AckTimeout, "ACK_TIMEOUT": verbs.AckTimeout, "min_rnr_timer": verbs.RNRTimer,
}

// coded is how many codes a timer has: 5 bits.
const coded = 32

// Asked puts the value that an attribute was asked for with into its texts: "14" of "timeout 14" as 67.1 ms.
func Asked(e explain.Entry) explain.Entry {
	values := explain.Values{"asked": e.Asked}
	n, err := strconv.ParseUint(e.Asked, 0, 8)
	if decode := decoders[e.Name]; decode != nil && err == nil && n < coded {
		d := decode(uint8(n))
		if values["value"] = span(d); d > 0 {
			values["total"] = span(d * (mostRetries + 1))
		}
	}
	return e.Fill(values)
}

// span is a time with three digits and its unit; 0, which a timer has for ever, in words.
func span(d time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	b := line.New(&theme.Theme{})
	eventline.Took(b, d, theme.Style{})
	return b.String()
}

// QP is what a queue pair's attributes, as last set or read, put into texts.
func QP(name string, attr *verbs.QPAttr) explain.Values {
	values := explain.Values{"qp": name}
	for i := range verbs.QPFields {
		if f := &verbs.QPFields[i]; attr.Mask&f.Bit != 0 {
			values[f.Name] = f.Format(attr)
		}
	}
	delete(values, "min_rnr_timer") // what counts is the peer's
	delete(values, "timeout")
	if attr.Mask&verbs.AttrTimeout != 0 && attr.Timeout > 0 {
		values["timeout_n"], values["timeout"] = fmt.Sprint(attr.Timeout), span(verbs.AckTimeout(attr.Timeout))
		if attr.Mask&verbs.AttrRetryCnt != 0 {
			values["total"] = span(verbs.AckTimeout(attr.Timeout) * time.Duration(attr.RetryCnt+1))
		}
	}
	return values
}
