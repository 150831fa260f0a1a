// Makes calls with grpc-go and says what it reads in their responses: a JSON array of calls on standard input, a JSON
// array of results on standard output.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type call struct {
	Name        string            `json:"name"`
	Target      string            `json:"target"`
	Path        string            `json:"path"`
	Kind        string            `json:"kind"`
	Messages    []string          `json:"messages"`
	Metadata    map[string]string `json:"metadata"`
	TimeoutMs   int               `json:"timeoutMs"`
	Codec       string            `json:"codec"`
	Compression string            `json:"compression"`
	Config      string            `json:"config"`
}

type result struct {
	Name      string `json:"name"`
	Code      uint32 `json:"code"`
	Message   string `json:"message"`
	Details   string `json:"details"`
	Responses int    `json:"responses"`
}

// rawCodec sends bytes as they are, under the name of a codec.
type rawCodec struct{ name string }

func (c rawCodec) Name() string { return c.name }

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = bytes.Clone(data)
	return nil
}

// unknown is a compression that no server has.
type unknown struct{}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (unknown) Name() string                                 { return "unknown" }
func (unknown) Compress(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }
func (unknown) Decompress(r io.Reader) (io.Reader, error)    { return r, nil }

func main() {
	encoding.RegisterCompressor(unknown{})
	var calls []call
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		log.Fatal(err)
	}
	results := make([]result, 0, len(calls))
	for _, c := range calls {
		responses, err := perform(c)
		s := status.Convert(err)
		details, _ := proto.Marshal(s.Proto())
		results = append(results, result{
			Name:      c.Name,
			Code:      uint32(s.Code()),
			Message:   s.Message(),
			Details:   base64.StdEncoding.EncodeToString(details),
			Responses: responses,
		})
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		log.Fatal(err)
	}
}

func perform(c call) (int, error) {
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if c.Config != "" {
		options = append(options, grpc.WithDefaultServiceConfig(c.Config))
	}
	conn, err := grpc.NewClient(c.Target, options...)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ctx := metadata.NewOutgoingContext(context.Background(), metadata.New(c.Metadata))
	if c.TimeoutMs > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	codec := c.Codec
	if codec == "" {
		codec = "proto"
	}
	callOptions := []grpc.CallOption{grpc.ForceCodec(rawCodec{codec})}
	if c.Compression != "" {
		callOptions = append(callOptions, grpc.UseCompressor(c.Compression))
	}
	if c.Kind == "unary" {
		return unary(ctx, conn, c, callOptions)
	}
	return stream(ctx, conn, c, callOptions)
}

func unary(ctx context.Context, conn *grpc.ClientConn, c call, options []grpc.CallOption) (int, error) {
	request, err := base64.StdEncoding.DecodeString(c.Messages[0])
	if err != nil {
		return 0, err
	}
	var response []byte
	if err := conn.Invoke(ctx, c.Path, &request, &response, options...); err != nil {
		return 0, err
	}
	return 1, nil
}

func stream(ctx context.Context, conn *grpc.ClientConn, c call, options []grpc.CallOption) (int, error) {
	description := &grpc.StreamDesc{
		ServerStreams: c.Kind != "clientStream",
		ClientStreams: c.Kind != "serverStream",
	}
	s, err := conn.NewStream(ctx, description, c.Path, options...)
	if err != nil {
		return 0, err
	}
	for _, encoded := range c.Messages {
		message, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return 0, err
		}
		// io.EOF: the call is over, and its status is what RecvMsg returns
		if err := s.SendMsg(&message); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	if err := s.CloseSend(); err != nil {
		return 0, err
	}
	for responses := 0; ; responses++ {
		var response []byte
		if err := s.RecvMsg(&response); errors.Is(err, io.EOF) {
			return responses, nil
		} else if err != nil {
			return responses, err
		}
		if !description.ServerStreams {
			return responses + 1, nil
		}
	}
}
