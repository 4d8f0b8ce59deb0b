// Package billing shows tests of a Kafka application with tidemark.
package billing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"
)

// Tidemark is a broker in a process of its own. It ends with this process, even if that is killed.
type Tidemark struct {
	Bootstrap string `json:"bootstrap_servers"`
	HTTP      string `json:"http"`
	process   *exec.Cmd
	stdin     io.Closer
}

// StartTimeout is how long Start waits for the broker.
var StartTimeout = 30 * time.Second

// Start starts a broker on free ports, with its data in folder. It accepts connections when Start returns.
func Start(folder string, settings ...string) (*Tidemark, error) {
	arguments := []string{"serve", "--port=0", "--http-port=0", "--data-dir=" + filepath.Join(folder, "data"),
		"--test-api", "--stop-with-parent", "--set=tidemark.sync=never", "--set=group.initial.rebalance.delay.ms=0"}
	for _, setting := range settings {
		arguments = append(arguments, "--set="+setting)
	}
	process := exec.Command("tidemark", arguments...)
	var errors bytes.Buffer
	process.Stderr = &errors
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(StartTimeout, func() { process.Process.Kill() })
	defer late.Stop()
	t := &Tidemark{process: process, stdin: stdin}
	if err := json.NewDecoder(stdout).Decode(t); err != nil {
		return nil, fmt.Errorf("tidemark has not started within %v: %v: %s", StartTimeout, process.Wait(), &errors)
	}
	return t, nil
}

// Stop stops the broker: it ends when its stdin is closed.
func (t *Tidemark) Stop() error {
	t.stdin.Close()
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
