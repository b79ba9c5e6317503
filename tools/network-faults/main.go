// The network between a load and a server, with faults on request: Toxiproxy, and two toxics of our own. It is told what
// to do through Toxiproxy's HTTP API, on loopback unless its container has an address of its own.
package main

import (
	"flag"
	"os"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func main() {
	host := flag.String("api-host", "127.0.0.1", "address of the HTTP API")
	port := flag.String("api-port", "", "port of the HTTP API")
	flag.Parse()
	toxics.Register("hold", new(holdToxic))
	toxics.Register("reset_chunk", new(resetChunkToxic))
	logger := zerolog.New(os.Stderr).Level(zerolog.ErrorLevel)
	toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), logger).Listen(*host, *port)
}
