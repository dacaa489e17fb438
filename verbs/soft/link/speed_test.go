package link

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSpeedOf(t *testing.T) {
	for _, tt := range []struct {
		index, speed string
		want         int
	}{
		{"7\n", "25000\n", 25000}, {"7\n", "-1\n", 0}, {"7\n", "", 0}, {"7\n", "fast\n", 0},
		{"8\n", "25000\n", 0}, // an interface of another namespace
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "d0"), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"ifindex": tt.index, "speed": tt.speed} {
			if err := os.WriteFile(filepath.Join(dir, "d0", file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := speedOf(dir, "d0", 7); got != tt.want {
			t.Errorf("index %q, speed %q: %d, want %d", tt.index, tt.speed, got, tt.want)
		}
		if got := speedOf(dir, "d1", 7) + speedOf(dir, "", 0); got != 0 {
			t.Errorf("a missing interface has speed %d", got)
		}
	}
}
