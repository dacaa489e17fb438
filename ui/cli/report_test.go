package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// reportOf runs the report command with an answer on standard input.
func reportOf(answer string, args ...string) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	p := &Program{
		Version: "1.2.3",
		Native:  func() verbs.Provider { return noLibrary{} },
		Soft:    func([]netip.Addr) verbs.Provider { return soft.New(soft.Options{}) },
		Host:    devices.Host(), Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &err,
	}
	status = p.Run(context.Background(), append([]string{"report"}, args...))
	return out.String(), err.String(), status
}

// unpack returns the files of an archive by their base names.
func unpack(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(packed); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(head.Name)] = string(text)
	}
}

// TestReport: what was shown is what is in the archive, and it is written only after a yes, over no other file.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", "/home/somebody")
	incident, packets := filepath.Join(dir, "incident.md"), filepath.Join(dir, "doctor.txt")
	saved := map[string]string{incident: "kept in /home/somebody/x \x1b[31m\n", packets: "\xd4\xc3\xb2\xa1"}
	for name, text := range saved {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out.tar.gz")
	for _, answer := range []string{"", "n\n", "yet\n"} {
		if stdout, stderr, status := reportOf(answer, "-o", out); status != Done || stderr != "" ||
			!strings.Contains(stdout, "Nothing was written") {
			t.Errorf("answer %q: exit status %d, %s%s", answer, status, stdout, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("answer %q wrote the archive", answer)
		}
	}
	stdout, stderr, status := reportOf("y\n", "-o", out, incident, packets)
	if status != Done || stderr != "" {
		t.Fatalf("exit status %d, %s", status, stderr)
	}
	for _, want := range []string{`kept in <home>/x \x1b[31m`, "== 2-doctor.txt, 4 bytes\nnot text: not shown\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not shown in:\n%s", want, stdout)
		}
	}
	files := unpack(t, out)
	for name, want := range map[string]string{"version.json": `"version":"1.2.3"`, "doctor.txt": "fail  providers",
		"devices.txt": "soft1", "incident.md": "kept in <home>/x", "2-doctor.txt": "\xd4\xc3\xb2\xa1"} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s in the archive is %q, want %q in it", name, files[name], want)
		}
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, stderr, status := reportOf("y\n", "-o", out); status != Failed || !strings.Contains(stderr, "exists") {
		t.Errorf("an existing file: exit status %d, %s", status, stderr)
	}
}

// TestReportRefuses: what cannot be part of a report ends it before anything is written.
func TestReportRefuses(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxReportFile+1); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{dir: "only regular files", large: "larger than 16 MiB",
		filepath.Join(dir, "none"): "no such file"} {
		out := filepath.Join(dir, "out")
		_, stderr, status := reportOf("", "--yes", "-o", out, file)
		if status != Failed || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit status %d, %s", file, status, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: the archive was written", file)
		}
	}
}

func TestHideNames(t *testing.T) {
	hide := hideNames(map[string]string{"/home/ann": "<home>", "ann": "<user>", "lab-7": "<host>", "ab": "<user>",
		"root": "<user>"})
	for text, want := range map[string]string{
		"/home/ann/x ann@lab-7.example, annex hann lab-71": "<home>/x <user>@<host>.example, annex hann lab-71",
		"a root of ab":   "a root of ab",
		"ann\nann lab-7": "<user>\n<user> <host>",
		"":               "",
	} {
		if got := string(hide([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
