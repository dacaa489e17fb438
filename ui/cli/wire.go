package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
)

// wireFlags are the flags of the wire command.
type wireFlags struct {
	on       string // network interface; "": captures
	filter   string
	summary  bool
	requests bool
	ends     bool
	count    uint64 // of selected packets, 0: all
}

func (c *call) wireCommand() *cobra.Command {
	var f wireFlags
	cmd := &cobra.Command{
		Use:   "wire {FILE... | - | -i INTERFACE}",
		Short: "read RoCE packets from a capture or an interface and say what they show",
		Long: "wire reads captures in the pcap or pcapng format, plain or compressed by gzip, and decodes RoCE v2 and v1 to the last header field. " +
			"It opens no device. With - it reads standard input, such as a pipe from tcpdump, also over ssh. With -i it reads a network interface of " +
			"this host until Ctrl-C, which needs the capability CAP_NET_RAW: that of an rxe device, or of a NIC that does not keep RDMA packets from " +
			"the kernel. An mlx5 NIC does: tcpdump -i with the name of the RDMA device sees its packets, where libpcap can, and writes the pipe.\n\n" +
			"It prints each packet on one line, and at its end what the other packets tell of it: sent again (retry), copied on the way (duplicate), " +
			"overtaken (late), after packets that were not captured (gap), refused (nak, rnr), congestion (cnp, ecn), a wrong ICRC (icrc). " +
			"--requests prints one line for each request instead, with its packets, its answer and how long that took; " +
			"--summary what each conversation of two queue pairs did.\n\n" +
			"--both-ends takes two captures of the same traffic, one from each end, and says which packets were sent and never arrived, and on which way: " +
			"so one finds the switch that drops. The clocks may differ.\n\n" +
			"--filter selects packets by words and fields: nak, rnr, psn==0x3ea567, qp==17, op~write, ip==10.0.0.0/8, len>=1024, joined by and, or, not " +
			"and parentheses. Requests and summaries are made from the packets that it selects.\n\n" + filterHelp(),
		Example: "rdmatui wire trace.pcap\nrdmatui wire --summary trace.pcap\nrdmatui wire --filter 'nak or rnr or retry' trace.pcapng\n" +
			"rdmatui wire -i eth0 --requests\nrdmatui wire --both-ends host-a.pcap host-b.pcap\nssh HOST tcpdump -i eth0 -U -w - udp port 4791 | rdmatui wire -\ntcpdump -i mlx5_0 -U -w - | rdmatui wire --summary -",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.on != "" && len(args) > 0:
				return usagef("wire reads an interface (-i) or captures; leave out -i %s or %q", f.on, args[0])
			case f.on == "" && len(args) == 0:
				return usagef("wire needs a capture file, - for standard input, or -i with a network interface")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			pass, err := filter.Parse(f.filter, nil)
			if err != nil {
				return usagef("--filter %q: %w", f.filter, err)
			}
			if f.ends {
				return c.bothEnds(cmd.Context(), args, pass)
			}
			return c.wire(cmd.Context(), args, f, pass)
		},
	}
	cmd.Flags().StringVarP(&f.on, "interface", "i", "", "read this network interface until Ctrl-C")
	cmd.Flags().Uint64VarP(&f.count, "count", "n", 0, "stop after this many selected packets; 0: at the end")
	cmd.Flags().StringVar(&f.filter, "filter", "", "only the packets that this expression selects")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "print what each conversation did")
	cmd.Flags().BoolVar(&f.ends, "both-ends", false, "join two captures, one from each end, and print which packets were lost on the way")
	cmd.Flags().BoolVar(&f.requests, "requests", false, "print one line for each request")
	return cmd
}

// check refuses flags that do not go together.
func (f *wireFlags) check(args []string) error {
	switch {
	case f.summary && f.requests:
		return usagef("--summary and --requests are two views of one capture; leave out one of them")
	case f.ends && (f.summary || f.requests):
		return usagef("--both-ends is a view of its own; leave out --summary and --requests")
	case f.ends && len(args) != 2:
		return usagef("--both-ends needs two captures, one from each end; here are %d", len(args))
	case f.ends && f.count > 0:
		return usagef("--both-ends needs the whole captures; leave out --count")
	}
	return nil
}

// filterHelp lists what a filter may use, but for the fields of headers.
func filterHelp() string {
	var b strings.Builder
	b.WriteString("Words and fields of --filter, besides the header fields by their names in --json:\n")
	for _, w := range filter.Words() {
		if !strings.HasPrefix(w.Doc, "field of the ") {
			fmt.Fprintf(&b, "  %-13s %s\n", w.Name, w.Doc)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wireReport prints what packets show: packet by packet, or at the end.
type wireReport interface {
	packet(*filter.Subject) error
	end(*capture.Totals) error
}

// wire reads an interface, or captures one after another. Each has conversations of its
// own.
func (c *call) wire(ctx context.Context, names []string, f wireFlags, pass filter.Filter) error {
	if f.on != "" {
		r, err := capture.Live(f.on)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "rdmatui: reading RoCE packets of %s until Ctrl-C\n", f.on)
		return c.wireFrom(ctx, r, f.on, f, pass)
	}
	for _, name := range names {
		if err := c.wireFile(ctx, name, f, pass); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) wireFile(ctx context.Context, name string, f wireFlags, pass filter.Filter) error {
	from, err := c.openCapture(ctx, name)
	if err != nil {
		return err
	}
	defer from.Close()
	r, err := capture.NewReader(from)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.wireFrom(ctx, r, name, f, pass)
}

// openCapture opens a file, or standard input for "-".
func (c *call) openCapture(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return untilDone(ctx, c.Stdin), nil
	}
	return os.Open(name)
}

// wireFrom reads packets to the end, or until ctx is done, and closes the reader.
func (c *call) wireFrom(ctx context.Context, r *capture.Reader, name string, f wireFlags, pass filter.Filter) error {
	defer context.AfterFunc(ctx, r.Stop)()
	out := bufio.NewWriterSize(c.Stdout, 1<<16)
	talks := conversation.New()
	w := &wireRun{r: r, talks: talks, pass: pass, report: c.wireReport(out, name, talks, f), count: f.count}
	if f.on != "" || name == "-" {
		w.flush = out.Flush // packets come one by one, and are waited for
	}
	damaged := w.read(ctx)
	talks.End()
	err := errors.Join(r.Close(), w.report.end(&r.Totals), out.Flush())
	if damaged != nil {
		err = errors.Join(err, fmt.Errorf("%s: %w; what came before it was read", name, damaged))
	}
	return err
}

// wireRun passes packets from a reader to a report.
type wireRun struct {
	r      *capture.Reader
	talks  *conversation.Table
	pass   filter.Filter
	report wireReport
	count  uint64       // selected packets after which it ends; 0: no limit
	flush  func() error // after each packet; nil: not needed
}

// read reads to the end.
func (w *wireRun) read(ctx context.Context) error {
	var f capture.Frame
	s := filter.Subject{Frame: &f}
	taken := uint64(0)
	for ctx.Err() == nil {
		err := w.r.Next(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.Marks, s.Talk = w.talks.Add(&f)
		if !w.pass(&s) {
			continue
		}
		if err := w.report.packet(&s); err != nil {
			return err
		}
		if w.flush != nil {
			if err := w.flush(); err != nil {
				return err
			}
		}
		if taken++; taken == w.count {
			return nil
		}
	}
	return ctx.Err()
}
