package widget

// Char is the text of each byte in a hex dump.
var Char = &char

// PerRow returns how many bytes a row has.
func (d *HexDump) PerRow() int { return d.perRow() }

// Digits returns how many digits an offset has.
func (d *HexDump) Digits() int { return d.digits() }

// RowWidth returns the cells of a row of n bytes.
func (d *HexDump) RowWidth(n int) int { return d.width(n) }
