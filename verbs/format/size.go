package format

import (
	"math"
	"strconv"
)

// Size formats a number of bytes with the largest unit that leaves at least 1: "4 KiB", "2.4 GiB".
func Size(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x, i := float64(n), 0
	for ; x >= 1024 && i < len(units)-1; i++ {
		x /= 1024
	}
	if x = math.Floor(x*10) / 10; x >= 100 {
		x = math.Floor(x)
	}
	return strconv.FormatFloat(x, 'f', -1, 64) + " " + units[i]
}
