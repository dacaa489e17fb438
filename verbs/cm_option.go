package verbs

// CMOption is one option of an identifier; rdma_set_option(3).
type CMOption uint32

// Options of level RDMA_OPTION_ID; the values are those of the C constants.
const (
	CMOptTOS        CMOption = 0 // type of service, 0..255
	CMOptReuseAddr  CMOption = 1 // 0 or 1
	CMOptAFOnly     CMOption = 2 // IPv6 only, 0 or 1
	CMOptACKTimeout CMOption = 3 // 4.096 µs·2ⁿ, n 0..31
)

// CMOptions names the options.
var CMOptions = Enum[CMOption]{"cm_option", "RDMA_OPTION_ID_", map[CMOption]string{
	CMOptTOS: "TOS", CMOptReuseAddr: "REUSEADDR", CMOptAFOnly: "AFONLY", CMOptACKTimeout: "ACK_TIMEOUT",
}}

func (o CMOption) String() string { return CMOptions.Name(o) }

// MarshalText is String, for JSON.
func (o CMOption) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
