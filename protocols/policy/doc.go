// Package policy decides what access policies allow: those of queues and of users, in the language of AWS IAM that SQS
// has and in that of Alibaba Cloud RAM that MNS has, which are nearly the same. It knows no operation and no provider:
// who asks says the action, the resource and the values of condition keys.
//
// # What is understood
//
// Effect, Principal and NotPrincipal (policies of resources only), Action and NotAction, Resource and NotResource, with
// the wildcards * and ?; and Condition with the operators StringEquals, StringEqualsIgnoreCase, StringLike, ArnEquals and
// ArnLike, each also with Not, IpAddress and NotIpAddress, Bool, Null, and DateEquals, DateNotEquals, DateLessThan,
// DateLessThanEquals, DateGreaterThan and DateGreaterThanEquals, all of them but Null also with IfExists.
//
// # What is not
//
// Other operators, keys of conditions that the asker does not know (such as aws:PrincipalOrgID), the prefixes ForAnyValue
// and ForAllValues, and variables such as ${aws:username}. A statement with one of them is taken the safe way: an Allow
// allows nothing, and a Deny denies all that the rest of it matches. Unknown says which a policy has, for those who want
// to warn of it.
package policy
