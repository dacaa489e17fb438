package soft

import (
	"time"

	"rdmatui/verbs"
)

var _ verbs.RTValuesQuerier = (*device)(nil)

// QueryRTValuesEx reads the clock of completion_ts.
func (d *device) QueryRTValuesEx() (values verbs.RTValues, err error) {
	if err := d.CheckOpen(); err != nil {
		return values, d.fail("ibv_query_rt_values_ex", err)
	}
	values.RawClock.NSec = int64(time.Since(d.adapter.eng.begun))
	return values, nil
}
