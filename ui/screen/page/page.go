// Package page is what the numbered screens are built from: the panes and their
// focus, the line below them for typing a filter or a file name, the table of keys
// and actions, the notes of a frame, and reading off the event loop.
//
// What only one screen shows or does is not here: its columns, its layout, its
// command lines. Neither are widgets, which know nothing of screens, nor what root
// owns: the bar, the strip, the console. Package steps runs command lines.
package page
