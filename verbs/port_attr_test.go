package verbs

import "testing"

func TestPortRate(t *testing.T) {
	for _, tt := range []struct {
		width uint8
		speed uint16
		want  float64
	}{{2, 32, 100}, {2, 128, 400}, {2, 256, 800}, {16, 256, 400}, {0, 0, 0}, {2, 512, 0}} {
		if p := (PortAttr{ActiveWidth: tt.width, ActiveSpeed: tt.speed}); p.Rate() != tt.want {
			t.Errorf("width %d, speed %d: %g Gbit/s, want %g", tt.width, tt.speed, p.Rate(), tt.want)
		}
	}
}
