// Package fields describes the structs of package verbs field by field: the C
// name, the unit or the mask bit, and how a value is formatted and parsed.
//
// It contains only tables. The fields that a command or a state transition
// needs are defined elsewhere: in package transition and in the command table.
package fields
