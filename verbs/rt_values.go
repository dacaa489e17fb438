package verbs

// RTValues are struct ibv_values_ex with IBV_VALUES_MASK_RAW_CLOCK.
type RTValues struct {
	// RawClock is the device's own clock, a struct timespec. Devices put their ticks,
	// as completion_ts counts them, into NSec and leave Sec 0.
	RawClock struct{ Sec, NSec int64 }
}

// RTValuesQuerier is implemented by devices that can tell values of the moment.
type RTValuesQuerier interface {
	// QueryRTValuesEx reads the raw clock; ibv_query_rt_values_ex(3). An error that
	// matches ErrUnsupported means that library or driver have no such call.
	QueryRTValuesEx() (RTValues, error)
}
