// Package process contains the code that all contestants in Go share: requests to the upstream, the server, and the
// reports of processor time to the parent process.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"connectrpc.com/connect"
)

// Upstream returns the address of the upstream, which the parent passes as the first argument.
func Upstream() string {
	if len(os.Args) < 2 {
		fail("expected the address of the upstream as first argument, got none")
	}
	return os.Args[1]
}

// Client returns a client that keeps as many idle connections as the other contestants, and requests no compression.
func Client() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}}
}

// Get sends a request to the upstream and returns the whole body of the response.
func Get(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, connect.NewError(connect.CodeUnavailable, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, connect.NewError(connect.CodeUnavailable, fmt.Errorf("status %d", response.StatusCode))
	}
	if response.ContentLength < 0 {
		return io.ReadAll(response.Body)
	}
	body := make([]byte, response.ContentLength)
	_, err = io.ReadFull(response.Body, body)
	return body, err
}

// Serve listens on a free port, with HTTP/1.1 and HTTP/2 without TLS, and prints the port to standard output. It
// answers each line of standard input with the processor time of all threads so far, in microseconds. It exits at the
// end of standard input.
func Serve(handler http.Handler) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err.Error())
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: protocols}
	go func() { fail(server.Serve(listener).Error()) }()
	tell(map[string]int{"port": listener.Addr().(*net.TCPAddr).Port})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		tell(map[string]int64{"cpu": processorTime()})
	}
}

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err.Error())
	}
	return (usage.Utime.Nano() + usage.Stime.Nano()) / 1000
}

func tell(message any) {
	if err := json.NewEncoder(os.Stdout).Encode(message); err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
