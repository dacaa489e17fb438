// Release builds what a release consists of: an archive for each platform, deb and rpm packages, the licences of what
// is linked in, a list of the parts (CycloneDX), and checksums. The same commit gives the same bytes.
//
//	go run ./verbs/verbstest/release -version 1.2.3 -out dist
//
// It needs git and a Go toolchain; the tools that make packages and lists are fetched, at the versions named here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Tools of others, pinned: a new release of one never changes what an unchanged tree builds.
const (
	packager = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"
	lister   = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
)

// target is a platform of a release.
type target struct {
	os, arch string
	packages []string // formats of the packager
}

var targets = []target{
	{"linux", "amd64", []string{"deb", "rpm"}},
	{"linux", "arm64", []string{"deb", "rpm"}},
	{"darwin", "arm64", nil},
}

// semantic is a version of semver.org, without the build's own part.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// release is one run of the program.
type release struct {
	ctx     context.Context
	version string
	module  string    // the path of the module
	out     string    // folder of what is delivered
	scratch string    // folder of what it is made from
	date    time.Time // of the commit: the time of every file
}

func main() {
	version := flag.String("version", "", "the version, such as 1.2.3")
	out := flag.String("out", "dist", "the folder to write; it must not exist or be empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	syscall.Umask(0o022) // everyone may read what is packed, whoever builds it
	if err := build(ctx, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// build builds the release of the module in the working directory.
func build(ctx context.Context, version, out string) (err error) {
	if !semantic.MatchString(version) {
		return fmt.Errorf("-version %q is not a semantic version such as 1.2.3", version)
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; name another folder with -out", out)
	}
	r := &release{ctx: ctx, version: version}
	if r.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if r.date, err = r.commitDate(); err != nil {
		return err
	}
	if r.module, err = r.modulePath(); err != nil {
		return err
	}
	if r.scratch, err = os.MkdirTemp("", "rdmatui-release"); err != nil {
		return err
	}
	defer os.RemoveAll(r.scratch)
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	steps := []func() error{r.programs, r.documents, r.licences, r.archives, r.packages, r.lists, r.checksums}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// commitDate returns SOURCE_DATE_EPOCH if it is set (reproducible-builds.org), otherwise the time of the commit.
func (r *release) commitDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		b, err := r.run(nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, err
		}
		text = strings.TrimSpace(string(b))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the date of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// modulePath returns the path of the module in the working directory.
func (r *release) modulePath() (string, error) {
	b, err := r.run(nil, "go", "list", "-m")
	return strings.TrimSpace(string(b)), err
}

// name returns the name of what is delivered for a platform, without its ending.
func (r *release) name(t target) string {
	return fmt.Sprintf("rdmatui-%s-%s-%s", r.version, t.os, t.arch)
}

// folder returns the folder from which a platform's archive is made.
func (r *release) folder(t target) string { return filepath.Join(r.scratch, r.name(t)) }
