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

// decoders decode encoded values, by attribute name.
var decoders = map[string]func(n uint8) time.Duration{
	"timeout": verbs.AckTimeout, "alt_timeout": verbs.AckTimeout, "local_ca_ack_delay": verbs.AckTimeout,
	"subnet_timeout": verbs.AckTimeout, "ACK_TIMEOUT": verbs.AckTimeout, "min_rnr_timer": verbs.RNRTimer,
	"NCCL_IB_TIMEOUT": verbs.AckTimeout, "FI_VERBS_MIN_RNR_TIMER": verbs.RNRTimer,
}

// coded is the number of codes of a timer: 5 bits.
const coded = 32

// Asked fills the requested value of an attribute into its texts: "timeout 14"
// becomes 67.1 ms.
func Asked(e explain.Entry) explain.Entry { return AskedOf(e, nil) }

// AskedOf is Asked with further known values.
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

// decode decodes a timer.
func decode(name, text string) (time.Duration, bool) {
	n, err := strconv.ParseUint(text, 0, 8)
	if by := decoders[name]; by != nil && err == nil && n < coded {
		return by(uint8(n)), true
	}
	return 0, false
}

// Move returns the values that the attributes of a transition, given as text by name,
// fill into texts.
func Move(attrs map[string]string) explain.Values {
	values := explain.Values{}
	each, ok := decode("timeout", attrs["timeout"])
	tries, err := strconv.ParseUint(attrs["retry_cnt"], 0, 8)
	if ok && each > 0 && err == nil && tries <= mostRetries {
		values["retries"], values["total"] = attrs["retry_cnt"], span(each*time.Duration(tries+1))
	}
	return values
}

// span formats a duration with three digits and its unit; 0, an infinite timer, in words.
func span(d time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	return format.Span(d)
}
