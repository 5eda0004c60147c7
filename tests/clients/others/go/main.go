// A short session of Go's pgx and one of lib/pq: `NAME HOST PORT`.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/jackc/pgx/v4"
	"github.com/lib/pq"
)

const before = 6866 // orders before 1995

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func same(got, wanted interface{}) {
	if got != wanted {
		check(fmt.Errorf("%v instead of %v", got, wanted))
	}
}

func byPgx(url string) {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, url)
	check(err)
	defer db.Close(ctx)
	var count int64
	check(db.QueryRow(ctx, "SELECT count(*) FROM orders WHERE o_orderdate < $1::date", "1995-01-01").Scan(&count))
	same(count, int64(before))
	_, err = db.Exec(ctx, "CREATE TABLE by_pgx (a bigint, b text[])")
	check(err)
	copied, err := db.CopyFrom(ctx, pgx.Identifier{"by_pgx"}, []string{"a", "b"},
		pgx.CopyFromRows([][]interface{}{{int64(1), []string{"x", "y"}}, {int64(2), nil}}))
	check(err)
	same(copied, int64(2))
	batch := &pgx.Batch{}
	batch.Queue("SELECT count(*) FROM by_pgx")
	batch.Queue("DROP TABLE by_pgx")
	results := db.SendBatch(ctx, batch)
	check(results.QueryRow().Scan(&count))
	same(count, int64(2))
	check(results.Close())
}

func byPq(url string) {
	db, err := sql.Open("postgres", url)
	check(err)
	defer db.Close()
	var count int64
	check(db.QueryRow("SELECT count(*) FROM orders WHERE o_orderdate < $1", "1995-01-01").Scan(&count))
	same(count, int64(before))
	var words []string
	check(db.QueryRow("SELECT ARRAY['a', 'b']").Scan(pq.Array(&words)))
	same(len(words), 2)
	_, err = db.Query("SELECT nope")
	same(string(err.(*pq.Error).Code), "42703")
}

func main() {
	url := fmt.Sprintf("postgres://u@%s:%s/d?sslmode=disable", os.Args[2], os.Args[3])
	map[string]func(string){"pgx": byPgx, "pq": byPq}[os.Args[1]](url)
}
