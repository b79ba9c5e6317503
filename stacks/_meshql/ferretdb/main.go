// Command ferretdb serves FerretDB's own package: MongoDB's wire protocol on a folder of SQLite databases.
//
//	ferretdb -listen 127.0.0.1:27017 -data FOLDER    until SIGINT or SIGTERM
//	ferretdb -version                                 the version of the package
//
// Each write is a transaction of SQLite in WAL mode with synchronous=FULL, the default of SQLite: flushed to
// the disk before it is acknowledged.
//
// Exit codes: 0 ended by a signal, 1 the server cannot be set up, 2 usage.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const module = "github.com/FerretDB/FerretDB"

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "`address` to answer at")
	data := flag.String("data", "", "`folder` of the databases; made if it is not there")
	version := flag.Bool("version", false, "print the version of FerretDB and end")
	flag.Parse()
	if *version {
		fmt.Println("FerretDB", moduleVersion())
		return
	}
	if *data == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "ferretdb: -data FOLDER is needed, and nothing else may follow; see -help")
		os.Exit(2)
	}
	if err := serve(*listen, *data); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

// serve returns when a signal ends the process.
func serve(listen, data string) error {
	folder, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: listen},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + folder + "/",
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println("Waiting for connections on", listen)
	return server.Run(ctx)
}

// moduleVersion is what the build holds of the module, without the v: 1.24.0.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return strings.TrimPrefix(dep.Version, "v")
		}
	}
	return "unknown"
}
