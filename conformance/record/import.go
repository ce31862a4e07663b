package record

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice/conformance/replay"
)

// FromHAR reads the exchanges of an HTTP archive, version 1.1 or 1.2, in the order of the file.
func FromHAR(data []byte) ([]*Exchange, error) {
	var doc struct {
		Log struct {
			Entries []struct {
				StartedDateTime time.Time
				Request         struct {
					Method, URL string
					Headers     []replay.Header
					PostData    struct{ Text string }
				}
				Response struct {
					Status  int
					Headers []replay.Header
					Content struct{ Text, Encoding string }
				}
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("HAR: %w", err)
	}
	var all []*Exchange
	for i, e := range doc.Log.Entries {
		body := e.Response.Content.Text
		if e.Response.Content.Encoding == "base64" {
			b, err := base64.StdEncoding.DecodeString(body)
			if err != nil {
				return nil, fmt.Errorf("HAR: entry %d: %w", i, err)
			}
			body = string(b)
		}
		x := &Exchange{
			Method: e.Request.Method, RequestHeaders: e.Request.Headers, RequestBody: e.Request.PostData.Text,
			Status: e.Response.Status, ResponseHeaders: e.Response.Headers, ResponseBody: body, At: e.StartedDateTime,
		}
		if err := x.address(e.Request.URL); err != nil {
			return nil, fmt.Errorf("HAR: entry %d: %w", i, err)
		}
		all = append(all, x)
	}
	return all, nil
}

// FromCassette reads the exchanges of a cassette of go-vcr, version 1 or 2 of its format, in the order of the file.
func FromCassette(data []byte) ([]*Exchange, error) {
	var doc struct {
		Interactions []struct {
			Request struct {
				Method, URL, Body string
				Headers           http.Header
			}
			Response struct {
				Code    int
				Body    string
				Headers http.Header
			}
		}
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	var all []*Exchange
	for n, i := range doc.Interactions {
		x := &Exchange{
			Method: i.Request.Method, RequestHeaders: sorted(i.Request.Headers), RequestBody: i.Request.Body,
			Status: i.Response.Code, ResponseHeaders: sorted(i.Response.Headers), ResponseBody: i.Response.Body,
		}
		if date := i.Response.Headers.Get("Date"); date != "" {
			x.At, _ = http.ParseTime(date) // a time that cannot be read is one that is not known
		}
		if err := x.address(i.Request.URL); err != nil {
			return nil, fmt.Errorf("cassette: interaction %d: %w", n, err)
		}
		all = append(all, x)
	}
	return all, nil
}

func (x *Exchange) address(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	x.Host, x.Path = u.Host, u.RequestURI()
	return nil
}

// Recordings turns exchanges into recordings, one for each dialect in which there are any.
func Recordings(source string, all []*Exchange) map[string]string {
	texts := make(map[string]string)
	for _, d := range replay.Dialects() {
		i := slices.IndexFunc(all, func(x *Exchange) bool { return x.Dialect() == d })
		if i < 0 {
			continue
		}
		w := &Writer{}
		var text strings.Builder
		text.WriteString(Head(source, all[i].At))
		for _, x := range all[i:] {
			if x.Dialect() == d {
				text.WriteString(w.Write(x))
			}
		}
		texts[d] = text.String()
	}
	return texts
}
