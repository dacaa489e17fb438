package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// wireFlags are the flags of the wire command.
type wireFlags struct {
	on       string // network interface; "": captures
	filter   string
	summary  bool
	requests bool
	ends     bool
	print    bool   // lines of text also on a terminal
	count    uint64 // of selected packets, 0: all
	write    string // file for the selected packets; "": none, "-": standard output
}

func (c *call) wireCommand() *cobra.Command {
	var f wireFlags
	cmd := &cobra.Command{
		Use:   "wire {FILE... | - | -i INTERFACE}",
		Short: "decode RoCE packets from a capture or a network interface",
		Long: "wire decodes RoCE v1 and v2 packets, and InfiniBand packets in ERF captures. It opens no RDMA device. FILE is a capture in pcap or pcapng format, plain or compressed with gzip, zstd, xz or bzip2; " +
			"- reads one from standard input, such as a pipe from tcpdump or ssh.\n\n" +
			"RoCE is found in tunnels and in the headers of mirrored packets: VXLAN, GENEVE, GRE, NVGRE, ERSPAN I to III, MPLS, IP-in-IP, SRv6, GTP-U, PPPoE, MAC-in-MAC, L2TP, TZSP and others. " +
			"Such a packet has the mark tunnel and its outer addresses; capture without a filter for UDP port 4791 to see it. " +
			"Of packets truncated by the snapshot length, marked cut, wire decodes the headers that are whole, and takes the payload's length from the opcode and the IP length. " +
			"Packets that it cannot look into, such as encrypted ones and IP fragments, are counted and reported.\n\n" +
			"-i reads a network interface of this host, or that of an RDMA device such as rxe0, until Ctrl-C. It needs the capability CAP_NET_RAW. It shows the packets that the kernel " +
			"handles: those of an rxe device, but usually not those of a NIC, which handles RDMA in hardware. For an mlx5 NIC, capture on the RDMA device " +
			"(tcpdump -i mlx5_0) if libpcap supports that, and pipe the output to wire.\n\n" +
			"On a terminal wire opens the Wire screen, which scrolls and filters large captures. It prints text instead if its output is not a terminal, and with " +
			"--print, --json or a flag that selects, summarizes or writes packets.\n\n" +
			"As text, each packet is one line. Marks in brackets at its end show what the other packets reveal about it, for example [retry] or [gap]; " +
			"they are listed below. --requests prints one line for each request instead: its packets, its outcome and its latency. " +
			"--summary prints the totals of each conversation, which is the traffic between two queue pairs.\n\n" +
			"--both-ends compares two captures of the same traffic, one from each end. For each direction it lists the packets that were sent but did not " +
			"arrive, which shows where packets are dropped. With --print it lists all of them: arrived, with the delay; late, which is after a packet that was sent later; " +
			"lost; or outside the time of the other capture. The clocks may differ: the offset between them is estimated and shown.\n\n" +
			"--filter selects packets by marks and fields, for example nak, rnr, psn==0x3ea567, qp==17, op~write, ip==10.0.0.0/8 or len>=1024. " +
			"Combine them with and, or, not and parentheses. Marks, requests and conversations are always worked out from all packets. " +
			"--requests prints each request, and --summary each conversation, that has at least one selected packet; their numbers include its other packets. " +
			"--both-ends compares the selected packets.\n\n" +
			"--write writes the selected packets to a pcapng file as they were captured, and prints none. The file must not exist. -w - writes to " +
			"standard output. With a file, --requests and --summary still print their lines.\n\n" + filterHelp(),
		Example: "rdmatui wire trace.pcap\nrdmatui wire --summary trace.pcap\nrdmatui wire --filter 'nak or rnr or retry' trace.pcapng\n" +
			"rdmatui wire --filter qp==17 -w one-qp.pcapng trace.pcap\nrdmatui wire -i eth0 --requests\nrdmatui wire --both-ends host-a.pcap host-b.pcap\nssh HOST tcpdump -i eth0 -U -w - udp port 4791 | rdmatui wire -\ntcpdump -i mlx5_0 -U -w - | rdmatui wire --summary -",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.on != "" && len(args) > 0:
				return usagef("-i %s and %q exclude each other: give an interface or captures", f.on, args[0])
			case f.on == "" && len(args) == 0:
				return usagef("wire needs a capture file, - for standard input, or -i with a network interface")
			case readsTwice(args):
				return usagef("- is given twice, but standard input can be read only once")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			f.on = c.interfaceOf(f.on)
			pass, err := conversation.ParseFilter(f.filter, nil)
			if err != nil {
				return usagef("--filter %q: %w", f.filter, err)
			}
			if f.ends {
				return c.bothEnds(cmd.Context(), args, pass, f.print)
			}
			if f.screen(c) {
				return wireScreen(cmd.Context(), c, args, f.on)
			}
			return c.writing(f, func(to *packetFile) error { return c.wire(cmd.Context(), args, f, pass, to) })
		},
	}
	cmd.Flags().StringVarP(&f.on, "interface", "i", "",
		"read this network interface, or that of an RDMA device, until Ctrl-C")
	cmd.Flags().Uint64VarP(&f.count, "count", "n", 0, "stop after this many selected packets; 0: no limit")
	cmd.Flags().StringVarP(&f.write, "write", "w", "",
		"write the selected packets to this pcapng file; -: standard output")
	cmd.Flags().StringVar(&f.filter, "filter", "", "select packets by this expression")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "print the totals of each conversation")
	cmd.Flags().BoolVar(&f.ends, "both-ends", false,
		"compare two captures, one from each end, and print the packets that were lost in between")
	cmd.Flags().BoolVar(&f.print, "print", false,
		"print packets also on a terminal, where wire opens the screen otherwise; with --both-ends: every packet")
	cmd.Flags().BoolVar(&f.requests, "requests", false, "print one line for each request")
	return cmd
}

