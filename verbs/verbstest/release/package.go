package main

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
	"time"
)

// packageTemplate is the packager's configuration.
//
//go:embed package.yaml
var packageTemplate string

var packageConfig = template.Must(template.New("package.yaml").Parse(packageTemplate))

// packageConfig returns the packager's configuration of a platform.
func (r *release) packageConfig(t target) []byte {
	var b bytes.Buffer
	// the template is checked by the tests, and a buffer takes everything
	_ = packageConfig.Execute(&b, map[string]string{"Arch": t.arch, "Version": r.version, "Folder": r.folder(t),
		"Date": r.date.Format(time.RFC3339), "Home": home(r.module)})
	return b.Bytes()
}

// home returns the address of a module's page, "" for a path without a host's name: the module is then unpublished.
func home(module string) string {
	if host, _, _ := strings.Cut(module, "/"); strings.Contains(host, ".") {
		return "https://" + module
	}
	return ""
}
