package bench

import "fmt"

// Rule is the line above and below a table of a report.
const Rule = "---------------------------------------------------------------------------------------"

// Columns returns the heading of a report's table, with the columns of perftest. mib
// says MiB/sec, as since perftest 24.07, instead of MB/sec for the same unit.
func Columns(p *Params, mib bool) string {
	switch {
	case p.Test.Latency && p.Duration > 0:
		return " #bytes        #iterations       t_avg[usec]    tps average"
	case p.Test.Latency:
		return " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] "
	}
	unit := "MB/sec"
	if p.Gbits {
		unit = "Gb/sec"
	} else if mib {
		unit = "MiB/sec"
	}
	return fmt.Sprintf(" #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]", unit, unit)
}

// fine reports whether a bandwidth needs more digits, as below 0.1 Gbit/s.
func (r *Report) fine(gbits bool) bool { return gbits && r.Average < 0.1 }

// Row returns the report as a line of the table.
func (r *Report) Row(p *Params) string {
	if r.fine(p.Gbits) {
		return fmt.Sprintf(" %-7d    %d           %-7.6f            %-7.6f            %-7.6f", r.Size, r.Iters, r.Peak,
			r.Average, r.Rate)
	}
	return fmt.Sprintf(" %-7d    %-10d       %-7.2f            %-7.2f\t\t     %-7.6f", r.Size, r.Iters,
		r.Peak, r.Average, r.Rate)
}

// Row returns the report as a line of the table.
func (l *Latency) Row(p *Params) string {
	if p.Duration > 0 {
		return fmt.Sprintf(" %-7d       %d            %-7.2f        %-7.2f", l.Size, l.Iters, l.Average, l.PerSecond)
	}
	return fmt.Sprintf(
		" %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
		l.Size, l.Iters, l.Min, l.Max, l.Typical, l.Average, l.Stdev, l.P99, l.P999)
}

// Field is a value with its name in the file of --out_json. The value is JSON.
type Field struct{ Name, JSON string }

// Fields returns the report as perftest's JSON names it.
func (r *Report) Fields(p *Params) []Field {
	digits := 2
	if r.fine(p.Gbits) {
		digits = 6
	}
	return []Field{
		{"MsgSize", fmt.Sprint(r.Size)}, {"n_iterations", fmt.Sprint(r.Iters)}, {"BW_peak", fixed(r.Peak, digits)},
		{"BW_average", fixed(r.Average, digits)}, {"MsgRate", fixed(r.Rate, 6)},
	}
}

// Fields returns the report as perftest's JSON names it.
func (l *Latency) Fields(p *Params) []Field {
	fields := []Field{{"MsgSize", fmt.Sprint(l.Size)}, {"n_iterations", fmt.Sprint(l.Iters)}}
	if p.Duration > 0 {
		return append(fields, Field{"t_avg", fixed(l.Average, 2)}, Field{"tps_average", fixed(l.PerSecond, 2)})
	}
	return append(fields, Field{"t_min", fixed(l.Min, 2)}, Field{"t_max", fixed(l.Max, 2)},
		Field{"t_typical", fixed(l.Typical, 2)},
		Field{"t_avg", fixed(l.Average, 2)}, Field{"t_stdev", fixed(l.Stdev, 2)},
		Field{"percentile_99", fixed(l.P99, 2)},
		Field{"percentile_99.9", fixed(l.P999, 2)})
}

func fixed(v float64, digits int) string { return fmt.Sprintf("%.*f", digits, v) }
