package verbs

// FlushWR is what a FLUSH asks of the peer; ibv_wr_flush(3). Its range begins at
// remote_addr.
type FlushWR struct {
	Length uint32 // bytes; not looked at with FlushMR
	Type   FlushType
	Level  FlushLevel
}

// FlushType is how far the peer's earlier data must have come before it answers;
// IBA annex A19.
type FlushType uint8

// Placement types; the values are those of enum ibv_placement_type.
const (
	FlushToAll        FlushType = 1 << 0 // visible to all that read the memory
	FlushToPersistent FlushType = 1 << 1 // in persistent memory
)

// FlushTypes names the placement types.
var FlushTypes = Flags[FlushType]{"type", "IBV_FLUSH_", map[int]string{0: "GLOBAL", 1: "PERSISTENT"}}

func (t FlushType) String() string { return FlushTypes.Name(t) }

// Access is the right that the type needs of the peer's region and queue pair.
func (t FlushType) Access() (need Access) {
	if t&FlushToAll != 0 {
		need |= FlushGlobal
	}
	if t&FlushToPersistent != 0 {
		need |= FlushPersistent
	}
	return need
}

// FlushLevel is how much a FLUSH is about; IBA annex A19.
type FlushLevel uint8

// Selectivity levels; the values are those of enum ibv_selectivity_level.
const (
	FlushRange FlushLevel = 0 // length bytes from remote_addr
	FlushMR    FlushLevel = 1 // the whole region of the rkey
)

// FlushLevels names the selectivity levels.
var FlushLevels = Enum[FlushLevel]{"level", "IBV_FLUSH_", map[FlushLevel]string{FlushRange: "RANGE", FlushMR: "MR"}}

func (l FlushLevel) String() string { return FlushLevels.Name(l) }
