package influxagg

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Name is what follows --out.
const Name = "influxdb-agg"

// reportVariable names the environment variable with the path of the reconciliation report.
const reportVariable = "K6_INFLUXDB_AGG_REPORT"

const (
	defaultAddress = "http://127.0.0.1:8086/k6"
	flushPeriod    = time.Second
	writeTimeout   = 3 * time.Second
	writeAttempts  = 3
	retryPause     = 150 * time.Millisecond
	stopTimeout    = 8 * time.Second
	queueBatches   = 64
	batchPoints    = 2000
	reportErrors   = 5
)

// address is where points go.
type address struct {
	base     url.URL // without database and credentials
	database string
	user     *url.Userinfo
}

// parseAddress reads http://[user:password@]host:port/database; the database defaults to k6.
func parseAddress(text string) (address, error) {
	if text == "" {
		text = defaultAddress
	}
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("%s: %w", Name, err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return address{}, fmt.Errorf("%s: address must look like %s, got %q", Name, defaultAddress, text)
	}
	path := strings.Trim(u.Path, "/")
	prefix, database := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		prefix, database = "/"+path[:i], path[i+1:]
	}
	if database == "" {
		database = "k6"
	}
	return address{
		base:     url.URL{Scheme: u.Scheme, Host: u.Host, Path: prefix},
		database: database,
		user:     u.User,
	}, nil
}

// String hides credentials.
func (a address) String() string {
	return a.base.JoinPath(a.database).String()
}

// endpoint returns the URL of an API call.
func (a address) endpoint(call string, query url.Values) string {
	u := a.base.JoinPath(call)
	u.RawQuery = query.Encode()
	return u.String()
}
