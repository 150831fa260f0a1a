// Prints the latest versions of npm packages. Calls the gateway by gRPC.
package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"

	"connectrpc.com/connect"
	registryv1 "example.com/clients/gen/registry/v1"
	"example.com/clients/gen/registry/v1/registryv1connect"
)

func main() {
	gateway := cmp.Or(os.Getenv("GATEWAY_URL"), "http://127.0.0.1:8080")
	// gRPC needs HTTP/2, here without TLS.
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	httpClient := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	client := registryv1connect.NewRegistryServiceClient(httpClient, gateway, connect.WithGRPC())
	for _, name := range os.Args[1:] {
		latest, err := client.GetLatest(context.Background(), &registryv1.GetLatestRequest{Name: name})
		if err != nil {
			fmt.Println(name, connect.CodeOf(err))
			continue
		}
		fmt.Println(name, latest.Version)
	}
}
