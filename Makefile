# The commands of a developer's day. docs/development.md says more.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
RACY = ./engine/... ./server/... ./inprocess/... ./internal/exec/... ./cmd/...
FUZZTIME ?= 20s

.PHONY: all build test check race invariants grammar oracle fuzz bench golden

all: check test

## build: bin/keyfold
build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/keyfold ./cmd/keyfold

## test: formatting, vet, and every test, the README's commands among them
test:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	  test -z "$$unformatted" || { echo "not formatted:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) test ./...

## check: what a reviewer's tools say
check:
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

## race: the packages with concurrency, under the race detector
race:
	$(GO) test -race $(RACY)

## invariants: the same with checks that are too slow to ship
invariants:
	$(GO) test -tags invariants ./engine/...

## grammar: the front end against PostgreSQL's own grammar, a module of its own
grammar:
	cd internal/sqlfront/oracle && $(GO) test ./...

## oracle: the engine's answers against those of the DynamoDB at ENDPOINT
oracle:
	$(GO) test ./internal/conformance -count=1 -v -endpoint $(ENDPOINT)

## fuzz: every fuzz target for FUZZTIME
fuzz:
	@for pkg in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
	  for target in $$(grep -rhoE '^func Fuzz[A-Za-z0-9_]+' $$pkg/*_test.go | sed 's/func //'); do \
	    echo "$$pkg $$target"; $(GO) test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) || exit 1; done; done

## bench: every benchmark once, in benchstat's form
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

## golden: rewrite every golden file and generated document; review the difference
golden:
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -update
