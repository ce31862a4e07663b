package mns

import (
	"net/url"
	"strings"
)

// item is one item of a query string.
type item struct{ name, value string }

// query is a query string. Names are compared without regard to case: clients send ReceiptHandle and receiptHandle,
// and the reference pages have Metaoverride and metaOverride.
type query []item

// queryNames are the items that some operation knows, and whether they are flags. Others are refused.
// UNVERIFIED: that the service refuses what it does not know rather than ignoring it; there is an error for it.
var queryNames = map[string]bool{
	"accountmeta":       true,
	"metaoverride":      true,
	"numofmessages":     false,
	"peekonly":          true,
	"receipthandle":     false,
	"visibilitytimeout": false,
	"waitseconds":       false,
}

// maxItems bounds the query string; the provider's operations take at most three.
const maxItems = 16

// parseQuery splits a raw query string. It undoes percent escapes and nothing else: the Java, Node.js and Python
// clients send receipt handles as they are, so that '+' is a plus, and '=' belongs to the value after the first one.
// Returns InvalidQueryString for an item that is unknown or cannot be read.
func parseQuery(raw string) (query, error) {
	var q query
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		it, ok := readItem(name, value)
		if !ok || len(q) == maxItems {
			return nil, invalidQuery(name)
		}
		q = append(q, it)
	}
	return q, nil
}

func readItem(name, value string) (item, bool) {
	n, err := url.PathUnescape(name)
	if err != nil {
		return item{}, false
	}
	v, err := url.PathUnescape(value)
	if err != nil {
		return item{}, false
	}
	flag, known := queryNames[strings.ToLower(n)]
	if _, isFlag := parseFlag(v); flag && !isFlag {
		return item{}, false
	}
	return item{n, v}, known
}

// get returns the value of the first item with the name.
func (q query) get(name string) (string, bool) {
	for _, it := range q {
		if strings.EqualFold(it.name, name) {
			return it.value, true
		}
	}
	return "", false
}

// flag reports whether the item is there and true.
func (q query) flag(name string) bool {
	text, _ := q.get(name)
	value, _ := parseFlag(text)
	return value
}
