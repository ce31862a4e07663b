package mns

import (
	"testing"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestHostNamesAccountAndRegion(t *testing.T) {
	home := protocols.Home{Account: "1234567890123456", Region: "cn-hangzhou"}
	for host, want := range map[string]core.Namespace{
		"42.mns.cn-shanghai.aliyuncs.com":               {Account: "42", Region: "cn-shanghai"},
		"42.mns.cn-shanghai.aliyuncs.com:80":            {Account: "42", Region: "cn-shanghai"},
		"42.MNS.CN-Shanghai.aliyuncs.com":               {Account: "42", Region: "cn-shanghai"},
		"42.mns.cn-shanghai-internal.aliyuncs.com":      {Account: "42", Region: "cn-shanghai"},
		"42.mns.cn-shanghai-internal-vpc.aliyuncs.com":  {Account: "42", Region: "cn-shanghai"},
		"42.mns-vpc.cn-shanghai.aliyuncs.com":           {Account: "42", Region: "cn-shanghai"},
		"42.mns-internal.ap-southeast-1.aliyuncs.com":   {Account: "42", Region: "ap-southeast-1"},
		"42.mns.us-west-1-control.aliyuncs.com":         {Account: "42", Region: "us-west-1"},
		"1234567890.mns.cn-hangzhou.mns.localhost:8080": {Account: "1234567890", Region: "cn-hangzhou"},
		"42.mns.eu-central-1.example":                   {Account: "42", Region: "eu-central-1"},
		"42.mns.-internal.example":                      {Account: "42", Region: "-internal"},
		"127.0.0.1":                                     home.Namespace(),
		"127.0.0.1:8080":                                home.Namespace(),
		"[::1]:8080":                                    home.Namespace(),
		"localhost:8080":                                home.Namespace(),
		"sluice":                                        home.Namespace(),
		"sluice.default.svc.cluster.local":              home.Namespace(),
		"account.mns.cn-shanghai.aliyuncs.com":          home.Namespace(),
		"42.sqs.us-east-1.amazonaws.com":                home.Namespace(),
		"42.mns.localhost":                              home.Namespace(),
		"":                                              home.Namespace(),
		".mns.a.b":                                      home.Namespace(),
	} {
		got, named := namespaceOf(host, home)
		if got != want || named != (want != home.Namespace()) {
			t.Errorf("namespaceOf(%q) = %v, %v, want %v", host, got, named, want)
		}
	}
}
