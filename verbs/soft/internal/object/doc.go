// Package object is the common base of a software device's objects: their context and its lock, their users, the quota
// that counts them, the events that they raise, and the random numbers that identify them.
//
// It contains no memory, packets or connections.
package object
