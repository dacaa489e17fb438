package explain

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// calmMark is how loggers mark lines that are no warnings, near the beginning of a line.
var calmMark = regexp.MustCompile(`<(info|debug|trace)>|\*(INFO|DEBUG|NOTICE)\*|\b(INFO|DEBUG|F_DBG|DBG|TRACE|DIAG|NOTICE)\b|` +
	`"?(level|severity|lvl)"?[=:] ?"?(info|debug|trace|notice)\b|\[(I|D|info|debug)\]| - (info|debug|trace|notice) - |^[ID]\d{4} \d\d:`)

// maxMark is how far from the beginning of a line a mark stands.
const maxMark = 160

// calm reports that the line is marked as no warning: what failed in it was mostly an attempt.
func (l *logLine) calm() bool {
	f := l.facts()
	if f.calm == nil {
		marked := marked(l) && calmMark.MatchString(l.text[:min(len(l.text), maxMark)]) &&
			!strings.Contains(l.text, "INFO: task ") // that is how the kernel tells that one hangs
		f.calm = &marked
	}
	return *f.calm
}

// marked reports that the line may have such a mark: one of its words, or a letter that begins the line.
func marked(l *logLine) bool {
	return l.kinds.hasAny(wordMark) || strings.HasPrefix(l.text, "I") || strings.HasPrefix(l.text, "D")
}

// debugMark is how loggers mark lines that tell all they do: what is off there is off on purpose.
var debugMark = regexp.MustCompile(`<(debug|trace)>|\b(DEBUG|TRACE)\b`)

func (l *logLine) debug() bool {
	return l.kinds.hasAny(wordMark) && debugMark.MatchString(l.text[:min(len(l.text), maxMark)])
}

// optional reports that the line is of a program that looks for a plugin, which need not exist.
func optional(l *logLine) bool { return l.calm() && l.has("plugin", "plugins") }

// quote is the beginning of the line, in whole runes.
func (l *logLine) quote() string {
	if len(l.text) <= maxQuote {
		return strings.ToValidUTF8(l.text, "?")
	}
	n := maxQuote
	for n > 0 && !utf8.RuneStart(l.text[n]) {
		n--
	}
	return strings.ToValidUTF8(l.text[:n], "?") + "…"
}

// heading is what loggers put before a message: times, processes, ranks, files, levels.
var heading = regexp.MustCompile(`^(\W*(\d[\w:.,+-]*|[A-Z][a-z]{2} +\d+ [\d:]+ \S+|kernel|infiniband|[\w.@-]+\[\d+\]|` +
	`[\w-]+(\.[\w-]+)*\.(c|cc|cpp|cu|h|hpp|go|py|rs)|[\w-]+:\d+:\d+|[A-Z]*(WARN|WARNING|ERROR|ERR|FATAL|INFO|DEBUG|DIAG|TRACE|NOTICE)|` +
	`[\w-]+\d+[\w.]*:?|[0-9a-f]{4}:[0-9a-f:.]+)[\])}>:,]*\s+)*`)

// begin is how many words of the line are its heading, perhaps with the name of the speaker behind it.
func (l *logLine) begin() int {
	return len(tokensOf(heading.FindString(l.text), maxLineBytes, maxLineBytes)) + maxSpeaker
}

// maxSpeaker is how many words say who prints a line, as "NET/IB :" or "rxe_create_qp:".
const maxSpeaker = 3

// spokenBy reports that the line names the speaker, by the name of its program, its module or its devices.
func (l *logLine) spokenBy(speaker string) bool {
	for _, name := range speakerNames(speaker) {
		if slices.ContainsFunc(l.words, func(w string) bool {
			return strings.HasPrefix(w, name) || strings.HasSuffix(w, "_"+name)
		}) {
			return true
		}
	}
	return false
}

// drivers are what the names of drivers of devices, and those of their devices, begin with.
var drivers = []string{"mlx4", "mlx5", "bnxt", "hfi1", "qib", "cxgb4", "qedr", "irdma", "i40iw", "hns", "efa", "erdma",
	"rxe", "siw", "ocrdma", "vmw_pvrdma", "usnic", "mana", "ionic", "mthca"}

// ofOtherDriver reports that the speaker is the driver of devices, and that the line names another driver alone.
func ofOtherDriver(l *logLine, speaker string) bool {
	if !strings.HasPrefix(speaker, "kernel") {
		return false
	}
	own := driverOf(speakerNames(speaker))
	return own != "" && driverOf(l.words) != "" &&
		!slices.ContainsFunc(l.words, func(w string) bool { return strings.HasPrefix(w, own) })
}

// driverOf is what the first name of a driver or of its device begins with, "" where there is none.
func driverOf(words []string) string {
	for _, w := range words {
		if at := slices.IndexFunc(drivers, func(d string) bool { return strings.HasPrefix(w, d) }); at >= 0 {
			return drivers[at]
		}
	}
	return ""
}

// speakerNames are the words of a speaker's name by which lines name it.
func speakerNames(speaker string) []string {
	return slices.DeleteFunc(tokens(speaker), func(name string) bool {
		return len(name) < 3 || slices.Contains(anySpeaker, name)
	})
}

// anySpeaker are words that name no one.
var anySpeaker = []string{"kernel", "linux", "driver", "core", "library", "client", "server", "host", "the", "and"}

// marks of what a line is about: a device, a queue pair, an address.
var aboutMarks = []struct {
	label string
	re    *regexp.Regexp
}{
	{"", regexp.MustCompile(`\b(mlx[45]_(bond_)?\d+|bnxt_re\w*\d|irdma\d+|roce\w*\d\w*|ib[ps]\w*\d|rxe\w*\d|` +
		`siw\w*\d|hns_\d+|efa_\d+|rdmap\w*\d|erdma_\d+|qedr\d+|cxgb4_\d+|mana_\d+|hfi1_\d+)(:\d+|/\d+)?\b`)},
	{"qp_num", regexp.MustCompile(`(?i)\b(?:qp_?num|qpn|dest_qp|qp)["']?[ =:#]{1,3}(0x[0-9a-f]+|\d+)\b`)},
	{"peer", regexp.MustCompile(`\b((?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?:[:<]\d+>?)?)`)},
}

// marks is what the line names: "mlx5_0:1, qp_num 1234, peer 10.0.0.2".
func (l *logLine) marks() string {
	var parts []string
	for _, m := range aboutMarks {
		if found := m.re.FindStringSubmatch(l.text); found != nil {
			parts = append(parts, strings.TrimSpace(m.label+" "+found[1]))
		}
	}
	return strings.Join(parts, ", ")
}
