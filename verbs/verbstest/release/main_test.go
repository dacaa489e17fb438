package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBuildRefuses: a wrong version and a folder with files in it are refused before anything is built.
func TestBuildRefuses(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, tt := range []struct{ version, out, want string }{
		{"", empty, "not a semantic version"},
		{"v1.2.3", empty, "not a semantic version"},
		{"1.2", empty, "not a semantic version"},
		{"01.2.3", empty, "not a semantic version"},
		{"1.2.3 -X main.version=4", empty, "not a semantic version"},
		{"1.2.3", full, "is not empty"},
	} {
		err := build(context.Background(), tt.version, tt.out)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q in %s: %v, want %q", tt.version, tt.out, err, tt.want)
		}
	}
}

func TestSemantic(t *testing.T) {
	for _, version := range []string{"0.0.0", "1.2.3", "10.20.30-rc.1"} {
		if !semantic.MatchString(version) {
			t.Errorf("%s is refused", version)
		}
	}
}

// TestPackageConfig: every value is in the packager's configuration, and no place is left open.
func TestPackageConfig(t *testing.T) {
	r := &release{version: "1.2.3", scratch: "/scratch", date: time.Unix(1, 0).UTC()}
	got := string(r.packageConfig(targets[0]))
	for _, want := range []string{"arch: amd64\n", "version: 1.2.3\n", "mtime: 1970-01-01T00:00:01Z\n",
		"src: /scratch/rdmatui-1.2.3-linux-amd64/rdmatui, dst: /usr/bin/rdmatui,"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "homepage") {
		t.Errorf("an unpublished module has a page:\n%s", got)
	}
	r.module = "github.com/OWNER/rdmatui"
	text := string(r.packageConfig(targets[0]))
	if !strings.Contains(text, "\nhomepage: https://github.com/OWNER/rdmatui\n") {
		t.Errorf("a published module has no page:\n%s", text)
	}
	if strings.Contains(got, "{{") || strings.Contains(got, "<no value>") {
		t.Errorf("a place is left open in:\n%s", got)
	}
}

func TestLicenceFile(t *testing.T) {
	for name, want := range map[string]bool{"LICENSE": true, "LICENCE.md": true, "COPYING": true, "NOTICE": true,
		"license.txt": true, "LICENSE.go": false, "README.md": false} {
		if licenceFile.MatchString(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
