package main

import (
	"bytes"
	_ "embed"
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
		"Date": r.date.Format(time.RFC3339)})
	return b.Bytes()
}
