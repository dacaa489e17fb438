package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what is known of the program: printed by the version command, and part of a report.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`  // of the source; "" if it was built outside a repository, or by "go run"
	Date    string `json:"date,omitempty"`    // of the commit, RFC 3339
	Changed bool   `json:"changed,omitempty"` // the source differed from the commit
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// buildOf returns the build with what the Go toolchain has written into the program.
func buildOf(version string, info *debug.BuildInfo) build {
	b := build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// String returns the build as one line.
func (b build) String() string {
	from := ""
	if b.Commit != "" {
		from = fmt.Sprintf(", commit %.12s of %.10s", b.Commit, b.Date)
	}
	if b.Changed {
		from += " with changes"
	}
	return fmt.Sprintf("rdmatui %s (%s %s/%s%s)", b.Version, b.Go, b.OS, b.Arch, from)
}

func (c *call) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Long:  "version prints the version, and the commit of the source if the program was built in its repository.",
		Args:  noArgs("an argument"),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo() // nil without one
			b := buildOf(c.Version, info)
			if c.json {
				return printJSON(c.Stdout, b)
			}
			_, err := fmt.Fprintln(c.Stdout, b)
			return err
		},
	}
}
