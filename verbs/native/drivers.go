package native

import (
	"os"
	"path/filepath"

	"rdmatui/verbs/native/internal/dl"
)

// driverOf maps a kernel module to the library's driver for its devices, with the names
// of rdma-core's providers directory.
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

// preloadDrivers loads the library's drivers for the kernel modules that are loaded.
//
// ibv_get_device_list loads all installed drivers one after the other, unless the
// drivers already loaded serve every device. With the right few loaded beforehand it
// takes a fraction of the time. If preloadDrivers finds none, or the wrong ones, the
// library behaves as usual. A module that is built into the kernel is not among them.
func (l *library) preloadDrivers(modules string) {
	for _, variable := range []string{"RDMAV_DRIVERS", "IBV_DRIVERS"} {
		if os.Getenv(variable) != "" {
			return // drivers named by the user must be loaded first
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
		// While a package is being replaced there may be several; only the library knows
		// which is its own.
		files, _ := filepath.Glob(filepath.Join(dir, "lib"+driver+"-rdmav*.so"))
		if len(files) == 1 {
			// It stays loaded, as in the library: a driver registers itself and cannot be
			// unregistered.
			_, _ = dl.Open(files[0]) // the library tries again and reports the reason
		}
	}
}
