package device

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// QueryRTValuesEx carries out query_rt_values_ex.
func QueryRTValuesEx(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{
		"&values": "&(struct ibv_values_ex){ .comp_mask = IBV_VALUES_MASK_RAW_CLOCK }"})
	q, ok := d.Dev.(verbs.RTValuesQuerier)
	if !ok {
		return &verbs.UnsupportedError{Feature: "ibv_query_rt_values_ex"}
	}
	var values verbs.RTValues
	if err := c.Time(func() (err error) { values, err = q.QueryRTValuesEx(); return err }); err != nil {
		return err
	}
	c.Done.Result = fmt.Sprintf("raw_clock tv_sec=%d tv_nsec=%d", values.RawClock.Sec, values.RawClock.NSec)
	return nil
}
