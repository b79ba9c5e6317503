// The network between a load and a server, with faults on request: Toxiproxy, and two toxics of our own. It is told what
// to do through Toxiproxy's HTTP API, on loopback only.
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
	port := flag.String("api-port", "", "port of the HTTP API, on 127.0.0.1")
	flag.Parse()
	toxics.Register("hold", new(holdToxic))
	toxics.Register("reset_chunk", new(resetChunkToxic))
	logger := zerolog.New(os.Stderr).Level(zerolog.ErrorLevel)
	toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), logger).Listen("127.0.0.1", *port)
}
