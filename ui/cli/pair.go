package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/session/agent"
	"rdmatui/session/pair"
	"rdmatui/ui/widget/line"
)

// localHost is the name of this host as an end of a pair.
const localHost = "local"

// pairFlags are the flags of pair.
type pairFlags struct {
	via      string
	program  string
	markdown bool
}

func pairCommand(c *call) *cobra.Command {
	var f pairFlags
	cmd := &cobra.Command{
		Use:   "pair A B",
		Short: "find out why two hosts do not talk RDMA to each other",
		Long: "pair starts an agent at each end, joins what both know (devices, ports, GIDs, routes, neighbours, MTUs, P_Keys, limits), " +
			"and then tries each direction: UDP, an RDMA_WRITE, a SEND, messages around the MTU, a series, the connection manager. Each " +
			"check is right, wrong, or not looked at, with the reason. The first line is the first thing that is wrong, with what " +
			"both ends show, and the change that mends it.\n\n" +
			"An end is HOST or HOST/DEVICE; 'local' is this host. --via names the command that starts a program at a host; it is split " +
			"at blanks, without a shell. It must not ask for a password. With --soft A,B the first address is that of A's soft0, the " +
			"second that of B's.\n\n" +
			"The exit status is 1 if something is wrong.",
		Example: "rdmatui pair local node7\nrdmatui pair node6/mlx5_0 node7/mlx5_0 --via 'ssh -o BatchMode=yes {host}'\n" +
			"rdmatui pair pod-a pod-b --via 'kubectl exec -i {host} --'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("pair needs two ends; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runPair(cmd.Context(), c, args, f) },
	}
	cmd.Flags().StringVar(&f.via, "via", "ssh {host}",
		"start the agents with this command; {host} is replaced by the name of the host")
	cmd.Flags().StringVar(&f.program, "program", "rdmatui", "the name or path of rdmatui at the hosts")
	cmd.Flags().BoolVar(&f.markdown, "markdown", false, "print Markdown, for a ticket")
	return cmd
}

func runPair(ctx context.Context, c *call, args []string, f pairFlags) error {
	if f.markdown && c.json {
		return usagef("--markdown and --json exclude each other")
	}
	soft := [2]string{c.soft, c.soft}
	if one, other, two := strings.Cut(c.soft, ","); two {
		soft = [2]string{one, other}
	}
	var words [2][]string
	for i, arg := range args {
		var err error
		if words[i], err = agentWords(c, arg, soft[i], f); err != nil {
			return usageError{err}
		}
	}
	var sides [2]pair.Side
	for i, arg := range args {
		p, err := agent.Start(ctx, words[i], nil)
		if err != nil {
			return fmt.Errorf("%s: %q: %w%s", arg, strings.Join(words[i], " "), err,
				notInstalled(err.Error(), f.program))
		}
		defer p.Close()
		sides[i] = pair.Side{Host: arg, Conn: p.Conn, Why: p.Why}
	}
	report, err := pair.Examine(ctx, sides[0], sides[1])
	if err != nil {
		return err
	}
	if err := printPair(c, report, f.markdown); err != nil {
		return err
	}
	if first := report.First(); first != nil {
		return errors.New("something is wrong between the ends; the first finding says what")
	}
	return nil
}

// notInstalled is the remedy where a host's shell or the launcher does not find the program; "" for another error.
func notInstalled(said, program string) string {
	absent := strings.Contains(said, "No such file") || strings.Contains(said, "not found")
	if strings.Contains(said, "exit status 127") || absent && strings.Contains(said, program) {
		return "; install rdmatui there, or name its path with --program"
	}
	return ""
}

// agentWords returns the command that starts the agent of an end.
func agentWords(c *call, arg, soft string, f pairFlags) ([]string, error) {
	name, device, _ := strings.Cut(arg, "/")
	if device == "" {
		device = c.device
	}
	program := []string{f.program, "agent", "--provider", c.provider}
	for _, o := range [][2]string{{"--device", device}, {"--soft", soft}} {
		if o[1] != "" {
			program = append(program, o[0]+"="+o[1])
		}
	}
	if name == localHost {
		self, err := os.Executable()
		program[0] = self
		return program, err
	}
	launcher, err := agent.ParseLauncher(f.via)
	if err != nil {
		return nil, fmt.Errorf("--via %w", err)
	}
	return launcher.Command(name, program)
}

// printPair prints a report: what is wrong first, or that nothing is.
func printPair(c *call, r *pair.Report, markdown bool) error {
	if c.json {
		return printJSON(c.Stdout, r)
	}
	head, row, tail := "%s\n", "%-14s %-10s %-5s %s\n", ""
	if markdown {
		head, row, tail = "**%s**\n", "| %s | %s | %s | %s |\n",
			"\n| verdict | check | of | evidence |\n|---|---|---|---|\n"
	}
	clean := func(s string) string {
		if s = line.Escape(s); markdown {
			s = strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(s)
		}
		return s
	}
	var b strings.Builder
	if first := r.First(); first != nil {
		fmt.Fprintf(&b, head, clean(fmt.Sprintf("wrong: %s (%s): %s", first.Check, first.Of, first.Evidence)))
		fmt.Fprintf(&b, head, clean("change: "+first.Change))
	} else {
		fmt.Fprintf(&b, head, clean(healthy(r)))
	}
	for _, e := range []struct {
		name string
		end  pair.End
	}{{"a", r.A}, {"b", r.B}} {
		fmt.Fprintf(&b, "\n%s", clean(e.name+": "+pairEnd(e.end)))
	}
	b.WriteString("\n\n" + strings.TrimPrefix(tail, "\n"))
	for _, f := range r.Findings {
		if f.Verdict != pair.NotLooked {
			fmt.Fprintf(&b, row, f.Verdict, f.Check, f.Of, clean(f.Evidence))
		}
	}
	for _, why := range notLooked(r) {
		fmt.Fprintf(&b, row, pair.NotLooked, why.checks, "", clean(why.evidence))
	}
	_, err := c.Stdout.Write([]byte(b.String()))
	return err
}

// reason is why checks were not made, with their names.
type reason struct{ evidence, checks string }

// notLooked gathers the checks that were not made by their reasons: one wrong end is the reason for most of them.
func notLooked(r *pair.Report) (reasons []reason) {
	for _, f := range r.Findings {
		if f.Verdict != pair.NotLooked {
			continue
		}
		at := slices.IndexFunc(reasons, func(w reason) bool { return w.evidence == f.Evidence })
		switch {
		case at < 0:
			reasons = append(reasons, reason{f.Evidence, f.Check})
		case !strings.HasSuffix(reasons[at].checks, f.Check): // the other end's or direction's comes next
			reasons[at].checks += ", " + f.Check
		}
	}
	return reasons
}

// pairEnd describes an end in one line.
func pairEnd(e pair.End) string {
	text := e.Host + ", rdmatui " + e.Version
	if e.Device != "" {
		text += fmt.Sprintf(", %s port %d", e.Device, e.Port)
	}
	if e.GID != "" {
		text += fmt.Sprintf(", GID %s at index %d", e.GID, e.Index)
	}
	return text
}

// healthy says of a pair without fault how much was looked at.
func healthy(r *pair.Report) string {
	looked := 0
	for _, f := range r.Findings {
		if f.Verdict == pair.Right {
			looked++
		}
	}
	return fmt.Sprintf("nothing is wrong: %d of %d checks were made, and all are right", looked, len(r.Findings))
}
