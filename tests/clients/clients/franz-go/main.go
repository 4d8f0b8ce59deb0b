// franz-go as a consumer of the protocol of KIP-848, with transactions, and in share groups. ../child.py documents its
// commands and facts; of the commands it has only `consume`, those of ../copying.py, and `share`. Usage: franz-go BOOTSTRAP [group.instance.id=ID]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	pollRecords = 200
	pollWait    = 200 * time.Millisecond
	monotonic   = 1  // CLOCK_MONOTONIC, as Python's time.monotonic
	leftStatic  = -2 // the member epoch of a static member that will be back
)

type command struct {
	Do, Topic, Group string
	ClientID         string `json:"client_id"`

	Source, Target, Protocol string
	TransactionalID          string `json:"transactional_id"`
	AbortEvery               int    `json:"abort_every"`
	Count                    int32

	Members int
	Seed    int64
}

type facts map[string]any

var output sync.Mutex

func tell(event string, more facts) {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&now)), 0)
	more["event"], more["at"] = event, float64(now.Nano())/1e9
	line, err := json.Marshal(more)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

func main() {
	instance := ""
	for _, setting := range os.Args[2:] {
		instance = strings.TrimPrefix(setting, "group.instance.id=")
	}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var given command
		if err := json.Unmarshal(input.Bytes(), &given); err != nil {
			panic(err)
		}
		switch given.Do {
		case "copy":
			copyRecords(given)
		case "read":
			read(given)
			continue
		}
		stopping, stop := context.WithCancel(context.Background())
		go func() {
			input.Scan()
			stop()
		}()
		if given.Do == "share" {
			share(stopping, given)
		} else {
			consume(stopping, given, instance)
		}
		tell("closed", facts{})
	}
}

func consume(stopping context.Context, given command, instance string) {
	uncommitted := map[int32]*kgo.Record{}
	changed := func(event string) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
			if event == "revoked" {
				clear(uncommitted)
			}
			partitions := append([]int32{}, topics[given.Topic]...)
			tell(event, facts{"partitions": partitions})
		}
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(os.Args[1], ",")...), kgo.ClientID(given.ClientID),
		kgo.ConsumerGroup(given.Group), kgo.ConsumeTopics(given.Topic),
		kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()), // the broker's uniform assignor
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.FetchMaxWait(pollWait),
		kgo.OnPartitionsAssigned(changed("assigned")),
		kgo.OnPartitionsRevoked(changed("revoked")), kgo.OnPartitionsLost(changed("revoked")),
	}
	if instance != "" {
		options = append(options, kgo.InstanceID(instance))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		panic(err)
	}
	defer func() {
		member, _ := client.GroupMetadata()
		client.CloseAllowingRebalance()
		if instance != "" {
			leave(given.Group, member, instance)
		}
	}()
	for stopping.Err() == nil {
		waiting, done := context.WithTimeout(stopping, pollWait)
		fetches := client.PollRecords(waiting, pollRecords)
		done()
		report(fetches, uncommitted)
		commit(client, uncommitted)
		client.AllowRebalance()
	}
}

// leave lets another process take over a static membership. franz-go 1.22.2 tries that itself, but without the
// instance id, which Kafka refuses as an invalid request.
func leave(group, member, instance string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(os.Args[1], ",")...))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	request := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	request.Group, request.MemberID, request.InstanceID, request.MemberEpoch = group, member, &instance, leftStatic
	if response, err := request.RequestWith(context.Background(), client); err != nil || response.ErrorCode != 0 {
		panic(fmt.Sprint("cannot leave: ", err, response))
	}
}

func report(fetches kgo.Fetches, uncommitted map[int32]*kgo.Record) {
	rows := [][]any{}
	fetches.EachRecord(func(record *kgo.Record) {
		headers := map[string]string{}
		for _, header := range record.Headers {
			headers[header.Key] = string(header.Value)
		}
		rows = append(rows, []any{record.Partition, record.Offset, string(record.Key), string(record.Value), headers})
		uncommitted[record.Partition] = record
	})
	if len(rows) > 0 {
		tell("records", facts{"records": rows})
	}
	fetches.EachError(func(_ string, _ int32, err error) {
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			tell("fetch_failed", facts{"error": err.Error()})
		}
	})
}

func commit(client *kgo.Client, uncommitted map[int32]*kgo.Record) {
	if len(uncommitted) == 0 {
		return
	}
	records, offsets := []*kgo.Record{}, map[int32]int64{}
	for partition, record := range uncommitted {
		records = append(records, record)
		offsets[partition] = record.Offset + 1
	}
	if err := client.CommitRecords(context.Background(), records...); err != nil {
		tell("commit_failed", facts{"error": err.Error()})
		return
	}
	tell("committed", facts{"offsets": offsets})
	clear(uncommitted)
}
