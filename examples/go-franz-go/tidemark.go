// Package billing shows tests of a Kafka application with tidemark.
package billing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Tidemark is a broker in a process of its own.
type Tidemark struct {
	Bootstrap string `json:"bootstrap_servers"`
	HTTP      string `json:"http"`
	process   *exec.Cmd
}

// Start starts a broker on free ports, with its data in folder. It accepts connections when Start returns.
func Start(folder string) (*Tidemark, error) {
	ready := filepath.Join(folder, "ready.json")
	process := exec.Command("tidemark", "serve", "--port", "0", "--http-port", "0", "--test-api",
		"--data-dir", filepath.Join(folder, "data"), "--ready-file", ready, "--set", "tidemark.sync=never",
		"--set", "group.initial.rebalance.delay.ms=0")
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(ready); err == nil {
			t := &Tidemark{process: process}
			return t, json.Unmarshal(text, t)
		}
	}
	process.Process.Kill()
	return nil, fmt.Errorf("tidemark was not ready within 30 s")
}

// Stop stops the broker.
func (t *Tidemark) Stop() error {
	t.process.Process.Signal(os.Interrupt)
	return t.process.Wait()
}

// Call calls /v1, and decodes the response into result unless it is nil.
func (t *Tidemark) Call(method, path string, body, result any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, "http://"+t.HTTP+"/v1"+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		var failed struct{ Error struct{ Message string } }
		json.NewDecoder(response.Body).Decode(&failed)
		return fmt.Errorf("%s %s: %s", method, path, failed.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(result)
}
