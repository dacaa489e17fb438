package capturetest

import (
	"encoding/csv"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Dissect returns the values of fields, by packet, that tshark finds in a capture: the first one of each in a packet,
// "" for none. Without tshark it skips the test, except where CI=true.
func Dissect(t testing.TB, capture string, fields ...string) [][]string {
	t.Helper()
	return dissect(t, capture, "occurrence=f", nil, fields)
}

// DissectInner is Dissect with the last one of each field in a packet: that of the innermost header. options are more
// arguments of tshark.
func DissectInner(t testing.TB, capture string, options []string, fields ...string) [][]string {
	t.Helper()
	return dissect(t, capture, "occurrence=l", options, fields)
}

func dissect(t testing.TB, capture, occurrence string, options, fields []string) [][]string {
	t.Helper()
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no tshark: ", err)
		}
		t.Skip("needs tshark")
	}
	// By default tshark first tries to decode a SEND as NFS, and a short one as truncated NFS. It also takes payload
	// for other protocols whose connections it has seen the connection manager set up.
	args := []string{"-r", capture, "--disable-protocol", "rpcordma", "-T", "fields", "-E", "separator=,", "-E",
		"quote=d", "-E", occurrence,
		"-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"}
	args = append(args, options...)
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	command := exec.CommandContext(t.Context(), tshark, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir()) // no user's preferences
	var why strings.Builder
	command.Stderr = &why
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, why.String())
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
