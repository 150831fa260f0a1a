// A transcoding gateway. It builds the upstream's request from the message and the google.api.http option of the
// method's descriptor, and reads the upstream's JSON as ProtoJSON, ignoring unknown keys. A caller that requests JSON
// gets the upstream's bytes unchanged, because they are already ProtoJSON of the schema.
package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	benchv1 "connect-rest-bench/gen/bench/v1"
	"connect-rest-bench/process"
)

var (
	read     = protojson.UnmarshalOptions{DiscardUnknown: true}
	upstream = process.Upstream()
	client   = process.Client()
)

func main() {
	services := benchv1.File_bench_v1_page_proto.Services()
	method := services.ByName("PostService").Methods().ByName("ListPosts")
	procedure := "/" + string(method.Parent().FullName()) + "/" + string(method.Name())
	mux := http.NewServeMux()
	mux.Handle(procedure, transcoder[benchv1.ListPostsRequest, benchv1.ListPostsResponse](procedure, method))
	process.Serve(mux)
}

// message is the constraint for a pointer to a message struct.
type message[T any] interface {
	*T
	proto.Message
}

func transcoder[In, Out any, InMessage message[In], OutMessage message[Out]](
	procedure string,
	method protoreflect.MethodDescriptor,
) http.Handler {
	rule := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	template := parseTemplate(rule.GetGet(), method.Input())
	viaMessage := connect.NewUnaryHandlerSimple(procedure, func(ctx context.Context, in *In) (*Out, error) {
		body, err := get(ctx, template, InMessage(in))
		if err != nil {
			return nil, err
		}
		out := new(Out)
		if err := read.Unmarshal(body, OutMessage(out)); err != nil {
			return nil, connect.NewError(connect.CodeInternal, err)
		}
		return out, nil
	})
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if request.Header.Get("content-type") == "application/json" {
			passOn[In, InMessage](writer, request, template)
		} else {
			viaMessage.ServeHTTP(writer, request)
		}
	})
}

func passOn[In any, InMessage message[In]](writer http.ResponseWriter, request *http.Request, template *template) {
	in := InMessage(new(In))
	text, err := io.ReadAll(request.Body)
	if err == nil {
		err = read.Unmarshal(text, in)
	}
	var body []byte
	if err == nil {
		body, err = get(request.Context(), template, in)
	}
	if err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	writer.Header().Set("content-type", "application/json")
	_, _ = writer.Write(body)
}

func get(ctx context.Context, template *template, in proto.Message) ([]byte, error) {
	return process.Get(ctx, client, upstream+template.expand(in.ProtoReflect()))
}

// template is a path of google.api.http: constant texts with fields between them. All other fields are parameters.
type template struct {
	texts  []string
	fields []protoreflect.FieldDescriptor
}

func parseTemplate(path string, input protoreflect.MessageDescriptor) *template {
	parsed := new(template)
	for {
		text, rest, found := strings.Cut(path, "{")
		parsed.texts = append(parsed.texts, text)
		if !found {
			return parsed
		}
		var name string
		name, path, _ = strings.Cut(rest, "}")
		parsed.fields = append(parsed.fields, input.Fields().ByName(protoreflect.Name(name)))
	}
}

func (t *template) expand(in protoreflect.Message) string {
	var builder strings.Builder
	for i, text := range t.texts {
		builder.WriteString(text)
		if i < len(t.fields) {
			builder.WriteString(url.PathEscape(in.Get(t.fields[i]).String()))
		}
	}
	parameters := url.Values{"api_key": {"bench"}}
	in.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if !t.has(field) {
			parameters.Set(string(field.Name()), value.String())
		}
		return true
	})
	return builder.String() + "?" + parameters.Encode()
}

func (t *template) has(field protoreflect.FieldDescriptor) bool {
	for _, other := range t.fields {
		if other == field {
			return true
		}
	}
	return false
}
