package mns

import (
	"strings"
	"testing"

	"github.com/sluicemq/sluice/core"
)

var someID = core.MessageID{0xDF, 0xB0, 0x59, 0x07, 0x33, 0xFD, 0x7F, 0xC1, 0x7F, 0xAF, 0x90, 0xD6, 0x26, 0x0B, 0x2C, 0x84}

func TestHandleIsMessageIDAndReceipt(t *testing.T) {
	handle := handleOf(someID, "AbC_-9")
	if !strings.HasPrefix(handle, "DFB0590733FD7FC17FAF90D6260B2C84-AbC_-9") {
		t.Errorf("handleOf = %q", handle)
	}
	if strings.Trim(handle, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("handleOf = %q, want only characters that no URL changes", handle)
	}
	if got := receiptOf(handle); got != "AbC_-9" {
		t.Errorf("receiptOf(%q) = %q, want AbC_-9", handle, got)
	}
	if got := handleOf(someID, ""); got != "" {
		t.Errorf("handleOf(no receipt) = %q, want none", got)
	}
}

func TestHandlesOfOthersAreNone(t *testing.T) {
	handle := handleOf(someID, "AbCdEf")
	other := handleOf(core.MessageID{1}, "AbCdEf")
	for name, bad := range map[string]string{
		"empty":                     "",
		"2015":                      "1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==",
		"2022":                      "8-BzvT93jFnzuz6zcJz0zhAzcUxr0B2GnZl",
		"recorded 2026":             "17938B3733FD7FBA7F9F7DA0AEDAABDE-NiAxNzkwMjk5NjgzOTkyIDMwMDAwIDQgMCBzaG1xbmluZTRzbXEtMTEgMCA2fDFyM2NzVA==",
		"message id of another":     other[:idSize] + handle[idSize:],
		"cut":                       handle[:len(handle)-1],
		"longer":                    handle + "A",
		"another case":              strings.ToLower(handle),
		"without receipt":           renewHandle(formatID(someID), ""),
		"without message id":        renewHandle("", "AbCdEf"),
		"without hyphen":            strings.Replace(handle, "-", "_", 1),
		"message id only":           formatID(someID),
		"message id, hyphen, check": formatID(someID) + "-AAAA",
	} {
		if got := receiptOf(bad); got != "" {
			t.Errorf("%s: receiptOf(%q) = %q, want none", name, bad, got)
		}
	}
}

func TestDigestIsOfTheBodyOnTheWire(t *testing.T) {
	for body, want := range map[string]string{
		"hello world":                  "5EB63BBBE01EEED093CB22BB8F5ACDC3", // recorded 2022
		"5Lit5paHPCY+":                 "B1CD11B9C677E413620F10D834EA88CC",
		"中文<&>":                        "4F8EC04C380CD87AF44F2FEFA8B0F625",
		"I am 测试字符串.":                  "9D75198CAA17528AB23790C1861987AF", // recorded 2024
		"SSBhbSDmtYvor5XlrZfnrKbkuLIu": "A9B134C465C384F49EB89A6E3870D996", // recorded 2024
	} {
		if got := digest(body); got != want {
			t.Errorf("digest(%q) = %s, want %s", body, got, want)
		}
	}
}
