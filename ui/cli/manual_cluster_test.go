package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rdmatui/assets"
)

// pod has the fields of a Pod that the manual uses, by their names in the API reference of Kubernetes (core/v1).
type pod struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		RestartPolicy string      `yaml:"restartPolicy"`
		HostNetwork   bool        `yaml:"hostNetwork"`
		Containers    []container `yaml:"containers"`
	} `yaml:"spec"`
}

type container struct {
	Name      string   `yaml:"name"`
	Image     string   `yaml:"image"`
	Command   []string `yaml:"command"`
	Resources struct {
		Requests map[string]int `yaml:"requests"`
		Limits   map[string]int `yaml:"limits"`
	} `yaml:"resources"`
	SecurityContext struct {
		RunAsUser    *int `yaml:"runAsUser"`
		Capabilities struct {
			Add  []string `yaml:"add"`
			Drop []string `yaml:"drop"`
		} `yaml:"capabilities"`
	} `yaml:"securityContext"`
}

// dnsLabel is what the API takes as the name of a pod or a container (RFC 1123).
var dnsLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// qualified is the name of an extended resource: a domain of its own and a name.
var qualified = regexp.MustCompile(`^[a-z0-9.-]+/[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)

// codeBlock returns the indented block of a page that begins with a line.
func codeBlock(t *testing.T, name, first string) string {
	t.Helper()
	page, _ := assets.Page(name)
	_, after, found := strings.Cut(page, "\n    "+first)
	if !found {
		t.Fatalf("the page %s has no block that begins with %q", name, first)
	}
	block := first
	for l := range strings.Lines(after) {
		code, isCode := strings.CutPrefix(l, "    ")
		if !isCode && block != first {
			break
		}
		if block == first {
			code = l
		}
		block += code
	}
	return block
}

// TestManualPod: the manual's pod is one that Kubernetes takes, and one in which rdmatui can register memory.
func TestManualPod(t *testing.T) {
	var p pod
	decoder := yaml.NewDecoder(strings.NewReader(codeBlock(t, "kubernetes", "apiVersion:")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.APIVersion != "v1" || p.Kind != "Pod" || p.Spec.RestartPolicy != "Never" || len(p.Spec.Containers) != 1 {
		t.Fatalf("%+v", p)
	}
	c := p.Spec.Containers[0]
	if !dnsLabel.MatchString(p.Metadata.Name) || !dnsLabel.MatchString(c.Name) || c.Image == "" || len(c.Command) == 0 {
		t.Errorf("the names %q and %q, the image %q, the command %q", p.Metadata.Name, c.Name, c.Image, c.Command)
	}
	if len(c.Resources.Limits) != 1 {
		t.Errorf("%d resources", len(c.Resources.Limits))
	}
	for name, n := range c.Resources.Limits {
		if !qualified.MatchString(name) || strings.HasSuffix(name, "kubernetes.io") || c.Resources.Requests[name] != n {
			t.Errorf("resource %s: limit %d, request %d", name, n, c.Resources.Requests[name])
		}
	}
	security := c.SecurityContext
	if security.RunAsUser == nil || *security.RunAsUser != 0 ||
		strings.Join(security.Capabilities.Drop, " ") != "ALL" {
		t.Errorf("a capability would not reach the process: %+v", security)
	}
	page, _ := assets.Page("kubernetes")
	for _, name := range security.Capabilities.Add {
		if strings.HasPrefix(name, "CAP_") || !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("the page does not say what %s is for", name)
		}
	}
	if !strings.Contains(page, "kubectl exec -it "+p.Metadata.Name+" -- ") {
		t.Errorf("the page does not enter %s", p.Metadata.Name)
	}
}

// TestContainerfile: the image takes the package that a release makes, with the libraries that the package recommends,
// and its user is not root.
func TestContainerfile(t *testing.T) {
	folder := filepath.Join("..", "..", "verbs", "verbstest", "release")
	file, err := os.ReadFile(filepath.Join(folder, "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(bytes.ReplaceAll(file, []byte("\\\n"), nil))
	for _, want := range []string{"\nFROM docker.io/library/debian:",
		"/dist/rdmatui_${VERSION}_${TARGETARCH}.deb ", "\nARG VERSION\n", "\nARG TARGETARCH\n",
		"useradd --uid 1000 ", "\nUSER 1000\n", "\nENTRYPOINT [\"rdmatui\"]\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	config, err := os.ReadFile(filepath.Join(folder, "package.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	recommends := regexp.MustCompile(`deb:\n.*\n +recommends: \[(.*)\]`).FindSubmatch(config)
	if recommends == nil {
		t.Fatal("the deb recommends nothing")
	}
	for either := range strings.SplitSeq(string(recommends[1]), ", ") {
		if first, _, _ := strings.Cut(either, " | "); !strings.Contains(text, " "+first) {
			t.Errorf("the image lacks %s", first)
		}
	}
	page, _ := assets.Page("containers")
	for _, want := range []string{" --build-arg=VERSION=", " --file=verbs/verbstest/release/Containerfile dist\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the manual has no %q", want)
		}
	}
}
