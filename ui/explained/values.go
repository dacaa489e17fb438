package explained

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// mostRetries is the largest retry_cnt, and the usual one.
const mostRetries = 7

// decoders say what a coded value stands for, by the names of attributes.
var decoders = map[string]func(n uint8) time.Duration{
	"timeout": verbs.AckTimeout, "alt_timeout": verbs.AckTimeout, "local_ca_ack_delay": verbs.AckTimeout,
	"subnet_timeout": verbs.AckTimeout, "ACK_TIMEOUT": verbs.AckTimeout, "min_rnr_timer": verbs.RNRTimer,
	"NCCL_IB_TIMEOUT": verbs.AckTimeout, "FI_VERBS_MIN_RNR_TIMER": verbs.RNRTimer,
}

// coded is how many codes a timer has: 5 bits.
const coded = 32

// Asked puts the value that an attribute was asked for with into its texts: "14" of
// "timeout 14" as 67.1 ms.
func Asked(e explain.Entry) explain.Entry { return AskedOf(e, nil) }

// AskedOf is Asked where more is known besides.
func AskedOf(e explain.Entry, known explain.Values) explain.Entry {
	values := explain.Values{"asked": e.Asked, "attr:" + e.Name: e.Asked, "memlock": devices.LockedMemory()}
	maps.Copy(values, known)
	if d, ok := decode(e.Name, e.Asked); ok {
		values["value"] = span(d)
		if d > 0 {
			setIfNew(values, "retries", fmt.Sprint(mostRetries))
			setIfNew(values, "total", span(d*(mostRetries+1)))
		}
	}
	e = e.Fill(values)
	e.Wrong = outOfRange(&e)
	return e
}

func setIfNew(values explain.Values, name, value string) {
	if values[name] == "" {
		values[name] = value
	}
}

// decode reads the code of a timer.
func decode(name, text string) (time.Duration, bool) {
	n, err := strconv.ParseUint(text, 0, 8)
	if by := decoders[name]; by != nil && err == nil && n < coded {
		return by(uint8(n)), true
	}
	return 0, false
}

// Move is what the attributes of a transition, as text by their names, put into texts.
func Move(attrs map[string]string) explain.Values {
	values := explain.Values{}
	each, ok := decode("timeout", attrs["timeout"])
	tries, err := strconv.ParseUint(attrs["retry_cnt"], 0, 8)
	if ok && each > 0 && err == nil && tries <= mostRetries {
		values["retries"], values["total"] = attrs["retry_cnt"], span(each*time.Duration(tries+1))
	}
	return values
}

// span is a time with three digits and its unit; 0, which a timer has for ever, in words.
func span(d time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	return format.Span(d)
}
