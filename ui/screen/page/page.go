// Package page is what the numbered screens are built of: the panes and which of
// them has the keys, the line below them in which one types a filter or a file's
// name, the table that ties keys to what they do, the notes of a frame, and
// reading off the event loop.
//
// What one screen alone shows or does never lives here: its columns, its layout,
// its command lines. Neither do widgets, which know nothing of screens, nor what
// root owns: the bar, the strip, the console. Package steps runs command lines.
package page
