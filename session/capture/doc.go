// Package capture takes packets from software devices without ever making them
// wait, keeps the newest, and writes them to pcapng files that Wireshark reads.
package capture
