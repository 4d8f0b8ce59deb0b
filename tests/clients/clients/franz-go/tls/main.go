// Lists topics over TLS with franz-go. ../../connecting_over_tls.py documents the arguments, after the name of the library.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const timeout = 30 * time.Second

type login struct {
	Cafile, Certfile, Keyfile string
	Mechanism, User, Password string
}

func main() {
	var logins []login
	if err := json.Unmarshal([]byte(os.Args[2]), &logins); err != nil {
		panic(err)
	}
	for _, each := range logins {
		told := map[string]any{}
		if topics, err := list(os.Args[1], each); err == nil {
			told["topics"] = topics
		} else {
			told["error"] = err.Error()
		}
		line, _ := json.Marshal(told)
		fmt.Println(string(line))
	}
}

func list(bootstrap string, given login) ([]string, error) {
	authority, err := os.ReadFile(given.Cafile)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(authority)
	if given.Certfile != "" {
		pair, err := tls.LoadX509KeyPair(given.Certfile, given.Keyfile)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	options := []kgo.Opt{kgo.SeedBrokers(bootstrap), kgo.DialTLSConfig(config), kgo.RetryTimeout(timeout)}
	if given.Mechanism != "" {
		options = append(options, kgo.SASL(mechanism(given)))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	deadline, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	response, err := kmsg.NewPtrMetadataRequest().RequestWith(deadline, client)
	if err != nil {
		return nil, err
	}
	topics := []string{}
	for _, topic := range response.Topics {
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			return nil, err
		}
		topics = append(topics, *topic.Topic)
	}
	sort.Strings(topics)
	return topics, nil
}

func mechanism(given login) sasl.Mechanism {
	switch given.Mechanism {
	case "PLAIN":
		return plain.Auth{User: given.User, Pass: given.Password}.AsMechanism()
	case "SCRAM-SHA-256":
		return scram.Auth{User: given.User, Pass: given.Password}.AsSha256Mechanism()
	default:
		return scram.Auth{User: given.User, Pass: given.Password}.AsSha512Mechanism()
	}
}
