package main

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Members of a share group that acknowledge at random. ../sharing_with_confluent_kafka.py documents the command and its
// facts.

const (
	acknowledgeWait = 5 * time.Second
	shareWait       = 300 * time.Millisecond
	closeWait       = 10 * time.Second
)

var kinds = map[string]kgo.AckStatus{"accept": kgo.AckAccept, "release": kgo.AckRelease, "reject": kgo.AckReject}

func share(stopping context.Context, given command) {
	var members sync.WaitGroup
	for number := range given.Members {
		members.Go(func() {
			chance := rand.New(rand.NewSource(given.Seed*1000 + int64(number)))
			for life := 0; stopping.Err() == nil; life++ {
				shareOnce(stopping, given, fmt.Sprintf("member-%d-%d", number, life), chance)
			}
		})
	}
	members.Wait()
}

// shareOnce is the life of one member. It ends if the member abandons what it has received, or hears of no outcome.
func shareOnce(stopping context.Context, given command, member string, chance *rand.Rand) {
	var mutex sync.Mutex
	outcomes := map[int32][]error{}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Args[1], ",")...), kgo.ClientID(member),
		kgo.ShareGroup(given.Group), kgo.ConsumeTopics(given.Topic), kgo.FetchMaxWait(shareWait),
		kgo.RetryBackoffFn(func(int) time.Duration { return shareWait / 3 }),
		kgo.ShareAckCallback(func(_ *kgo.Client, results kgo.ShareAckResults) {
			mutex.Lock()
			defer mutex.Unlock()
			for _, each := range results {
				outcomes[each.Partition] = append(outcomes[each.Partition], each.Err)
			}
		}),
	)
	if err != nil {
		panic(err)
	}
	defer func() {
		waiting, done := context.WithTimeout(context.Background(), closeWait)
		defer done()
		if err := client.LeaveGroupContext(waiting); err != nil {
			tell("failed", facts{"member": member, "error": fmt.Sprintf("close: %v", err)})
		}
		client.Close()
	}()
	for stopping.Err() == nil {
		waiting, done := context.WithTimeout(stopping, shareWait)
		fetches := client.PollRecords(waiting, pollRecords)
		done()
		received := fetches.Records()
		if len(received) == 0 {
			continue
		}
		abandons := chance.Float64() < 0.03
		rows, chosen, places := [][]any{}, []kgo.AckStatus{}, map[int32][][]int64{}
		for _, record := range received {
			kind := drawn(chance)
			rows = append(rows, []any{record.Partition, record.Offset, record.DeliveryCount(), kind})
			chosen = append(chosen, kinds[kind])
			places[record.Partition] = append(places[record.Partition], []int64{int64(record.Partition), record.Offset})
		}
		tell("deliveries", facts{"member": member, "rows": rows, "abandoned": abandons})
		if abandons {
			return
		}
		time.Sleep(time.Duration(chance.Intn(4)) * 30 * time.Millisecond)
		mutex.Lock()
		clear(outcomes)
		mutex.Unlock()
		for at, record := range received {
			record.Ack(chosen[at])
		}
		waiting, done = context.WithTimeout(context.Background(), acknowledgeWait)
		err := client.FlushAcks(waiting)
		done()
		if err != nil {
			tell("failed", facts{"member": member, "error": fmt.Sprintf("acknowledge: %v", err)})
			return
		}
		mutex.Lock()
		for partition, mine := range places {
			if results := outcomes[partition]; len(results) > 0 {
				tell("acknowledged", facts{"member": member, "rows": mine, "error": outcome(results)})
			}
		}
		mutex.Unlock()
	}
}

// outcome is nil if all acknowledgements of a partition are stored. If they were sent in parts and only some of these
// were refused, nobody knows which.
func outcome(results []error) any {
	refused := 0
	var last error
	for _, err := range results {
		if err != nil {
			refused++
			last = err
		}
	}
	switch refused {
	case 0:
		return nil
	case len(results):
		return last.Error()
	}
	return "refused in part"
}

func drawn(chance *rand.Rand) string {
	switch number := chance.Intn(10); {
	case number < 6:
		return "accept"
	case number < 9:
		return "release"
	}
	return "reject"
}
