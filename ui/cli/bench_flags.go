package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rdmatui/session/bench"
	"rdmatui/verbs"
)

// benchFlags are the flags whose values are not those of a bench.Params.
type benchFlags struct {
	mtu, connection, atomic string
	duration, margin        int
	json                    bool
	jsonFile                string
	output                  string  // the only figure to print; "": all
	leastBW, leastRate      float64 // 0: none
	sorted, unsorted        bool    // print all samples
}

// benchTest is the command of one test.
func benchTest(c *call, t bench.Test) *cobra.Command {
	p := bench.DefaultParams(t)
	v := benchFlags{
		connection: p.Connection.String(), atomic: "FETCH_AND_ADD", margin: -1, jsonFile: "perftest_out.json",
	}
	cmd := &cobra.Command{
		Use:   t.String() + " [HOST]",
		Short: "the test of " + t.Stock(),
		Args:  atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				p.Host = args[0]
			}
			if err := v.apply(&p); err != nil {
				return usagef("%s: %w", t, err)
			}
			p.Device = c.device
			if err := p.Check(); err != nil {
				return usagef("%s: %w", t, err)
			}
			return v.run(cmd.Context(), c, p)
		},
	}
	v.define(cmd.Flags(), &p)
	lack := lackedFlags(cmd.Flags())
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return lack(cmd) }
	return cmd
}

// define defines perftest's flags.
func (v *benchFlags) define(f *pflag.FlagSet, p *bench.Params) {
	f.Uint16VarP(&p.Port, "port", "p", p.Port, "use this TCP port to exchange addresses")
	f.StringVar(&p.Bind, "bind", "",
		"server: listen at this local IP address, or any; default: the addresses of the device's interface and 127.0.0.1; with -R any")
	f.Uint8VarP(&p.DevicePort, "ib-port", "i", 0, "use this port of the device, from 1; default: the first ACTIVE port")
	f.IntVarP(&p.GIDIndex, "gid-index", "x", -1, "use this row of the GID table; -1: choose one")
	f.Uint64VarP(&p.Size, "size", "s", p.Size, "send messages of this many bytes")
	f.BoolVarP(&p.All, "all", "a", false, "run all sizes from 2 to 2^23 bytes, each twice the one before")
	f.Uint64VarP(&p.Iters, "iters", "n", p.Iters, "send this many messages on each queue pair")
	f.IntVarP(&v.duration, "duration", "D", 0, "run for this many seconds instead of -n messages")
	f.IntVarP(&v.margin, "margin", "f", -1,
		"do not measure this many seconds at both ends of -D; default: a quarter of -D")
	f.StringVarP(&v.mtu, "mtu", "m", "",
		"set the path MTU: 256, 512, 1024, 2048 or 4096 bytes; default: the port's active MTU")
	f.StringVarP(&v.connection, "connection", "c", v.connection, "use this transport service: RC, UC or UD")
	f.BoolVarP(&p.Events, "events", "e", false, "sleep until completion events instead of polling")
	f.IntVarP(&p.TXDepth, "tx-depth", "t", p.TXDepth, "keep this many send requests outstanding on each queue pair")
	f.IntVarP(&p.RXDepth, "rx-depth", "r", p.RXDepth, "keep this many RECVs posted on each queue pair")
	f.IntVarP(&p.Inline, "inline_size", "I", -1,
		"send messages up to this many bytes inline; default: in latency tests on hardware 188 to 236")
	f.IntVarP(&p.QPs, "qp", "q", 1, "use this many queue pairs; bandwidth tests only")
	f.IntVarP(&p.PostList, "post_list", "l", 1, "post this many requests in one call; bandwidth tests only")
	f.IntVarP(&p.CQMod, "cq-mod", "Q", 0,
		"request one completion for this many messages; default: 100, or 1 above 8 KiB")
	f.BoolVarP(&p.Bidirectional, "bidirectional", "b", false, "send in both directions; bandwidth tests only")
	f.IntVarP(&p.Outs, "outs", "o", 0,
		"keep this many READs and atomic operations outstanding; default: max_qp_rd_atom")
	f.StringVarP(&v.atomic, "atomic_type", "A", v.atomic, "use this atomic operation: FETCH_AND_ADD or CMP_AND_SWAP")
	f.Uint8VarP(&p.ServiceLevel, "sl", "S", 0, "set the service level")
	f.Uint8Var(&p.TrafficClass, "tclass", 0, "set the traffic class, the IP header's TOS")
	f.Uint8VarP(&p.Timeout, "qp-timeout", "u", p.Timeout, "wait 4.096 µs·2ⁿ for an ACK")
	f.BoolVarP(&p.CM, "rdma_cm", "R", false, "connect through the connection manager, also for the exchange; RC or UD")
	f.BoolP("CPU-freq", "F", false,
		"ignored: perftest needs it where the CPU's frequency varies; rdmatui measures time")
	f.BoolVarP(&p.NoPeak, "noPeak", "N", false, "do not compute the peak bandwidth")
	f.BoolVar(&p.Gbits, "report_gbits", false, "report Gbit/s instead of MiB/s")
	f.BoolVar(&p.ReportBoth, "report-both", false, "with -b: also report each direction")
	f.IntVarP(&p.Vector, "vector", "X", -1, "use this completion vector (interrupt) for events; with -e")
	f.IntVarP(&p.TOS, "tos", "T", -1, "set the TOS of the queue pairs; with -R")
	f.Uint16Var(&p.PKeyIndex, "pkey_index", 0, "use this row of the P_Key table")
	f.Uint8Var(&p.RetryCount, "retry_count", p.RetryCount, "retransmit at most this many times when no ACK comes")
	f.BoolVar(&p.HugePages, "use_hugepages", false, "take the memory from huge pages")
	f.BoolVar(&p.SharedQueue, "use-srq", false, "receive through a shared queue of -r RECVs")
	f.BoolVar(&p.OnDemand, "odp", false, "register the memory without pinning it")
	f.StringVar(&v.output, "output", "", "print one figure alone: bandwidth or message_rate; in latency tests latency")
	v.defineKind(f, p.Test.Latency)
	f.BoolVar(&v.json, "out_json", false, "write the result to a file in perftest's JSON")
	f.StringVar(&v.jsonFile, "out_json_file", v.jsonFile, "write the JSON to this file")
}

