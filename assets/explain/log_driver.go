package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// driverLine is a form of lines in which a driver prints what its firmware refused: an entry of the family log tells
// what such lines mean, the values tell the case.
type driverLine struct {
	entries string // what the names of the entries begin with
	re      *regexp.Regexp
	says    func(l *logLine, values []string) string
}

var driverLines = []driverLine{
	{"mlx5", regexp.MustCompile(`\b([A-Z0-9][A-Z0-9_]+)\(0x[0-9a-f]+\) op_mod\(0x[0-9a-f]+\) failed, ` +
		`status ([^(]+)\((0x[0-9a-f]+)\),? syndrome \(?(0x[0-9a-f]+)`), refusedByMlx5},
	{"mlx5", regexp.MustCompile(`\bmlx5dv_devx_\w*?(create|modify)(?:\((\w+)\))? failed(?: on [\w:]+)?, ` +
		`syndrome ((?:0x)?[0-9a-f]+)`), refusedThroughDevX},
	{"mlx5", regexp.MustCompile(`\bPRM command=(0x[0-9a-f]+),? status=(\w+) \((0x[0-9a-f]+)\) ` +
		`with syndrome=(0x[0-9a-f]+)`),
		refusedByMlx5},
	{"mlx5", regexp.MustCompile(`\b(create|modify) \w+ (object) with syndrome=((?:0x)?[0-9a-f]+)`), refusedThroughDevX},
	{"mlx5", regexp.MustCompile(`\bcommand (\S+ \(0x[0-9a-f]+\)|0x[0-9a-f]+) failed:.*?\bfw status = (0x[0-9a-f]+)`),
		refusedByMlx4},
	{"The ", regexp.MustCompile(`\bcmdq\[0x[0-9a-f]+\]=(0x[0-9a-f]+)(?: status (0x[0-9a-f]+))?`), refusedByBnxt},
	{"The ", regexp.MustCompile(`\b([A-Z][A-Z0-9_]+)\(0x[0-9a-f]+\) (?:No done completion|timeout)`), unanswered},
	{"The ", regexp.MustCompile(`\[([A-Z][\w ]+) Cmd Error\]\[op_code=\d+\].*\bmaj=(0x[0-9a-f]+) min=(0x[0-9a-f]+)`),
		refusedByIrdma},
	{"irdma", regexp.MustCompile(`\bae_id = (0x[0-9a-f]+)`), eventOfIrdma},
}

// driverSays is what the values in a text that a driver printed tell of the case, "" where it is not of such a form.
func driverSays(l *logLine, text string, e *Entry) string {
	for _, d := range driverLines {
		if e.Family == "log" && !strings.HasPrefix(e.Name, d.entries) {
			continue
		}
		if values := d.re.FindStringSubmatch(text); values != nil {
			return d.says(l, values[1:])
		}
	}
	return ""
}

// around is how many lines before and after a driver's line may have the rest of it, where a mail broke it.
const around = 2

// drivers takes the values of drivers' lines that are broken.
func (r *logReader) drivers() {
	if !r.several || !r.whole || r.lines > maxJoined {
		return
	}
	lines := strings.Split(string(r.head), "\n")
	for i := range r.found {
		f := &r.found[i]
		if f.Family != "log" || f.Line == 0 || f.Line > len(lines) {
			continue
		}
		pieces := lines[max(f.Line-1-around, 0):min(f.Line+around, len(lines))]
		text := strings.Join(strings.Fields(strings.Join(pieces, " ")), " ")
		l := newLogLine(f.Line, text[:min(len(text), maxLineBytes)], wordAll)
		f.Here = cmp.Or(f.Here, driverSays(l, l.text, &f.Entry))
	}
}

// docaError finds an error of DOCA by its name or its text.
func docaError(l *logLine) []finding {
	e := l.name("doca_error", 2)
	if e == nil || l.calm() {
		return nil
	}
	found := cause(true, e)
	found[0].Failed = l.verb()
	return found
}

func refusedByMlx5(l *logLine, v []string) string {
	said := fmt.Sprintf("the firmware refused %s: %s (%s)", v[0], v[1], v[2])
	return said + meaning(l, "mlx5_cmd_status", v[2]) + "; syndrome " + v[3]
}

func refusedThroughDevX(_ *logLine, v []string) string {
	object := cmp.Or(v[1], "QP")
	return fmt.Sprintf("the firmware refused to %s the %s; syndrome %s", v[0], object, v[2])
}

func refusedByMlx4(l *logLine, v []string) string {
	return fmt.Sprintf("the firmware refused the command %s: status %s", v[0], v[1]) +
		meaning(l, "mlx5_cmd_status", v[1])
}

func refusedByBnxt(l *logLine, v []string) string {
	said := "the command was " + v[0] + meaning(l, "bnxt_command", v[0])
	if v[1] != "" {
		said += "; the firmware refused it with status " + v[1]
	}
	return said
}

func unanswered(_ *logLine, v []string) string { return "the command was " + v[0] }

func refusedByIrdma(_ *logLine, v []string) string {
	return fmt.Sprintf("the device refused the command %q of the driver, with the codes %s and %s", v[0], v[1], v[2])
}

func eventOfIrdma(l *logLine, v []string) string { return v[0] + meaning(l, "irdma_event", v[0]) }

// meaning is what a family's number means, with a colon before it, "" where it has none.
func meaning(l *logLine, family, text string) string {
	n, _ := number(text)
	if e := l.family(family).numbers[n]; len(e) > 0 {
		return ": " + e[0].Short
	}
	return ""
}
