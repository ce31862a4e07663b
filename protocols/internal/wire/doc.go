// Package wire holds the generic codecs of the Query and JSON protocols. A wire shape is a tagged struct that is
// written once and serves both: each codec is compiled by reflection when a program starts, and running it is a walk
// over closures that appends to one buffer.
//
// # Shapes
//
// The fields of a shape are strings, integers, booleans, byte slices, structs, slices, Maps, or pointers to one of
// the first three. A pointer means that the member may be absent, which is different from being zero. Two tags name a
// field:
//
//	json:"MessageAttributes"              its name in JSON; "-" leaves it out
//	json:"MessageBody,cast"               numbers and booleans are read as the text they stand for, also in Maps
//	json:"Messages,plain=messages"        its name in JSON that is rendered from the Query protocol
//	query:"MessageAttribute,Name,Value"   its name in a form and in XML, and those of a Map's keys and values
//	query:"Tag|Tags,Key,Value"            names after the first are read but not written
//
// Without a query tag a field is called there as it is in JSON; the JSON name is read in forms in any case, since old
// clients sent member names as well. The order of fields is the order of XML elements. JSON members are written in
// the order of their names, as the real service does (Recorded, 11,502 exchanges).
//
// The package knows no operation and no provider. It is not for MNS, whose XML is indented and has attributes.
package wire