// defineKind defines the flags that only tests of latency, or of bandwidth, have.
func (v *benchFlags) defineKind(f *pflag.FlagSet, latency bool) {
	if latency {
		f.BoolVarP(&v.sorted, "report-histogram", "H", false, "print all times, sorted")
		f.BoolVar(&v.sorted, "report-histogrm", false, "") // as perftest 4.5 spells it
		f.Lookup("report-histogrm").Hidden = true
		f.BoolVarP(&v.unsorted, "report-unsorted", "U", false, "print all times in the order of the messages")
		return
	}
	f.Float64VarP(&v.leastBW, "limit_bw", "w", 0, "fail if the average bandwidth is below this")
	f.Float64VarP(&v.leastRate, "limit_msgrate", "y", 0, "fail if the message rate is below this, in Mpps")
}

// outputs lists what --output may name.
var outputs = map[bool][]string{false: {"bandwidth", "message_rate"}, true: {"latency"}}

// lackedFlag is a flag of perftest that rdmatui lacks.
type lackedFlag struct {
	name, letter string
	takes        bool // a value
}

// lacked lists the flags of perftest 25.01 for these tests that rdmatui lacks. Those of
// raw Ethernet packets and of GPUs are among them.
var lacked = []lackedFlag{
	{"mcg", "g", false}, {"comm_rdma_cm", "z", false},
	{"hop_limit", "L", true}, {"MGID", "M", true},
	{"report-cycles", "C", false}, {"dualport", "O", false}, {"report-counters", "W", true},
	{"force-link", "", true}, {"run_infinitely", "", false}, {"no_lock", "", false},
	{"use-null-mr", "", false},
	{"reversed", "", false}, {"burst_size", "", true}, {"typical_pkt_size", "", true},
	{"rate_limit", "", true},
	{"rate_limit_type", "", true}, {"rate_units", "", true}, {"cpu_util", "", false},
	{"latency_gap", "", true},
	{"flow_label", "", true}, {"dont_xchg_versions", "", false},
	{"payload_file_path", "", true},
	{"use_cuda", "", true}, {"use_cuda_bus_id", "", true}, {"use_cuda_dmabuf", "", false},
	{"use_data_direct", "", false},
	{"use_rocm", "", true}, {"use_neuron", "", true}, {"use_neuron_dmabuf", "", false}, {"use_hl", "", true},
	{"use_mlu", "", true},
	{"mmap", "", true}, {"mmap-offset", "", true}, {"ipv6", "", false}, {"ipv6-addr", "", false},
	{"report-per-port", "", false},
	{"use_old_post_send", "", false},
	{"mr_per_qp", "", false}, {"dlid", "", true},
	{"wait_destroy", "", true}, {"flows", "", true}, {"flows_burst", "", true}, {"reply_every", "", true},
	{"perform_warm_up", "", false},
	{"recv_post_list", "", true}, {"aes_xts", "", false}, {"log_dci_streams", "", true},
	{"log_active_dci_streams", "", true},
	{"disable_pcie_relaxed", "", false}, {"use_ooo", "", false}, {"congest_type", "", true},
	{"bind_source_ip", "", true},
	{"write_with_imm", "", false}, {"no_ddp", "", false}, {"unsolicited_write", "", false},
	{"connectionless", "", false},
}

