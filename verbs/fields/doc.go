// Package fields describes the structs of the vocabulary field by field: the C
// name, the unit or the mask bit, and how a value is written and read as text.
//
// It holds tables alone. Which fields a command or a state transition needs is
// said elsewhere: package transition, and the command table.
package fields
