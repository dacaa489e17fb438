package soft

// rates maps the speed of a network interface, up to a limit in Mbit/s, to the width and speed codes of a RoCE port, as
// Linux does (ib_get_eth_speed). The codes are InfiniBand's: for some speeds their product differs from the speed.
var rates = []struct {
	upTo  int
	width uint8
	speed uint16
}{
	{1_000, 1, 1}, {10_000, 1, 8}, {20_000, 2, 2}, {25_000, 1, 32}, {40_000, 2, 8}, {50_000, 16, 32}, {100_000, 2, 32},
	{200_000, 2, 64}, {400_000, 2, 128},
}

// rateCodes returns active_width and active_speed for a speed in Mbit/s. Both are 0, which means no rate, if the speed
// is unknown: the in-memory link and the loopback interface have none.
func rateCodes(mbit int) (width uint8, speed uint16) {
	if mbit <= 0 {
		return 0, 0
	}
	for _, r := range rates {
		if width, speed = r.width, r.speed; mbit <= r.upTo {
			break
		}
	}
	return width, speed
}
