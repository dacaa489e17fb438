package native

import (
	"os"
	"path/filepath"

	"rdmatui/verbs/native/internal/dl"
)

// driverOf maps a kernel module to the library's driver for its devices, by the
// names of rdma-core's providers directory.
var driverOf = map[string]string{
	"bnxt_re":        "bnxt_re",
	"efa":            "efa",
	"erdma":          "erdma",
	"hfi1":           "hfi1verbs",
	"hns_roce_hw_v2": "hns",
	"ib_mthca":       "mthca",
	"ib_qib":         "ipathverbs",
	"ionic_rdma":     "ionic",
	"irdma":          "irdma",
	"iw_cxgb4":       "cxgb4",
	"mana_ib":        "mana",
	"mlx4_ib":        "mlx4",
	"mlx5_ib":        "mlx5",
	"ocrdma":         "ocrdma",
	"qedr":           "qedr",
	"rdma_rxe":       "rxe",
	"siw":            "siw",
	"vmw_pvrdma":     "vmw_pvrdma",
}

// preloadDrivers loads the drivers of the kernel's modules that are there.
//
// ibv_get_device_list loads all drivers that are installed, one after the other,
// unless those that are loaded already serve every device: then it loads none.
// With the right few loaded first it takes a fraction of the time. Where this
// finds nothing, or the wrong ones, the library does as it always did.
func (l *library) preloadDrivers(modules string) {
	for _, variable := range []string{"RDMAV_DRIVERS", "IBV_DRIVERS"} {
		if os.Getenv(variable) != "" {
			return // the user names other drivers, and they are to come first
		}
	}
	so, err := filepath.EvalSymlinks(l.dl.PathOf("ibv_get_device_list"))
	if err != nil {
		return
	}
	dir := filepath.Join(filepath.Dir(so), "libibverbs")
	for module, driver := range driverOf {
		if _, err := os.Stat(filepath.Join(modules, module)); err != nil {
			continue
		}
		// More than one is there while a package is being replaced; which is
		// the library's, only it knows.
		files, _ := filepath.Glob(filepath.Join(dir, "lib"+driver+"-rdmav*.so"))
		if len(files) == 1 {
			// It stays loaded, as with the library: a driver registers itself
			// and cannot be taken back.
			_, _ = dl.Open(files[0]) // the library will try again, and say why
		}
	}
}
