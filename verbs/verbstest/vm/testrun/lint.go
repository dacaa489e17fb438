package main

// staticcheckVersion is pinned, so that a new release never fails an unchanged tree.
const staticcheckVersion = "v0.8.2"

// platforms lists the platforms for which the program must build.
var platforms = []struct{ os, arch string }{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "arm64"},
}

func lint(r *run) {
	r.check("gofmt", command{name: "gofmt", args: []string{"-l", "."}})
	r.check("modules", goTool("mod", "download")) // go vet would report the downloads, and that counts as a failure
	for _, p := range platforms {
		r.check("go vet "+p.os+"/"+p.arch, goTool("vet", "./...").with("GOOS="+p.os, "GOARCH="+p.arch, noCgo))
	}
	staticcheck := "honnef.co/go/tools/cmd/staticcheck@" + staticcheckVersion
	// Without a network it cannot be fetched, which is not a fault of the code.
	if out, err := goTool("run", staticcheck, "-version").with(noCgo).output(r); err != nil {
		r.cannot("staticcheck", "cannot be fetched: "+lastLine(out))
		return
	}
	r.check("staticcheck", goTool("run", staticcheck, "./...").with(noCgo))
}
