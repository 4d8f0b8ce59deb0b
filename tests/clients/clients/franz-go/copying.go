package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Copying in transactions. ../copying.py documents its commands and facts; offsets are sent by the end of a session, so
// that there is no fact about them.

const (
	batch              = 10
	targetPartitions   = 2
	transactionTimeout = 6 * time.Second
	sessionTimeout     = 3 * time.Second
	end                = "end"
)

func copyRecords(given command) {
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(os.Args[1], ",")...),
		kgo.TransactionalID(given.TransactionalID), kgo.TransactionTimeout(transactionTimeout),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(given.Target),
		kgo.ConsumerGroup(given.Group), kgo.ConsumeTopics(given.Source),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.RequireStableFetchOffsets(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(pollWait),
	}
	if given.Protocol == "consumer" {
		options = append(options, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	} else {
		options = append(options, kgo.SessionTimeout(sessionTimeout), kgo.HeartbeatInterval(sessionTimeout/10))
	}
	session, err := kgo.NewGroupTransactSession(options...)
	if err != nil {
		panic(err)
	}
	if _, _, err := session.Client().ProducerID(context.Background()); err != nil {
		fail(err)
	}
	tell("ready", facts{})
	for number := 0; ; {
		waiting, done := context.WithTimeout(context.Background(), pollWait)
		fetches := session.PollRecords(waiting, batch)
		done()
		if fetches.NumRecords() > 0 {
			transact(session, given, fetches.Records(), number)
			number++
		}
	}
}

// transact copies the records in one transaction. After an abort, the session reads them again.
func transact(session *kgo.GroupTransactSession, given command, records []*kgo.Record, number int) {
	if err := session.Begin(); err != nil {
		fail(err)
	}
	tell("begun", facts{})
	refused := make(chan error, len(records))
	for _, record := range records {
		value := fmt.Sprintf("%d:%d", record.Partition, record.Offset)
		copied := &kgo.Record{Key: record.Key, Value: []byte(value), Partition: int32(record.Offset % targetPartitions)}
		session.Produce(context.Background(), copied, func(_ *kgo.Record, err error) {
			// The end of a transaction that is aborted drops what was not sent yet.
			if err != nil && !errors.Is(err, kgo.ErrAborting) {
				refused <- err
			}
		})
	}
	if number%2 == 1 {
		session.Client().Flush(context.Background())
	}
	tell("sent", facts{})
	attempt := kgo.TransactionEndTry(number%given.AbortEvery != given.AbortEvery-1)
	if attempt == kgo.TryCommit {
		// End flushes, too, but commits even if a record was refused.
		session.Client().Flush(context.Background())
		attempt = len(refused) == 0
	}
	committed, err := session.End(context.Background(), attempt)
	if err != nil {
		fail(err)
	}
	if committed {
		tell("committed", facts{"count": len(records)})
	} else {
		why := "" // on purpose, or because of a rebalance
		for len(refused) > 0 {
			why += (<-refused).Error()
		}
		tell("aborted", facts{"error": why})
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	tell("failed", facts{"error": err.Error()})
	os.Exit(0)
}

func read(given command) {
	from, left := map[int32]kgo.Offset{}, map[int32]bool{}
	for partition := range given.Count {
		from[partition], left[partition] = kgo.NewOffset().AtStart(), true
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Args[1], ",")...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{given.Topic: from}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(pollWait),
	)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	rows := [][]any{}
	for len(left) > 0 {
		client.PollFetches(context.Background()).EachRecord(func(record *kgo.Record) {
			if string(record.Value) == end {
				delete(left, record.Partition)
			} else {
				rows = append(rows, []any{record.Partition, record.Offset, string(record.Value)})
			}
		})
	}
	tell("read", facts{"records": rows})
}
