package mns

import "encoding/base64"

// page is what all lists are asked for by.
type page struct {
	Prefix string `header:"x-mns-prefix"`
	Marker string `header:"x-mns-marker"`
	Number *int   `header:"x-mns-ret-number"`
}

// A marker is the last name of the page before, in base64.
var markers = base64.RawURLEncoding

// bounds returns how many names are wanted, and the one after which they come.
func (p *page) bounds() (limit int, after string, err error) {
	limit = maxListed
	if p.Number != nil {
		limit = *p.Number
	}
	if limit < 1 || limit > maxListed {
		return 0, "", errListSize
	}
	name, err := markers.DecodeString(p.Marker)
	if err != nil {
		return 0, "", errListMarker
	}
	return limit, string(name), nil
}

// marker returns the marker of the page that follows the one with this last name, or "" if none does.
func marker[N ~string](more bool, last N) string {
	if !more {
		return ""
	}
	return markers.EncodeToString([]byte(last))
}
