package sqs

import (
	"encoding/base64"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// page is which part of a list a request wants.
type page struct {
	after core.QueueName
	limit int
	paged bool   // the client limits the pages, so it may be given a token
	of    string // what the list is of; a token is good for that only
}

// newPage reads the paging of a request; broken is what it says of a token that it never gave. All texts are
// transcribed.
func newPage(limit *int, token *string, of, broken string) (page, error) {
	p := page{limit: maxPage, of: of}
	if limit != nil && *limit != 0 { // 0 means that there is no limit (transcribed)
		if *limit < 1 || *limit > maxPage {
			return p, invalidParameterValue.say("Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.")
		}
		p.limit, p.paged = *limit, true
	}
	if token == nil || *token == "" {
		return p, nil
	}
	if !p.paged {
		return p, invalidParameterValue.say("MaxResults is a mandatory parameter when you provide a value for NextToken.")
	}
	text, err := base64.URLEncoding.DecodeString(*token)
	tokenOf, after, ok := strings.Cut(string(text), "\n")
	switch {
	case err != nil || !ok:
		return p, invalidParameterValue.say("%s", broken)
	case tokenOf != of:
		return p, invalidParameterValue.say("Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.")
	}
	p.after = core.QueueName(after)
	return p, nil
}

// next returns the token of the page that follows the last name of this one; without a limit there is none (Recorded
// 2025-03-19), and the list ends at 1000.
func (p page) next(last core.QueueName) *string {
	if !p.paged {
		return nil
	}
	token := base64.URLEncoding.EncodeToString([]byte(p.of + "\n" + string(last)))
	return &token
}
