package explained_test

import (
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/session/bench"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/session/oob"
	"rdmatui/session/scenario"
	"rdmatui/ui/cli"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// Sizes that the code does not name.
const (
	udpLen    = 8            // RFC 768
	xrcETHLen = 4            // IBA 9.3.8
	etherRoCE = 0x8915       // IBA annex A16
	rxeHeader = 80           // rxe_param.h: RXE_MAX_HDR_LENGTH
	anyPKey   = 0xffff       // IBA 10.9.1.2: the default partition with full membership
	privilege = 1024         // ip(7): ip_unprivileged_port_start
	vls       = "1 2 4 8 15" // IBA 14.2.5.6: VLCap
)

// roceHeaders are the bytes that the kernel takes off an interface's MTU; include/rdma/ib_addr.h, iboe_get_mtu.
const roceHeaders = verbs.GRHLen + udpLen + wire.BTHLen + xrcETHLen + wire.AtomicETHLen + wire.ICRCLen

// counted are the places whose numbers must all be known.
var counted = regexp.MustCompile(`^(qp_attr|mtu|conn_param|access|transition|gid|wc_\w+|wr_\w+|qp_type|` +
	`send_flag|word|cm_\w+|port_\w+|reject_reason|async_event|device_\w+|link_layer|verb_errno|lab|scenarios|command|measure|env|counter|tour) `)

// facts are what the texts say that the code knows, and after that what they say that it does not.
var facts = []fact{
	// times
	{says: `([\d.]+) (µs) *[·×] *2`,
		holds: rounded(func(uint8) time.Duration { return verbs.AckTimeout(1) / 2 }, 0, 1)},
	{in: `^qp_attr (alt_)?timeout|^env NCCL_IB_TIMEOUT`, says: `\b(\d+) is ([\d.]+) (ms|s)\b`,
		holds: rounded(verbs.AckTimeout, 1, 2)},
	{in: `^qp_attr min_rnr_timer|^env FI_VERBS_MIN_RNR`, says: `\b(\d+) is ([\d.]+) (ms)\b`,
		holds: rounded(verbs.RNRTimer, 1, 2)},
	{says: `\ba code, (\d+) = ([\d.]+) (ms)`, holds: rounded(verbs.RNRTimer, 1, 2)},
	{says: `timeout=(\d+) or more \(([\d.]+) (ms)\)`, holds: rounded(verbs.AckTimeout, 1, 2)},
	{says: `([\d.]+) (ms) with timeout=(\d+)`, holds: rounded(verbs.AckTimeout, 3, 1)},
	{in: `^lab `, says: `(\d+) retries of ([\d.]+) (ms)\b.*timeout=(\d+)`, holds: rounded(verbs.AckTimeout, 4, 2)},
	{in: `^lab `, says: `(\d+) retries of .*retry_cnt=(\d+)`, holds: same(1, 2)},
	{in: `^lab `, says: `([\d.]+) (ms) apart.*min_rnr_timer=(\d+)`, holds: rounded(verbs.RNRTimer, 3, 1)},
	{in: `^lab out-of-bounds`, says: `(\d+) bytes, of which the last (\d+) are beyond.*src:0:(\d+).*addr\+(\d+)`,
		holds: func(place string, m []string) string {
			beyond := number(m[4]) + number(m[3]) - regionOf(place)
			return unless(m[1] == m[3] && number(m[2]) == beyond, m[3], "and", beyond)
		}},
	{in: `^lab `, says: `beyond the end of the (\d+)|src has only (\d+) bytes`,
		holds: func(place string, m []string) string { return is(regionOf(place))(place, m) }},
	{in: `^lab mtu-mismatch$`, says: `two packets of (\d+) bytes.*src:0:(\d+)`,
		holds: func(_ string, m []string) string {
			return unless(2*number(m[1]) == number(m[2]), number(m[2])/2)
		}},
	{in: `^lab mtu-mismatch$`, says: `is (\d+)\..*path_mtu=(\d+)`, holds: same(1, 2)},
	{in: `^wc_field completion_ts`, says: `a tick is (\d+) ns`, holds: is(1)},

	// ranges
	{in: `^qp_attr|^env `, says: `[Cc]ode from 0 to (\d+)`, holds: largest},
	{in: `^verb_errno ibv_modify_qp EINVAL`, says: `timeout above (\d+)`,
		holds: is(fields.QPNamed("timeout").Max)},
	{in: `retry_cnt|RETRY_CNT|RETRY_COUNT`, says: `\b0\.\.(\d+)|(\d+) is the maximum`, holds: largest},
	{says: `0\.\.(\d+); 7 = forever`, holds: is(verbs.InfiniteRNRRetry - 1)},
	{says: `\b(\d+)(?: means retry| =|:)? forever`, holds: forever},
	{in: `^(reject_reason|wc_status|lab) `, says: `rnr_retry(?:_count)?=(\d+)(?: retries forever| while you search|$)`,
		holds: is(verbs.InfiniteRNRRetry)},
	{in: `^tour send-recv`, says: `rnr_retry (\d) has no limit`, holds: is(verbs.InfiniteRNRRetry)},
	{in: `INVALID_RNR_RETRY`, says: `insists on (\d+)`, holds: is(verbs.InfiniteRNRRetry)},
	{in: `^(qp_attr|word|wr_field|wc_field|device_attr|device_attr_ex|gid) `, says: `\b(\d+)[ -]bits?\b(?: number)?`,
		holds: width},
	{in: `^word PSN`, says: `wraps after ([\d,]+)`, holds: is(verbs.MaxPSN)},
	{says: `(0x\w+) for a multicast group|remote_qpn (0x\w+)`, holds: is(verbs.MaxQPN)},
	{in: `^word P_Key`, says: `(0x\w+) is the default`, holds: is(anyPKey)},
	{in: `^word (QPN|GSI)`, says: `pair (\d)|0 and (\d)`, holds: is(1)},
	{in: `^cm_option TOS`, says: `0\.\.(\d+)`, holds: is(1<<8 - 1)},
	{in: `phys_port_cnt`, says: `more than (\d+) ports`, holds: is(1<<8 - 1)},
	{in: `^qp_attr qkey`, says: `manager uses (0x\w+)`, holds: is(bench.CMQKey)},

	// headers
	{says: `(\d+)(?: extra)? bytes[^.;]*\bGRH\b`, holds: is(wire.GRHLen)},
	{says: `\bGRH\b[^.;]*?\b(\d+) bytes`, holds: is(wire.GRHLen)},
	{in: `GRH|wc_field byte_len|^wc_status LOC_LEN_ERR|ibv_create_ah_from_wc|^qp_type UD`,
		says: `\b(\d+)(?: extra)? bytes|length \+ (\d+)`, holds: is(wire.GRHLen)},
	{in: `^word BTH`, says: `(\d+) bytes`, holds: is(wire.BTHLen)},
	{in: `^word ICRC`, says: `(\d+) bytes`, holds: is(wire.ICRCLen)},
	{in: `imm_data|WITH_IMM`, says: `(\d+) (?:extra )?bytes`, holds: is(wire.ImmDtLen)},
	{in: `imm_data`, says: `(\d+) bits`, holds: is(8 * wire.ImmDtLen)},
	{in: `ATOMIC`, says: `(\d+) bytes`, holds: is(wire.AtomicAckETHLen)},
	{in: `ATOMIC|^wc_status|remote_addr|post_send|^lab atomic`, says: `multiple of (\d+)`,
		holds: is(wire.AtomicAckETHLen)},
	{in: `^measure `, says: `FETCH_AND_ADD of (\d+) bytes`, holds: is(wire.AtomicAckETHLen)},
	{in: `^word NAK`, says: `There are (\w+) codes`, holds: func(_ string, m []string) string {
		return unless(m[1] == "four" && wire.NAKRemoteOperational == 3, "four")
	}},
	{in: `^gid ROCE_V1`, says: `type (0x\w+)`, holds: is(etherRoCE)},

	// ports
	{says: `(?i)\budp(?: sockets)?,? (?:port (\d+)|(\d{4,}))|send from port (\d+)|UDP packets, port (\d+)`,
		holds: is(wire.Port)},
	{says: `\bport=(\d{3,})|take port (\d+)`, holds: is(scenario.Named("hello").Port)},
	{says: `TCP,? port (\d+)`, holds: is(oob.DefaultPort)},
	{says: `of (\d+) or more|ports below (\d+)`, in: `^verb_errno rdma_bind_addr EACCES`, holds: is(privilege)},

	// private data
	{says: `(?i)at most (\d+) in (?:rdma_connect|a request)|limited to (\d+) bytes over TCP`,
		holds: is(wire.CMReqPrivateLen - wire.CMIPLen)},
	{says: `(\d+) in (?:rdma_accept|an answer)|at most (\d+) bytes of private data over TCP`,
		holds: is(wire.CMRepPrivateLen)},
	{says: `(\d+) in rdma_reject`, holds: is(wire.CMRejPrivateLen)},
	{in: `rdma_reject`, says: `(?:limited to|at most) (\d+) bytes`, holds: is(wire.CMRejPrivateLen)},
	{in: `rdma_connect EINVAL`, says: `(\d+) over UDP`, holds: is(wire.CMSidrReqPrivateLen - wire.CMIPLen)},
	{in: `rdma_accept EINVAL`, says: `(\d+) over UDP`, holds: is(wire.CMSidrRepPrivateLen)},
	{says: `over UDP (\d+)`, holds: is(wire.CMSidrReqPrivateLen - wire.CMIPLen)},
	{says: `over UDP \d+ and (\d+)`, holds: is(wire.CMSidrRepPrivateLen)},

	// MTUs
	{in: `^mtu `, says: `code (\d+): (\d+) bytes`, holds: func(place string, m []string) string {
		mtu, _ := verbs.ParseMTU(strings.Fields(place)[1])
		return unless(number(m[1]) == uint64(mtu) && number(m[2]) == uint64(mtu.Bytes()), int(mtu), mtu)
	}},
	{in: `^mtu `, says: `MTU of (\d+)(?: or more)?|(\d+) is enough`, holds: func(place string, m []string) string {
		mtu, _ := verbs.ParseMTU(strings.Fields(place)[1])
		if m[1] == "1500" {
			return unless(pathMTU(1500, roceHeaders) == mtu.Bytes(), pathMTU(1500, roceHeaders))
		}
		return is(mtu.Bytes()+roceHeaders)(place, m)
	}},
	{in: `^mtu 512`, says: `on rxe of (\d+)`, holds: is(512 + rxeHeader)},
	{in: `^mtu 512`, says: `(\d+) gives (\d+)`, holds: gives(rxeHeader)},
	{in: `^port_attr active_mtu`, says: `(\d+) gives? (\d+)`, holds: gives(roceHeaders)},
	{in: `^port_attr active_mtu`, says: `(\d+) or (\d+) give (\d+)`, holds: func(place string, m []string) string {
		return gives(roceHeaders)(place, []string{m[0], m[1], m[3]}) +
			gives(roceHeaders)(place, []string{m[0], m[2], m[3]})
	}},
	{in: `^mtu 4096|^port_attr max_mtu|INVALID_MTU`, says: `; (\d+) and (\d+)|Mostly (\d+)|such as (\d+) here`,
		holds: func(_ string, m []string) string {
			for _, s := range m[1:] {
				if n := number(s); s != "" && n != 4096 && pathMTU(int(n), roceHeaders) != 4096 {
					return "an MTU for 4096"
				}
			}
			return ""
		}},
	{says: `path_mtu=(\d+)`, holds: func(_ string, m []string) string {
		_, err := verbs.ParseMTU(m[1])
		return unless(err == nil, "an MTU")
	}},

	// codes and bits
	{in: `^(transition|wc_status|qp_attr|reject_reason) `, says: `\b([a-z_]+)=(\d+)`, holds: inRange},
	{in: `^port_attr active_width`, says: `(\d+) is (\d+)X`, holds: func(_ string, m []string) string {
		p := verbs.PortAttr{ActiveWidth: uint8(number(m[1]))}
		return unless(p.Lanes() == int(number(m[2])), p.Lanes())
	}},
	{in: `^port_attr active_speed`, says: `(\d+) (SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b`,
		holds: func(_ string, m []string) string {
			p := verbs.PortAttr{ActiveSpeed: uint16(number(m[1]))}
			return unless(p.LaneRate() == laneRates[m[2]], laneRates[m[2]], "Gbit/s, not", p.LaneRate())
		}},
	{in: `^port_attr active_speed`, says: `has (\d+) bits`, holds: is(8)},
	{in: `^port_attr max_vl_num`, says: `1, 2, 3, 4, 5 for (.*)`, holds: func(_ string, m []string) string {
		return unless(strings.ReplaceAll(m[1], ",", "") == vls, vls)
	}},
	{in: `odp_caps`, says: `\b(\d) ([A-Z_]+)\b`, holds: func(_ string, m []string) string {
		return unless(1<<number(m[1]) == odpBits[m[2]], odpBits[m[2]])
	}},
	{in: `odp_caps.general`, says: `(\d) supported, (\d) implicit`, holds: func(_ string, m []string) string {
		return unless(number(m[1]) == verbs.ODPSupport && number(m[2]) == verbs.ODPImplicit, "1 and 2")
	}},
	{in: `^device_attr_ex`, says: `1 << (\d+) is ([A-Z_]+)|, 1 << (\d+) ([A-Z_]+)`,
		holds: func(_ string, m []string) string {
			typ, err := verbs.QPTypes.Parse(m[2] + m[4])
			return unless(err == nil && uint64(typ) == number(m[1]+m[3]), uint32(typ))
		}},
	{in: `^device_attr page_size_cap`, says: `Bit (\d+) means pages of (\d+) KiB`,
		holds: func(_ string, m []string) string { return unless(1<<number(m[1]) == number(m[2])<<10, "2^bit bytes") }},
	{in: `pci_atomic_caps`, says: `1, 2, 4 for (\d+), (\d+), (\d+) bytes`, holds: func(_ string, m []string) string {
		return unless(m[1] == "4" && m[2] == "8" && m[3] == "16", "4, 8, 16")
	}},
	{in: `lmc|src_path_bits`, says: `(\d)\^lmc`, holds: is(2)},
	{says: `status (\d+) after|completion \.\.\. error (\d+)|explain status (\d+)`, holds: is(verbs.WCRetryExcErr)},
	{says: `reason (\d+), ([A-Z_]+)`, holds: func(_ string, m []string) string {
		r, err := verbs.CMRejectReasons.Parse(m[2])
		return unless(err == nil && number(m[1]) == uint64(r), uint32(r))
	}},
	{says: `vendor_err (0x\w+)`, holds: func(_ string, m []string) string {
		_, ok := explain.Find("vendor_err", "mlx5 "+m[1])
		return unless(ok, "a code that vendor_err.txt has")
	}},
	{says: `a multicast address: ([\d.]+) to ([\d.]+)`, holds: func(_ string, m []string) string {
		first, last := netip.MustParseAddr(m[1]), netip.MustParseAddr(m[2])
		return unless(first.IsMulticast() && last.IsMulticast() && !first.Prev().IsMulticast() &&
			!last.Next().IsMulticast(), "all of them")
	}},
	{in: `^cm_event ADDR_ERROR`, says: `status -(\d+)(?: or -(\d+))?: (\w+ \w+)`, holds: addrErrno},
	{in: `^(word|qp_attr|env) `, says: `(?:traffic_class )?(\d+) is DSCP (\d+) with (?:the )?ECN bits(?: 2)?`,
		holds: func(_ string, m []string) string {
			return unless(number(m[1])>>2 == number(m[2]) && number(m[1])&3 != 0, number(m[2])<<2|2)
		}},
	{in: `^word trust`, says: `upper (\d) bits: (\d+) is priority (\d+)`, holds: func(_ string, m []string) string {
		return unless(number(m[2])>>(6-number(m[1])) == number(m[3]), number(m[2])>>3)
	}},
	{in: `^word trust`, says: `traffic_class (\d+)`, holds: is(26<<2 | 2)},
	{says: `DSCP in the upper (\d) bits`, holds: is(6)},

	{says: `0 = (\w+) only`, holds: func(_ string, m []string) string {
		op, err := verbs.WROpcodes.Parse(m[1])
		return unless(err == nil && !op.Traits().Remote, "an operation that needs no access")
	}},

	// what both ends see
	{in: `^wc_status LOC_`, says: `(?:sender|requester|peer)(?: then)? gets (\w+)`, holds: requesterGets},
	{in: `^wc_status REM_`, says: `peer gets the event (\w+)`, holds: labHas(lab.Event)},
	{in: `^wc_status REM_`, says: `its RECV fails with (\w+)`, holds: labHas(lab.Responder)},
	{in: `^wc_status REM_`, says: `Both queue pairs go to (\w+)`, holds: bothStates},
	{in: `^wc_status REM_`, says: `the NAK "([^"]+)"`, holds: nak},
	{in: `^qp_attr qp_access_flags`, says: `fails at the peer with (\w+)`,
		holds: experiment("qp-no-access", lab.Requester)},
	{in: `^qp_attr (retry_cnt|dest_qp_num)`, says: `fails? with (\w+)`, holds: experiment("wrong-qpn", lab.Requester)},
	{in: `^qp_attr rnr_retry`, says: `fails with (\w+)`, holds: experiment("no-recv", lab.Requester)},
	{in: `^qp_attr path_mtu`, says: `fail with (\w+) or`, holds: experiment("mtu-mismatch", lab.Requester)},
	{in: `^qp_attr max_send_wr`, says: `fails with (\w+)`, holds: experiment("sq-full", lab.Refused)},
	{in: `^qp_attr max_recv_wr`, says: `fails with (\w+)`, holds: experiment("rq-full", lab.Refused)},
	{in: `^(qp_state ERR|transition any→ERR)`, says: `(?:ends|completes) with (\w+)`,
		holds: experiment("flush", lab.Requester)},
	{in: `^lab \S+ (says|expect)`, says: statusPattern(), holds: says},
	{in: `^transition no such`, says: `answers (\w+)`, holds: experiment("wrong-order", lab.Refused)},

	// what each transition and operation takes
	{in: `^transition`, says: `((?:RC|UC|UD)(?:, (?:RC|UC|UD))*) needs?: nothing; ([a-z_, ]+) are optional`,
		holds: mayChange},
	{in: `^transition RTS→RTS means`, says: `^.*$`, holds: changes},
	{in: `^wr_opcode \S+ (short|means)`, says: traitPattern(), holds: hasTrait},

	{in: `^wr_opcode`, says: `\bRC only`, holds: onlyRC},
	{in: `^qp_type (RC|UC|UD)`, says: `\b(RC|UC|UD) has (only )?([^.]+?)(?:, but no (\w+))?\.`, holds: transports},

	// counts and bounds
	{in: `^measure all-sizes`, says: `from (\d+) B to (\d+) MiB`, holds: func(_ string, m []string) string {
		p := bench.Params{All: true}
		all := p.Sizes(math.MaxUint64)
		return unless(all[0] == number(m[1]) && all[len(all)-1] == number(m[2])<<20, all[0], all[len(all)-1])
	}},
	{in: `^measure cq-mod`, says: `choice: (\d+), or (\d+) for messages over (\d+) KiB`, holds: cqMod},
	{in: `^measure BW-peak`, says: `up to ([\d,]+) messages`, holds: func(_ string, m []string) string {
		at, over := bench.Params{Iters: number(m[1])}, bench.Params{Iters: number(m[1]) + 1}
		return unless(!at.Settle().NoPeak && over.Settle().NoPeak, "the most messages that have a peak")
	}},
	{in: `^manual`, says: `software device has (\d+) KiB`, holds: is(mem.MaxDeviceMemory >> 10)},
	{in: `^manual`, says: `\b(\w+) = (\d+) +#`, holds: setting},
	{in: `^manual`, says: `\b(\w+) = \d+ +#[^=]*?(?:at most|1 to) (\d+)`, holds: mostOfSetting},
	{in: `^manual`, says: `Exit status: (\d) success, (\d) failure, (\d) usage error`,
		holds: func(_ string, m []string) string {
			want := []string{strconv.Itoa(cli.Done), strconv.Itoa(cli.Failed), strconv.Itoa(cli.Wrong)}
			return unless(slices.Equal(m[1:], want), want)
		}},
	{in: `^tour rc-pingpong`, says: `([\d,]+) SENDs each way`, holds: is(scenario.Named("rc-pingpong").Count)},
	{in: `^tour`, says: `(\d) shows the completion`, holds: is(screen.Completions)},
	{in: `^tour`, says: `(\d) the packets|(\d) shows (?:REQ|the RNR)`, holds: is(screen.Wire)},
	{in: `^tour`, says: `(\d) plays hello|(\d) has the error lab`, holds: is(screen.Scenarios)},
	{in: `^manual`, says: `one of (\d+) failures on purpose`, holds: is(len(lab.Names()))},

	{in: `^wc_opcode`, says: `an? (ATOMIC_\w+|FLUSH) is done`, holds: completes},

	{in: `^command recorder memory`, says: `(\d+) to (\d+) MiB.* (\d+) at the start`, holds: recorderMemory},
	{in: `^command repeat n`, says: `1 to (\d+)`, holds: func(_ string, m []string) string {
		_, most := command.Parse("repeat " + m[1] + " sleep 1us")
		_, more := command.Parse("repeat " + strconv.FormatUint(number(m[1])+1, 10) + " sleep 1us")
		return unless(most == nil && more != nil, "the most that is accepted")
	}},
	{in: `^measure`, says: `, (-[A-Za-z])$`, holds: flagLetter},
	{in: `^env NCCL_IB_TC`, says: `DSCP·(\d)`, holds: is(1 << 2)},

	// what no code knows
	{says: `(?:Linux|kernel|NCCL|rdma-core|[Ss]ince|before|older than)(?: before)? \d+(?:\.\d+)?`,
		why: "versions of others"},
	{says: `(?:::ffff:)?\d+\.\d+\.\d+\.\d+|ff00::/8`, why: "addresses"},
	{in: `^qp_attr (qkey|hop_limit)`, says: `(?:0x11111111|64) is common|send 64 for 0`, why: "usage; the kernel"},
	{in: `^cm_call \S+ try`, says: `^.*$`, why: "examples"},
	{says: `(?:1 or )?2 GiB|RFC \d+, [\d.]+|rxe says 64|A 4X port|and 1500 at the peer`,
		why: "devices, documents, examples"},
	{in: `raw_packet_caps`, says: `^.*$`, why: "infiniband/verbs.h: ibv_raw_packet_caps"},
	{in: `^env `, says: `[\d.]+s?(?:, which is)? (?:unless set|the default)|\d \(the default\)|else \d+|\(2\)|` +
		`default was \d+ before NCCL [\d.]+ and \d+ before`, why: "defaults of others"},
	{says: `lowest 3 bits|multiple of 4$`, why: "mlx5"},
	{in: `^counter port_`, says: `units of 4 bytes`, why: "IBA 16.1.3"},
	{in: `^measure (report_gbits|p99.9|slot-limit|thread-CPU)`, says: `10⁹|2²⁰|of 1,000|10 to 20 %|100 %`,
		why: "definitions, PCI Express"},
	{in: `^tour rdma-cm`, says: `type \d+`, why: "a port that the user chooses"},
	{in: `^command`, says: `be32:\d+|le64:|be32:64|addr\+16|\d+s, \d+ms, \d+us|hugetlb:2M`, why: "examples"},
	{in: `^qp_attr timeout try`, says: `^.*$`, why: "advice"},
	{in: `^verb_errno ibv_(alloc_dm|memcpy)`, says: `64 bytes|multiples of 4|words of 4`, why: "mlx5"},
	{says: `(?:of )?types? (?:1|2)[AB]?\b|MEM_WINDOW_TYPE_2A, 2B`, why: "names of memory windows"},
	{in: `^word packet loss`, says: `With 5 % .*machine`, why: "measured"},
	{in: `^scenarios read-write`, says: `a struct ibv_mr at 8, with addr at 24, length at 32 and rkey at 48`,
		why: "the partner's message"},
	{in: `^word trust`, says: `--pfc [\d,]+`, why: "mlnx_qos"},
	{in: `^(device_attr|lab \S+ differs|port_attr) `, says: `0x\w+ is|\d{4} ConnectX|its PCI number|0x\w+ \w+|0xffffff`,
		why: "identifiers of makers"},
}
