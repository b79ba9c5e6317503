package influxagg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client speaks the InfluxDB 1.x HTTP API.
type client struct {
	address address
	http    *http.Client
}

// errRefused marks an answer that will not change when asked again.
var errRefused = errors.New("refused")

func newClient(a address) *client {
	return &client{address: a, http: &http.Client{
		Timeout:   writeTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: 1, Proxy: http.ProxyFromEnvironment},
	}}
}

func (c *client) createDatabase(ctx context.Context) error {
	name := strings.ReplaceAll(c.address.database, `"`, `\"`)
	query := url.Values{"q": {`CREATE DATABASE "` + name + `"`}}
	return c.post(ctx, c.address.endpoint("query", query), nil)
}

// write sends one batch, trying again after failures that may pass.
func (c *client) write(ctx context.Context, lines []byte) error {
	target := c.address.endpoint("write", url.Values{"db": {c.address.database}, "precision": {"ns"}})
	for attempt := 1; ; attempt++ {
		err := c.post(ctx, target, lines)
		if err == nil || attempt == writeAttempts || errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt) * retryPause):
		}
	}
}

func (c *client) post(ctx context.Context, target string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if user := c.address.user; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	switch {
	case err != nil:
		return err
	case response.StatusCode >= 500:
		return fmt.Errorf("%s: %s", response.Status, answer)
	case response.StatusCode >= 300:
		return fmt.Errorf("%w: %s: %s", errRefused, response.Status, answer)
	}
	return nil
}

func (c *client) close() { c.http.CloseIdleConnections() }
