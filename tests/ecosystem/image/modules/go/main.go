// testcontainers-go's module starts the image; franz-go produces a record and consumes it.
//
// usage: main IMAGE
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/kafka"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(image string) (failed error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	container, err := kafka.Run(ctx, image, kafka.WithClusterID("4L6g3nShT-eMCtK--X86sw"))
	defer func() {
		if err := testcontainers.TerminateContainer(container); failed == nil {
			failed = err
		}
	}()
	if err != nil {
		return err
	}
	brokers, err := container.Brokers(ctx)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.AllowAutoTopicCreation(),
		kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics("orders"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("an order")}).FirstErr(); err != nil {
		return err
	}
	fetched := client.PollFetches(ctx)
	if err := fetched.Err(); err != nil {
		return err
	}
	fetched.EachRecord(func(record *kgo.Record) { fmt.Println(string(record.Value)) })
	return nil
}
