module github.com/keyfold-dev/keyfold/internal/sqlfront/oracle

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/keyfold-dev/keyfold v0.0.0
	github.com/wasilibs/go-pgquery v0.0.0-20260728010200-155ebad2880e
	golang.org/x/tools v0.52.0
	modernc.org/sqlite v1.55.0
)

require (
	github.com/cockroachdb/apd/v3 v3.2.3 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/ncruces/go-strftime v1.0.0 // indirect
	github.com/pganalyze/pg_query_go/v6 v6.2.2 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	github.com/wasilibs/wazero-helpers v0.0.0-20250123031827-cd30c44769bb // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
	modernc.org/libc v1.74.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.11.0 // indirect
)

replace github.com/keyfold-dev/keyfold => ../../..
