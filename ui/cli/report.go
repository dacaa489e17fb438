package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rdmatui/ui/widget/line"
)

// maxReportFile bounds a file that is added to a report, in bytes; maxReportFiles their number.
const (
	maxReportFile  = 16 << 20
	maxReportFiles = 32
)

// reportPart is a file in a report.
type reportPart struct {
	name string
	data []byte
}

func reportCommand(c *call) *cobra.Command {
	var output string
	var yes bool
	cmd := &cobra.Command{
		Use:   "report [FILE...]",
		Short: "pack what a bug report needs into one archive",
		Long: "report shows what a bug report needs, and after your consent packs it into one archive: the versions of rdmatui " +
			"and of the system, what the doctor finds, every attribute of every device, and the files that you name, such as a journal, an incident or a " +
			"capture (in the program, :w session.rdma, :w incident.md and :w packets.pcapng save them). In texts, the names of " +
			"you, your home directory and this host are replaced. Addresses, GUIDs and the bytes of a capture stay: read the " +
			"report before you send it.",
		Example: "rdmatui report\nrdmatui report incident.md session.rdma -o report.tar.gz\nrdmatui report --yes > report.txt",
		Args:    atMost(maxReportFiles),
		RunE: func(cmd *cobra.Command, files []string) error {
			return makeReport(cmd.Context(), c,
				cmp.Or(output, time.Now().Format("rdmatui-report-20060102-150405.tar.gz")), yes, files)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write this file (default rdmatui-report-DATE-TIME.tar.gz)")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask before the archive is written")
	return cmd
}

// makeReport shows the parts and writes them to the archive called output, if the user consents.
func makeReport(ctx context.Context, c *call, output string, yes bool, files []string) error {
	parts := reportOfHost(ctx, c)
	for _, name := range files {
		data, err := readReportFile(ctx, name)
		if err != nil {
			return err
		}
		parts = append(parts, reportPart{partName(parts, name), data})
	}
	hide := namesOfHere()
	for i, part := range parts {
		if utf8.Valid(part.data) {
			parts[i].data = hide(part.data)
		}
		showReportPart(c.Stdout, parts[i])
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !yes {
		answer, err := c.input(ctx, fmt.Sprintf("Write these %d files to %s? [y/N]", len(parts), line.Escape(output)))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			_, err := fmt.Fprintln(c.Stdout, "Nothing was written; --yes writes without asking.")
			return err
		}
	}
	if err := packReport(output, parts); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Stdout, "%s: %d files. Read them before you send it.\n", line.Escape(output), len(parts))
	return err
}

// reportOfHost returns what rdmatui's own commands say of itself and of the host. An error of a command belongs to what
// they say: that the doctor finds a fault must not keep the report from being written.
func reportOfHost(ctx context.Context, c *call) (parts []reportPart) {
	for _, p := range []struct {
		name string
		args []string
	}{
		{"version.json", []string{"version", "--json"}},
		{"doctor.txt", []string{"doctor"}},
		{"devices.txt", []string{"devices", "-v"}},
	} {
		var out bytes.Buffer
		program := *c.Program
		program.Stdin, program.Stdout, program.Stderr = strings.NewReader(""), &out, &out
		program.Run(ctx, append(p.args, "--provider", c.provider, "--soft", c.soft))
		parts = append(parts, reportPart{p.name, out.Bytes()})
	}
	for _, file := range []string{"/proc/version", "/etc/os-release"} {
		if data, err := readReportFile(ctx, file); err == nil {
			parts = append(parts, reportPart{partName(parts, file) + ".txt", data})
		}
	}
	return parts
}

// readReportFile reads a regular file of at most maxReportFile bytes.
func readReportFile(ctx context.Context, name string) ([]byte, error) {
	f, err := openUntilDone(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: only regular files can be part of a report", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReportFile+1))
	if err == nil && len(data) > maxReportFile {
		err = fmt.Errorf("%s: larger than %d MiB; cut it, or send it by itself", name, maxReportFile>>20)
	}
	return data, err
}

// partName returns the last element of a file's path, with a number if a part has that name.
func partName(parts []reportPart, path string) string {
	base := filepath.Base(path)
	name := base
	for i := 2; slices.ContainsFunc(parts, func(p reportPart) bool { return p.name == name }); i++ {
		name = fmt.Sprintf("%d-%s", i, base)
	}
	return name
}

// namesOfHere returns a function that replaces the names of the user, of the home directory and of the host in a text.
func namesOfHere() func(text []byte) []byte {
	names := map[string]string{}
	if home, err := os.UserHomeDir(); err == nil {
		names[home] = "<home>"
	}
	if host, err := os.Hostname(); err == nil {
		names[host] = "<host>"
	}
	if u, err := user.Current(); err == nil {
		names[u.Username] = "<user>"
	}
	return hideNames(names)
}

// hideNames replaces each key, where it stands as a word, by its value. Names of one or two letters, "/" and root stay:
// they tell nothing of a person, and stand in words of their own.
func hideNames(names map[string]string) func(text []byte) []byte {
	type rule struct {
		name *regexp.Regexp
		by   string
	}
	var rules []rule
	for _, name := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(b) - len(a) }) {
		if len(name) < 3 || slices.Contains([]string{"root", "/root", "localhost"}, name) {
			continue
		}
		word := regexp.MustCompile(`(?m)(^|[^\w.-])` + regexp.QuoteMeta(name) + `\b`)
		rules = append(rules, rule{word, "${1}" + names[name]})
	}
	return func(text []byte) []byte {
		for _, r := range rules {
			text = r.name.ReplaceAll(text, []byte(r.by))
		}
		return text
	}
}

// showReportPart prints a part as the user may read it.
func showReportPart(w io.Writer, part reportPart) {
	fmt.Fprintf(w, "== %s, %d bytes\n", line.Escape(part.name), len(part.data))
	if !utf8.Valid(part.data) {
		fmt.Fprintln(w, "not text: not shown")
		return
	}
	for text := range strings.Lines(string(part.data)) {
		fmt.Fprintln(w, line.Escape(strings.TrimSuffix(text, "\n")))
	}
}

// packReport writes a new gzipped tar archive, readable by its owner only. It replaces no file.
func packReport(output string, parts []reportPart) (err error) {
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; name another file with -o", output)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(output))
		}
	}()
	packed := gzip.NewWriter(f)
	archive := tar.NewWriter(packed)
	folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(output), ".gz"), ".tar")
	for _, part := range parts {
		err := archive.WriteHeader(&tar.Header{
			Name: folder + "/" + part.name, Mode: 0o600, Size: int64(len(part.data)), ModTime: time.Now()})
		if err != nil {
			return err
		}
		if _, err := archive.Write(part.data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}