// harmlessFlags are lacked flags that ask for what rdmatui does anyway.
var harmlessFlags = map[string]bool{"use_old_post_send": true, "disable_pcie_relaxed": true, "no_ddp": true}

// lackedFlags defines the flags that rdmatui lacks, hidden, and returns a function that
// refuses them by name.
func lackedFlags(f *pflag.FlagSet) (refuse func(*cobra.Command) error) {
	for _, l := range lacked {
		if l.takes {
			f.StringP(l.name, l.letter, "", "")
		} else {
			f.BoolP(l.name, l.letter, false, "")
		}
		f.Lookup(l.name).Hidden = true
	}
	return func(cmd *cobra.Command) error {
		for _, l := range lacked {
			if f.Changed(l.name) && !harmlessFlags[l.name] {
				return usagef("%s: perftest's flag --%s is not supported; see '%s --help'", cmd.Name(), l.name,
					cmd.CommandPath())
			}
		}
		return nil
	}
}

// apply sets the parameters that need translation.
func (v *benchFlags) apply(p *bench.Params) (err error) {
	if v.mtu != "" {
		if p.MTU, err = verbs.ParseMTU(v.mtu); err != nil {
			return fmt.Errorf("-m: %w", err)
		}
	}
	switch v.connection {
	case "RC":
		p.Connection = verbs.RC
	case "UC":
		p.Connection = verbs.UC
	case "UD":
		p.Connection = verbs.UD
	default:
		return fmt.Errorf("-c %s is not supported: use RC, UC or UD", v.connection)
	}
	switch v.atomic {
	case "FETCH_AND_ADD":
	case "CMP_AND_SWAP":
		p.CmpSwap = true
	default:
		return fmt.Errorf("-A %s: use FETCH_AND_ADD or CMP_AND_SWAP", v.atomic)
	}
	if kinds := outputs[p.Test.Latency]; v.output != "" && !slices.Contains(kinds, v.output) {
		return fmt.Errorf("--output %s: use %s", v.output, strings.Join(kinds, " or "))
	}
	p.Duration = time.Duration(v.duration) * time.Second
	if v.margin >= 0 {
		p.Margin = time.Duration(v.margin) * time.Second
	}
	return nil
}
