package main

import (
	"slices"
	"strings"
)

// staticcheckVersion is pinned, so that a new release never fails an unchanged tree.
const staticcheckVersion = "v0.8.2"

// platforms lists the platforms for which the program must build.
var platforms = []struct{ os, arch string }{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "arm64"},
}

// lessGC lets a checker that lives for a short time use more memory: a tenth of its processor time is saved.
const lessGC = "GOGC=400"

func lint(r *run) {
	r.check("gofmt", command{name: "gofmt", args: []string{"-l", "."}})
	r.check("modules", goTool("mod", "download")) // go vet would report the downloads, and that counts as a failure
	r.vet()
	staticcheck := "honnef.co/go/tools/cmd/staticcheck@" + staticcheckVersion
	// Without a network it cannot be fetched, which is not a fault of the code.
	if out, err := goTool("run", staticcheck, "-version").with(noCgo).output(r); err != nil {
		r.cannot("staticcheck", "cannot be fetched: "+lastLine(out))
		return
	}
	r.check("staticcheck", goTool("run", staticcheck, "./...").with(noCgo, lessGC))
}

// vet runs go vet for each platform. Unless the plan says vetAll, it looks on further platforms at the packages
// alone that have other files there: the files of the rest are those of the first, types have the same sizes, and cross
// compiles all of them.
func (r *run) vet() {
	var first []string
	for _, p := range platforms {
		on := []string{"GOOS=" + p.os, "GOARCH=" + p.arch, noCgo}
		name, packages := "go vet "+p.os+"/"+p.arch, []string{"./..."}
		if !r.plan.vetAll {
			out, err := goTool("list", "-f", packageFiles, "./...").with(on...).stdout(r)
			if err != nil {
				r.tally.fail(name, err.Error())
				continue
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if first == nil {
				first = lines
			} else {
				packages = others(first, lines)
			}
		}
		r.check(name, goTool(append([]string{"vet"}, packages...)...).with(append(on, lessGC)...))
	}
}

// packageFiles is the form in which go list tells a package and what belongs to it on a platform.
const packageFiles = "{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}"

// others returns the packages of the lines that are not among those of the other platform.
func others(known, lines []string) (packages []string) {
	for _, line := range lines {
		if !slices.Contains(known, line) {
			path, _, _ := strings.Cut(line, " ")
			packages = append(packages, path)
		}
	}
	return packages
}
