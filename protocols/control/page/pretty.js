// Bodies, made readable. Everything here turns text into pieces {kind, text}, which are shown as text: a body is data,
// and is neither evaluated nor put into the document as markup.

const largest = 512 * 1024; // characters; beyond that a body is only shown raw
const deepest = 40; // levels of indentation: a body of brackets alone would grow with the square of its length

const line = (depth) => ({ kind: "", text: `\n${"  ".repeat(Math.min(depth, deepest))}` });

// pretty tells what a body is and its pieces, or null where it is plain text.
export function pretty(body) {
	if (body.length > largest) return null;
	const start = body.trimStart()[0];
	if (start === "{" || start === "[") return prettyJSON(body);
	if (start === "<") return prettyXML(body);
	return null;
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

// Tokens are laid out anew and never converted, so that large numbers and doubled keys stay as they were sent.
function prettyJSON(body) {
	try {
		JSON.parse(body);
	} catch {
		return null;
	}
	const tokens = body.match(jsonToken);
	const out = [];
	let depth = 0;
	tokens.forEach((token, i) => {
		const next = tokens[i + 1];
		if (token === "{" || token === "[") {
			out.push({ kind: "mark", text: token });
			depth++;
			if (next !== "}" && next !== "]") out.push(line(depth));
		} else if (token === "}" || token === "]") {
			depth--;
			if (tokens[i - 1] !== "{" && tokens[i - 1] !== "[") out.push(line(depth));
			out.push({ kind: "mark", text: token });
		} else if (token === ",") {
			out.push({ kind: "mark", text: "," });
			out.push(line(depth));
		} else if (token === ":") out.push({ kind: "mark", text: ": " });
		else out.push({ kind: jsonKind(token, next), text: token });
	});
	return { language: "JSON", pieces: out };
}

function jsonKind(token, next) {
	if (token[0] === '"') return next === ":" ? "key" : "string";
	return /^[-\d]/.test(token) ? "number" : "word";
}

// xmlTokens are the tags, comments and texts of a body; null if one is not ended. Each character is looked at once:
// whoever sends a body must not be able to make this page think for long.
function xmlTokens(body) {
	const tokens = [];
	for (let at = 0; at < body.length; ) {
		const end = endOfToken(body, at);
		if (end < 0) return null;
		if (body.slice(at, end).trim() !== "") tokens.push(body.slice(at, end));
		at = end;
	}
	return tokens;
}

function endOfToken(body, at) {
	if (body[at] !== "<") return body.indexOf("<", at) < 0 ? body.length : body.indexOf("<", at);
	for (const [from, to] of [
		["<!--", "-->"],
		["<![CDATA[", "]]>"],
		["<?", "?>"],
	]) {
		if (!body.startsWith(from, at)) continue;
		const end = body.indexOf(to, at + from.length);
		return end < 0 ? -1 : end + to.length;
	}
	let quote = "";
	for (let i = at + 1; i < body.length; i++) {
		const c = body[i];
		if (quote) quote = c === quote ? "" : quote;
		else if (c === '"' || c === "'") quote = c;
		else if (c === ">") return i + 1;
		else if (c === "<") return -1;
	}
	return -1;
}

function prettyXML(body) {
	const tokens = xmlTokens(body);
	if (!tokens || !nested(tokens)) return null;
	const out = [];
	let depth = 0;
	tokens.forEach((token, i) => {
		const closing = token.startsWith("</");
		if (closing) depth--;
		const inline = closing ? !tokens[i - 1].startsWith("<") || opens(tokens[i - 1]) : !token.startsWith("<");
		if (i > 0 && !inline) out.push(line(depth));
		out.push(...xmlPieces(token));
		if (opens(token)) depth++;
	});
	return { language: "XML", pieces: out };
}

// nested tells whether all elements are closed in their order, and there is text in them only. A parser of the browser
// would tell more, but reports what is wrong with markup of its own, which the policy forbids.
function nested(tokens) {
	const open = [];
	for (const [i, token] of tokens.entries()) {
		if (/^<!DOCTYPE/i.test(token)) return false; // its entities would not be seen
		if (token.startsWith("</")) {
			if (open.pop() !== nameOf(token)) return false;
		} else if (opens(token)) open.push(nameOf(token));
		else if (!token.startsWith("<") && open.length === 0) return false;
		if (token.startsWith("<") && !/^<(\/?[\p{L}_:][^\s/>]*|!--|!\[CDATA\[|\?)/u.test(token)) return false;
		if (open.length === 0 && i < tokens.length - 1 && token.startsWith("</") && /^<[^!?]/.test(tokens[i + 1]))
			return false;
	}
	return open.length === 0 && tokens.some((token) => /^<[^!?]/.test(token));
}

const nameOf = (token) => token.match(/^<\/?([^\s/>]+)/)?.[1];
const opens = (token) => /^<[^!?/]/.test(token) && !token.endsWith("/>");

function xmlPieces(token) {
	if (/^<[!?]/.test(token)) return [{ kind: "mark", text: token }];
	if (!token.startsWith("<")) return [{ kind: "string", text: token }];
	const [, open, name, rest] = token.match(/^(<\/?)([^\s/>]+)([^]*)$/);
	return [
		{ kind: "mark", text: open },
		{ kind: "key", text: name },
		{ kind: "number", text: rest.replace(/\/?>$/, "") },
		{ kind: "mark", text: rest.match(/\/?>$/)[0] },
	];
}

// decoded is the text of a body in base64, as clients of MNS send it; null where that is not one.
export function decoded(body) {
	const text = body.trim();
	if (text.length < 8 || text.length % 4 || text.length > largest || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
	try {
		const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
		const decodedText = new TextDecoder("utf-8", { fatal: true }).decode(raw);
		return /[\x00-\x08\x0e-\x1f]/.test(decodedText) ? null : decodedText;
	} catch {
		return null;
	}
}

// hides tells of characters that a reader cannot see, or that turn the order of the others around.
export const hides = (text) =>
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(text);
