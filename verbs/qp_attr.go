package verbs

// AttrMask is the set of QPAttr fields that a modify or query concerns.
type AttrMask uint32

// Attribute bits; the values are those of enum ibv_qp_attr_mask.
const (
	AttrState            AttrMask = 1 << 0
	AttrCurState         AttrMask = 1 << 1
	AttrEnSQDAsyncNotify AttrMask = 1 << 2
	AttrAccessFlags      AttrMask = 1 << 3
	AttrPKeyIndex        AttrMask = 1 << 4
	AttrPort             AttrMask = 1 << 5
	AttrQKey             AttrMask = 1 << 6
	AttrAV               AttrMask = 1 << 7
	AttrPathMTU          AttrMask = 1 << 8
	AttrTimeout          AttrMask = 1 << 9
	AttrRetryCnt         AttrMask = 1 << 10
	AttrRNRRetry         AttrMask = 1 << 11
	AttrRQPSN            AttrMask = 1 << 12
	AttrMaxQPRDAtomic    AttrMask = 1 << 13
	AttrAltPath          AttrMask = 1 << 14
	AttrMinRNRTimer      AttrMask = 1 << 15
	AttrSQPSN            AttrMask = 1 << 16
	AttrMaxDestRDAtomic  AttrMask = 1 << 17
	AttrPathMigState     AttrMask = 1 << 18
	AttrCap              AttrMask = 1 << 19
	AttrDestQPN          AttrMask = 1 << 20
	AttrRateLimit        AttrMask = 1 << 25
)

// AttrMasks names the attribute bits.
var AttrMasks = Flags[AttrMask]{"qp_attr_mask", "IBV_QP_", map[int]string{
	0: "STATE", 1: "CUR_STATE", 2: "EN_SQD_ASYNC_NOTIFY", 3: "ACCESS_FLAGS", 4: "PKEY_INDEX",
	5: "PORT", 6: "QKEY", 7: "AV", 8: "PATH_MTU", 9: "TIMEOUT", 10: "RETRY_CNT", 11: "RNR_RETRY",
	12: "RQ_PSN", 13: "MAX_QP_RD_ATOMIC", 14: "ALT_PATH", 15: "MIN_RNR_TIMER", 16: "SQ_PSN",
	17: "MAX_DEST_RD_ATOMIC", 18: "PATH_MIG_STATE", 19: "CAP", 20: "DEST_QPN", 25: "RATE_LIMIT",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (m AttrMask) String() string { return AttrMasks.Name(m) }

// MarshalText is String, for JSON.
func (m AttrMask) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// GlobalRoute is the routing part of an address vector; struct ibv_global_route.
type GlobalRoute struct {
	DGID         GID    `json:"dgid"`
	FlowLabel    uint32 `json:"flow_label"` // 20 bits
	SGIDIndex    uint8  `json:"sgid_index"`
	HopLimit     uint8  `json:"hop_limit"` // 0 and 1: not routed out of the subnet
	TrafficClass uint8  `json:"traffic_class"`
}

// AHAttr is an address vector; struct ibv_ah_attr. On RoCE IsGlobal must be set.
type AHAttr struct {
	GRH         GlobalRoute `json:"grh"`
	DLID        uint16      `json:"dlid"` // InfiniBand only
	SL          uint8       `json:"sl"`   // service level, 0..15
	SrcPathBits uint8       `json:"src_path_bits"`
	StaticRate  uint8       `json:"static_rate"` // enum ibv_rate, 0 = the port's rate
	IsGlobal    bool        `json:"is_global"`
	PortNum     uint8       `json:"port_num"`
}

// QPCap holds a queue pair's capacities; struct ibv_qp_cap. A provider may round up.
type QPCap struct {
	MaxSendWR     uint32 `json:"max_send_wr"`
	MaxRecvWR     uint32 `json:"max_recv_wr"`
	MaxSendSGE    uint32 `json:"max_send_sge"`
	MaxRecvSGE    uint32 `json:"max_recv_sge"`
	MaxInlineData uint32 `json:"max_inline_data"` // bytes
}

// QPAttr holds the attributes of a queue pair; struct ibv_qp_attr. Mask says which
// fields are set; package fields describes each.
type QPAttr struct {
	Mask AttrMask `json:"attr_mask"`

	QPState          QPState  `json:"qp_state"`
	CurQPState       QPState  `json:"cur_qp_state"`
	PathMTU          MTU      `json:"path_mtu"`
	PathMigState     MigState `json:"path_mig_state"`
	QKey             uint32   `json:"qkey"`
	RQPSN            PSN      `json:"rq_psn"`
	SQPSN            PSN      `json:"sq_psn"`
	DestQPNum        QPN      `json:"dest_qp_num"`
	QPAccessFlags    Access   `json:"qp_access_flags"`
	Cap              QPCap    `json:"cap"`
	AH               AHAttr   `json:"ah_attr"`
	AltAH            AHAttr   `json:"alt_ah_attr"`
	PKeyIndex        uint16   `json:"pkey_index"`
	AltPKeyIndex     uint16   `json:"alt_pkey_index"`
	EnSQDAsyncNotify bool     `json:"en_sqd_async_notify"`
	SQDraining       bool     `json:"sq_draining"`
	MaxRDAtomic      uint8    `json:"max_rd_atomic"`
	MaxDestRDAtomic  uint8    `json:"max_dest_rd_atomic"`
	MinRNRTimer      uint8    `json:"min_rnr_timer"`
	PortNum          uint8    `json:"port_num"`
	Timeout          uint8    `json:"timeout"`
	RetryCnt         uint8    `json:"retry_cnt"`
	RNRRetry         uint8    `json:"rnr_retry"`
	AltPortNum       uint8    `json:"alt_port_num"`
	AltTimeout       uint8    `json:"alt_timeout"`
	RateLimit        uint32   `json:"rate_limit"` // kbit/s
}

// QPInitAttr holds the attributes that a queue pair was created with, as
// ibv_query_qp(3) returns them.
type QPInitAttr struct {
	Cap      QPCap  `json:"cap"`
	QPType   QPType `json:"qp_type"`
	SQSigAll bool   `json:"sq_sig_all"`
}
