package verbs

// CMOption is one option of an identifier; rdma_set_option(3).
type CMOption uint32

// Options; level and name of the C call in one number, level × 2¹⁶.
const (
	CMOptTOS        CMOption = 0<<16 | 0 // type of service, 0..255
	CMOptReuseAddr  CMOption = 0<<16 | 1 // 0 or 1
	CMOptAFOnly     CMOption = 0<<16 | 2 // IPv6 only, 0 or 1
	CMOptACKTimeout CMOption = 0<<16 | 3 // 4.096 µs·2ⁿ, n 0..31
)

// CMOptions names the options.
var CMOptions = Enum[CMOption]{"cm_option", "RDMA_OPTION_ID_", map[CMOption]string{
	CMOptTOS: "TOS", CMOptReuseAddr: "REUSEADDR", CMOptAFOnly: "AFONLY", CMOptACKTimeout: "ACK_TIMEOUT",
}}

func (o CMOption) String() string { return CMOptions.Name(o) }

// MarshalText is String, for JSON.
func (o CMOption) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