// check refuses flags that do not go together.
func (f *wireFlags) check(args []string) error {
	switch {
	case f.summary && f.requests:
		return usagef("--summary and --requests exclude each other: give one of them")
	case f.ends && (f.summary || f.requests || f.write != ""):
		return usagef("--both-ends excludes --summary, --requests and --write")
	case f.write == "-" && (f.summary || f.requests):
		return usagef("-w - leaves no place for --summary or --requests: write to a file")
	case f.ends && len(args) != 2:
		return usagef("--both-ends needs two captures, one from each end, not %d", len(args))
	case f.ends && f.count > 0:
		return usagef("--both-ends excludes --count: it compares whole captures")
	}
	return nil
}

// readsTwice reports whether standard input is named more than once.
func readsTwice(names []string) bool {
	first := slices.Index(names, "-")
	return first >= 0 && slices.Contains(names[first+1:], "-")
}

// filterHelp lists the marks and fields of a filter, without the header fields.
func filterHelp() string {
	var b strings.Builder
	b.WriteString(
		"Marks and fields of --filter. Header fields can be used too; they have the names that --json prints:\n")
	for _, w := range conversation.FilterWords() {
		if !strings.HasPrefix(w.Doc, "field of the ") {
			fmt.Fprintf(&b, "  %-13s %s\n", w.Name, w.Doc)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wireReport prints selected packets: one by one, or their totals at the end.
type wireReport interface {
	packet(*conversation.Subject) error
	end(*capture.Totals) error
}

// wire reads an interface, or captures one after another. Each has conversations of its
// own. Selected packets go to a file, which may be nil.
func (c *call) wire(ctx context.Context, names []string, f wireFlags, pass conversation.Filter, to *packetFile) error {
	if f.on != "" {
		r, err := capture.Live(f.on)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "rdmatui: reading RoCE packets on %s until Ctrl-C\n", f.on)
		return c.wireFrom(ctx, r, f.on, &f, pass, to)
	}
	limited := f.count > 0
	for _, name := range names {
		err := c.withCapture(ctx, name, func(r *capture.Reader) error { return c.wireFrom(ctx, r, name, &f, pass, to) })
		if err != nil || limited && f.count == 0 {
			return err
		}
	}
	return nil
}

// withCapture opens a file, or standard input for "-", and passes its reader to use.
func (c *call) withCapture(ctx context.Context, name string, use func(*capture.Reader) error) error {
	from, r, err := openCapture(ctx, name, c.Stdin)
	if err != nil {
		return err
	}
	defer from.Close()
	return use(r)
}

// openCapture opens a file, or stdin for "-", and reads the head of the capture.
func openCapture(ctx context.Context, name string, stdin io.Reader) (from io.ReadCloser, r *capture.Reader, err error) {
	if name == "-" {
		from = untilDone(ctx, stdin)
	} else {
		f, err := openUntilDone(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		from = readUntilDone(ctx, f)
	}
	if r, err = capture.NewReader(from); err != nil {
		from.Close()
		return nil, nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return from, r, nil
}

// inputName names a capture in an error.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// wireFrom reads packets to the end, or until ctx is done, and closes the reader. It lowers
// the limit of the flags by the selected packets.
func (c *call) wireFrom(ctx context.Context, r *capture.Reader, name string, f *wireFlags,
	pass conversation.Filter, to *packetFile) error {
	defer context.AfterFunc(ctx, r.Stop)()
	if to != nil {
		to.packets.Comment = r.Comment()
	}
	out := bufio.NewWriterSize(c.Stdout, 1<<16)
	talks := conversation.New()
	w := &wireRun{
		r: r, name: inputName(name), talks: talks, pass: pass, report: to.before(c.wireReport(out, name, talks, *f)),
		left: f.count, live: f.on != "",
	}
	if f.on != "" || name == "-" {
		w.flush = func() error { return errors.Join(out.Flush(), to.Flush()) } // live: each packet at once
	}
	err := w.read(ctx)
	f.count = w.left
	talks.End()
	err = errors.Join(r.Close(), w.report.end(&r.Totals), out.Flush(), err)
	if !f.summary { // which says it as well
		for _, note := range skipNotes(&r.Totals) {
			fmt.Fprintf(c.Stderr, "rdmatui: %s: %s\n", line.Escape(w.name), note)
		}
	}
	return err
}

// wireRun passes packets from a reader to a report.
type wireRun struct {
	r      *capture.Reader
	name   string // of the capture, for errors
	talks  *conversation.Table
	pass   conversation.Filter
	report wireReport
	left   uint64       // selected packets after which it ends; 0: no limit
	live   bool         // the reader ends by itself when ctx is done
	flush  func() error // after each packet; nil: not needed
}

// read reads to the end.
func (w *wireRun) read(ctx context.Context) error {
	var f capture.Frame
	s := conversation.Subject{Frame: &f}
	for w.live || ctx.Err() == nil {
		err := w.r.Next(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w; the packets before it were read", w.name, err)
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
		if w.left > 0 {
			if w.left--; w.left == 0 {
				return nil
			}
		}
	}
	return ctx.Err()
}

// interfaceOf returns the network interface that -i names: itself, or that of an RDMA device.
func (c *call) interfaceOf(name string) string {
	if _, err := net.InterfaceByName(name); name == "" || err == nil || c.Host == nil {
		return name
	}
	if of := devices.InterfaceOf(c.Host, name); of != "" {
		return of
	}
	return name // no interface has this name, which is the error that counts
}

// screen reports whether wire opens the screen: on a terminal, unless a flag asks for
// text.
func (f *wireFlags) screen(c *call) bool {
	if c.json || f.summary || f.requests || f.ends || f.print || f.count > 0 || f.filter != "" || f.write != "" {
		return false
	}
	out, ok := c.Stdout.(*os.File)
	return ok && term.IsTerminal(out.Fd())
}

// wireScreen opens the screen on an interface, or on captures.
func wireScreen(ctx context.Context, c *call, names []string, on string) error {
	sources, err := captureSources(ctx, c, names, on)
	if err != nil {
		return err
	}
	providers, err := c.providers()
	if err != nil {
		return errors.Join(err, closeAll(sources))
	}
	return c.Screen(ctx, providers, "", sources, false)
}

// captureSources opens an interface, or captures: what cannot be read is told before the
// screen opens.
func captureSources(
	ctx context.Context, c *call, names []string, on string,
) (sources []conversation.Source, err error) {
	if on != "" {
		r, err := capture.Live(on)
		return []conversation.Source{{Name: on, Reader: r}}, err
	}
	for _, name := range names {
		from, r, err := openCapture(ctx, name, c.Stdin)
		if err != nil {
			return nil, errors.Join(err, closeAll(sources))
		}
		sources = append(sources, conversation.Source{Name: inputName(name), Reader: r, File: from})
	}
	return sources, nil
}

func closeAll(sources []conversation.Source) (err error) {
	for i := range sources {
		err = errors.Join(err, sources[i].Close())
	}
	return err
}

// packetFile receives the selected packets; nil: they are not written.
type packetFile struct {
	*bufio.Writer
	packets *capture.Writer
	name    string // in messages
	count   uint64
}

// writing runs a reading of captures with the file that the flags name, if any, and says
// on standard error how many packets were written. A file without packets does not outlive
// an error.
func (c *call) writing(f wireFlags, read func(*packetFile) error) error {
	switch out, ok := c.Stdout.(*os.File); {
	case f.write == "":
		return read(nil)
	case f.write != "-":
		file, err := session.CreateFile(f.write)
		if err != nil {
			return err
		}
		to := &packetFile{Writer: file.Writer, name: f.write}
		if err = c.write(to, read); err != nil && to.count == 0 {
			return file.Finish(err)
		}
		return cmp.Or(err, file.Close())
	case ok && term.IsTerminal(out.Fd()):
		return usagef(
			"-w - writes a binary capture, and standard output is a terminal: give a file, or pipe the output")
	}
	to := &packetFile{Writer: bufio.NewWriterSize(c.Stdout, 1<<16), name: "standard output"}
	return c.write(to, read)
}

// write reads captures and completes the file.
func (c *call) write(to *packetFile, read func(*packetFile) error) error {
	to.packets = capture.NewWriter(to)
	err := read(to)
	if err != nil && to.count == 0 {
		return err
	}
	if failed := cmp.Or(to.packets.Close(), to.Flush()); failed != nil {
		return failed
	}
	fmt.Fprintf(c.Stderr, "rdmatui: %s written to %s\n", format.Counted(to.count, "packet"), line.Escape(to.name))
	return err
}

// Flush writes what is buffered.
func (p *packetFile) Flush() error {
	if p == nil {
		return nil
	}
	return p.Writer.Flush()
}

// before returns a report that writes each packet before it passes it on.
func (p *packetFile) before(next wireReport) wireReport {
	if p == nil {
		return next
	}
	return &writeReport{next, p}
}

type writeReport struct {
	wireReport
	to *packetFile
}

func (r *writeReport) packet(s *conversation.Subject) error {
	if err := r.to.packets.WriteFrame(s.Frame); err != nil {
		return err
	}
	r.to.count++
	return r.wireReport.packet(s)
}
