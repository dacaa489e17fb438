# The checks themselves live in verbs/verbstest/vm/testrun; CI=true makes every skip a failure.
GO      ?= go
testrun := $(GO) run ./verbs/verbstest/vm/testrun

.DEFAULT_GOAL := build
.PHONY: build release site rename test test-all quick lint unit cross world harm fuzz vm-test vm-repeat bench bench-screen vm-bench soak soak-screen mutate pictures clean help

build: ## build ./rdmatui, without cgo
	CGO_ENABLED=0 $(GO) build -trimpath -o rdmatui .

release: ## archives, deb and rpm packages, licences, a list of the parts and checksums of VERSION=1.2.3 in dist/
	$(GO) run ./verbs/verbstest/release -version '$(VERSION)' -out dist

site: ## the manual as web pages in dist/site
	$(GO) run ./ui/manual/site -out dist/site

rename: ## give the module another path, MODULE=github.com/OWNER/rdmatui, in go.mod, imports and texts
	$(GO) run ./verbs/verbstest/rename '$(MODULE)'

test: ## every check: lint, cross, unit, world, harm, fuzz, and on real kernels what needs one
	$(testrun) test

test-all: ## the same more thoroughly: every test on every kernel, go vet on every platform, longer fuzzing, mutants
	$(testrun) all

quick: ## for each save: lint, the tests of changed packages, conformance and a stock program on one kernel
	$(testrun) quick

lint: ## gofmt, go vet for each platform, staticcheck
	$(testrun) lint

unit: ## every package's tests with the race detector
	$(testrun) unit

cross: ## build for each platform
	$(testrun) cross

world: ## 2,000 seeds of the simulated world, 300 of the simulated sessions, and what the race detector makes too slow
	$(testrun) world

harm: ## 1 GiB over a network that loses, repeats, reorders and damages
	$(testrun) harm

fuzz: ## 100,000 runs of every fuzz target
	$(testrun) fuzz

vm-test: ## the tests that need a real kernel, on every kernel
	$(testrun) vm

vm-repeat: ## run those COUNT=50 times on the newest kernel; TESTS=pattern and SUITE=trixie choose, LOAD=1 adds a load
	COUNT=$(COUNT) TESTS='$(TESTS)' LOAD=$(LOAD) $(if $(SUITE),SUITE=$(SUITE)) $(testrun) repeat

bench: ## every benchmark that needs no device
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-screen: ## what the screen costs idle and under a flood of completions, and how soon it shows
	$(GO) test -run '^$$' -bench FirstScreen ./ui/program
	$(GO) test -run '^$$' -bench Flood -benchtime 1x ./ui/program
	$(GO) test -run '^$$' -bench IdleScreen -timeout 0 ./ui/program

vm-bench: ## on this Debian's kernel, or that of SUITE=newest: times and costs beside the stock programs; TESTS=pattern chooses
	mkdir -p dist
	CGO_ENABLED=0 $(GO) build -trimpath -o dist/rdmatui .
	CGO_ENABLED=0 $(GO) test -c -o dist/program.test ./ui/program
	cd ui/program && RDMATUI_BINARY=$(CURDIR)/dist/rdmatui RDMATUI_VM_PACKAGES=strace ../../verbs/verbstest/vm/run \
		$(if $(SUITE),-w $(SUITE)) -t 7200 -- $(CURDIR)/dist/program.test -test.run '^$$' -test.bench '$(or $(TESTS),Beside)' -test.benchtime 1x

soak: ## run seeds of the simulated world and sessions for SOAK=10m each, and print those that fail
	for world in ./verbs/verbstest/world ./session/world; do \
		$(GO) test $$world -run 'TestWorld$$' -count=1 -timeout=0 -for=$(or $(SOAK),10m) -first=$(or $(SEED),$$(date +%s)000000) || exit 1; \
	done

soak-screen: ## the screen and a server beside a stranger for HOURS=1: memory, descriptors, counts
	RDMATUI_SOAK=$(or $(HOURS),1)h $(GO) test -run '^TestSoak$$' -v -timeout 0 ./ui/program

mutate: ## change the behaviour and texts in MUTANTS=400 places and list what no test notices; GROUP=ui changes a part
	$(GO) run ./verbs/verbstest/mutate -n $(or $(MUTANTS),400) $(if $(GROUP),-group $(GROUP))

pictures: ## draw the pictures of README.md and the manual from the program itself
	$(GO) test ./ui/program -run '^TestPictures$$' -count=1 -pictures

clean: ## remove what make has built
	rm -rf rdmatui dist

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
