package region

import (
	"fmt"

	"rdmatui/verbs"
)

// regMRCall is the call of ibv_reg_mr, with the calls that map the memory where it is
// not fresh; or that of ibv_reg_dm_mr.
func regMRCall(pd string, dm *DM, spec *verbs.MRSpec) string {
	length := fmt.Sprint(spec.Length)
	if dm != nil {
		offset := spec.Backing.Offset
		if spec.Length == 0 {
			length = fmt.Sprint(dm.dm.Spec().Length - min(offset, dm.dm.Spec().Length))
		}
		return fmt.Sprintf("ibv_reg_dm_mr(%s, %s, %d, %s, %s)", pd, dm.Name, offset, length,
			verbs.AccessFlags.CName(spec.Access))
	}
	if spec.Length == 0 {
		length = "st_size"
		if spec.Backing.Offset > 0 {
			length = fmt.Sprintf("st_size - %d", spec.Backing.Offset)
		}
	}
	if b := &spec.Backing; b.Kind == verbs.DMABuf {
		fd, create := cDescriptor(b)
		return create + fmt.Sprintf("ibv_reg_dmabuf_mr(%s, %d, %s, (uintptr_t)%s, %s, %s)", pd, b.Offset, length,
			cMemory(b, length), fd, verbs.AccessFlags.CName(spec.Access))
	}
	return fmt.Sprintf("ibv_reg_mr(%s, %s, %s, %s)", pd, cMemory(&spec.Backing, length), length,
		verbs.AccessFlags.CName(spec.Access))
}

// cDescriptor is the descriptor of a dma-buf, and the call that makes it.
func cDescriptor(b *verbs.Backing) (fd, create string) {
	if b.FD == verbs.NewDMABuf {
		return "fd", `fd = ioctl(open("/dev/udmabuf", O_RDWR), UDMABUF_CREATE, &create); `
	}
	return fmt.Sprint(b.FD), ""
}

func cMemory(b *verbs.Backing, length string) string {
	flags, fd := "MAP_SHARED", ""
	switch b.Kind {
	case verbs.FileMapping:
		fd = fmt.Sprintf("open(%q, O_RDWR)", b.Path)
	case verbs.SharedMemory:
		fd = fmt.Sprintf("shm_open(%q, O_RDWR | O_CREAT, 0600)", b.Path)
	case verbs.DMABuf:
		fd, _ = cDescriptor(b)
	case verbs.HugePages:
		flags, fd = "MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB", "-1"
	default:
		return "buf"
	}
	return fmt.Sprintf("mmap(NULL, %s, PROT_READ | PROT_WRITE, %s, %s, %d)", length, flags, fd, b.Offset)
}
