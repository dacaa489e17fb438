package verbs

// CMRejectReason is the reason why a connection request was rejected; IBA
// 12.6.7.2.
type CMRejectReason uint16

// Reasons.
const (
	RejectNoQP                      CMRejectReason = 1
	RejectNoEEC                     CMRejectReason = 2
	RejectNoResources               CMRejectReason = 3
	RejectTimeout                   CMRejectReason = 4
	RejectUnsupported               CMRejectReason = 5
	RejectInvalidCommID             CMRejectReason = 6
	RejectInvalidCommInstance       CMRejectReason = 7
	RejectInvalidServiceID          CMRejectReason = 8
	RejectInvalidTransportType      CMRejectReason = 9
	RejectStaleConn                 CMRejectReason = 10
	RejectRDCNotExist               CMRejectReason = 11
	RejectInvalidGID                CMRejectReason = 12
	RejectInvalidLID                CMRejectReason = 13
	RejectInvalidSL                 CMRejectReason = 14
	RejectInvalidTrafficClass       CMRejectReason = 15
	RejectInvalidHopLimit           CMRejectReason = 16
	RejectInvalidPacketRate         CMRejectReason = 17
	RejectInvalidAltGID             CMRejectReason = 18
	RejectInvalidAltLID             CMRejectReason = 19
	RejectInvalidAltSL              CMRejectReason = 20
	RejectInvalidAltTrafficClass    CMRejectReason = 21
	RejectInvalidAltHopLimit        CMRejectReason = 22
	RejectInvalidAltPacketRate      CMRejectReason = 23
	RejectPortCMRedirect            CMRejectReason = 24
	RejectPortRedirect              CMRejectReason = 25
	RejectInvalidMTU                CMRejectReason = 26
	RejectInsufficientRespResources CMRejectReason = 27
	RejectConsumerDefined           CMRejectReason = 28
	RejectInvalidRNRRetry           CMRejectReason = 29
	RejectDuplicateLocalCommID      CMRejectReason = 30
	RejectInvalidClassVersion       CMRejectReason = 31
	RejectInvalidFlowLabel          CMRejectReason = 32
	RejectInvalidAltFlowLabel       CMRejectReason = 33
	RejectVendorOptionNotSupported  CMRejectReason = 35
)

// CMRejectReasons names the reasons.
var CMRejectReasons = Enum[CMRejectReason]{"reject_reason", "IB_CM_REJ_", map[CMRejectReason]string{
	RejectNoQP:                      "NO_QP",
	RejectNoEEC:                     "NO_EEC",
	RejectNoResources:               "NO_RESOURCES",
	RejectTimeout:                   "TIMEOUT",
	RejectUnsupported:               "UNSUPPORTED",
	RejectInvalidCommID:             "INVALID_COMM_ID",
	RejectInvalidCommInstance:       "INVALID_COMM_INSTANCE",
	RejectInvalidServiceID:          "INVALID_SERVICE_ID",
	RejectInvalidTransportType:      "INVALID_TRANSPORT_TYPE",
	RejectStaleConn:                 "STALE_CONN",
	RejectRDCNotExist:               "RDC_NOT_EXIST",
	RejectInvalidGID:                "INVALID_GID",
	RejectInvalidLID:                "INVALID_LID",
	RejectInvalidSL:                 "INVALID_SL",
	RejectInvalidTrafficClass:       "INVALID_TRAFFIC_CLASS",
	RejectInvalidHopLimit:           "INVALID_HOP_LIMIT",
	RejectInvalidPacketRate:         "INVALID_PACKET_RATE",
	RejectInvalidAltGID:             "INVALID_ALT_GID",
	RejectInvalidAltLID:             "INVALID_ALT_LID",
	RejectInvalidAltSL:              "INVALID_ALT_SL",
	RejectInvalidAltTrafficClass:    "INVALID_ALT_TRAFFIC_CLASS",
	RejectInvalidAltHopLimit:        "INVALID_ALT_HOP_LIMIT",
	RejectInvalidAltPacketRate:      "INVALID_ALT_PACKET_RATE",
	RejectPortCMRedirect:            "PORT_CM_REDIRECT",
	RejectPortRedirect:              "PORT_REDIRECT",
	RejectInvalidMTU:                "INVALID_MTU",
	RejectInsufficientRespResources: "INSUFFICIENT_RESP_RESOURCES",
	RejectConsumerDefined:           "CONSUMER_DEFINED",
	RejectInvalidRNRRetry:           "INVALID_RNR_RETRY",
	RejectDuplicateLocalCommID:      "DUPLICATE_LOCAL_COMM_ID",
	RejectInvalidClassVersion:       "INVALID_CLASS_VERSION",
	RejectInvalidFlowLabel:          "INVALID_FLOW_LABEL",
	RejectInvalidAltFlowLabel:       "INVALID_ALT_FLOW_LABEL",
	RejectVendorOptionNotSupported:  "VENDOR_OPTION_NOT_SUPPORTED",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (r CMRejectReason) String() string { return CMRejectReasons.Name(r) }

// MarshalText is String, for JSON.
func (r CMRejectReason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
