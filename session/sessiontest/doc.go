// Package sessiontest holds what the tests of the packages of a session share: sessions on the software device and on
// a provider that does nothing, scripts, and both ends of a scenario. It is for tests only.
package sessiontest
