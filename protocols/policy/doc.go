// Package policy decides what access policies allow: those of queues and of users, in the language of AWS IAM that SQS
// has and in that of Alibaba Cloud RAM that MNS has, which are nearly the same. It knows no operation and no provider:
// who asks says the action, the resource and the values of condition keys.
//
// # What is understood
//
// Effect, Principal and NotPrincipal (policies of resources only), Action and NotAction, Resource and NotResource, with
// the wildcards * and ?; and Condition with these operators:
//
//   - StringEquals, StringEqualsIgnoreCase, StringLike, ArnEquals, ArnLike, IpAddress, NumericEquals and DateEquals, each
//     also with Not, as in StringNotLike;
//   - NumericLessThan, NumericLessThanEquals, NumericGreaterThan and NumericGreaterThanEquals, and the same of Date;
//   - Bool and Null.
//
// All of them but Null also with IfExists at the end, and with ForAnyValue: or ForAllValues: in front.
//
// A resource name of AWS that lacks parts at its end means all that begins so: arn:aws:sqs is all of SQS.
//
// Principals are * for everybody, accounts, users, roles and sessions of roles, by their exact names. Naming an account
// leaves it to the account what its users may do. A Deny with NotPrincipal spares only those of whom it names all: the
// account and the user, or the account, the role and the session.
//
// Variables such as ${aws:username}, also with a value for when there is none, ${aws:username, 'nobody'}, and ${*}, ${?} and
// ${$}, stand in resources and in values of the String and Arn operators, in policies of version 2012-10-17; older ones
// take them for texts. A variable without a value makes what it stands in like nothing.
//
// # Which keys there are
//
// For SQS: aws:CurrentTime, aws:EpochTime, aws:PrincipalAccount, aws:PrincipalArn, aws:PrincipalType, aws:username,
// aws:Referer, aws:RequestedRegion, aws:ResourceAccount, aws:ResourceTag/NAME, aws:SecureTransport, aws:SourceIp and
// aws:UserAgent; and as keys that no request has, since no service and no private network sends one: aws:SourceArn,
// aws:SourceAccount, aws:SourceVpc, aws:SourceVpce, aws:VpcSourceIp, aws:CalledVia and its kin, the keys of services as
// principals, and with a permanent key aws:TokenIssueTime and aws:MultiFactorAuthPresent. For MNS: acs:CurrentTime,
// acs:SecureTransport, acs:SourceIp, acs:MFAPresent and acs:UserName.
//
// # What is not
//
// No caller is a service, a federated user or a canonical user, so that such principals are nobody. Not understood are
// BinaryEquals and other operators; values that their operator cannot read, such as an address that is none; keys of
// conditions that the asker does not know (such as aws:PrincipalOrgID, aws:PrincipalTag/NAME, aws:RequestTag/NAME and
// aws:userid); variables in policies of RAM. A statement with one of them is taken the safe way: an Allow allows nothing,
// and a Deny denies all that the rest of it matches. Unknown says which a policy has, for those who want to warn of it.
package policy
