package billing

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

var broker *Tidemark

type object = map[string]any

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "tidemark-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if broker, err = Start(folder); err != nil {
		panic(err)
	}
	code := m.Run()
	broker.Stop()
	os.RemoveAll(folder)
	os.Exit(code)
}

// clean restores the empty broker when the test ends.
func clean(t *testing.T) {
	var taken struct{ ID string }
	must(t, broker.Call("POST", "/snapshots", object{}, &taken))
	t.Cleanup(func() { must(t, broker.Call("POST", "/snapshots/"+taken.ID+"/restore", object{}, nil)) })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads and commits one order as a member of the group.
func read(t *testing.T, group string) string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.Bootstrap), kgo.ConsumerGroup(group),
		kgo.ConsumeTopics("orders"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
	must(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	records := client.PollRecords(ctx, 1).Records()
	if len(records) != 1 {
		t.Fatal("no order arrived within 30 s")
	}
	must(t, client.CommitRecords(ctx, records...))
	return string(records[0].Value)
}

func TestAGroupContinuesAfterSixDays(t *testing.T) {
	clean(t)
	must(t, broker.Call("POST", "/seed", object{"topics": object{"orders": object{"records": []string{"one", "two"}}}}, nil))
	read(t, "billing")
	must(t, broker.Call("POST", "/clock/advance", object{"days": 6}, nil))
	if order := read(t, "billing"); order != "two" {
		t.Fatalf("read %q, not two", order)
	}
}

func TestAGroupStartsOverAfterEightDays(t *testing.T) {
	clean(t)
	must(t, broker.Call("POST", "/seed", object{"topics": object{"orders": object{"records": []string{"one", "two"}}}}, nil))
	read(t, "billing")
	must(t, broker.Call("POST", "/clock/advance", object{"days": 8}, nil))
	var log struct {
		Removals []struct{ Cause, Explanation string }
	}
	must(t, broker.Call("GET", "/expiry/log?group=billing", nil, &log))
	if len(log.Removals) != 1 || log.Removals[0].Cause != "expired" {
		t.Fatalf("the offset did not expire: %v", log.Removals)
	}
	if order := read(t, "billing"); order != "one" {
		t.Fatalf("read %q, not one once more", order)
	}
}

func TestAWrongSettingStopsTheStartWithTheReason(t *testing.T) {
	_, err := Start(t.TempDir(), "offsets.retention.minutes=0")
	if err == nil || !strings.Contains(err.Error(), "exit status 1") ||
		!strings.Contains(err.Error(), "offsets.retention.minutes") {
		t.Fatalf("got %v", err)
	}
}
