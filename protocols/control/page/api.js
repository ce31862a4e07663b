// The control API. Errors are Failures with what the API says; a missing token is asked for once for all callers.

// Failure is an error of the API. code is for programs, message a sentence, field the member that is wrong.
export class Failure extends Error {
	constructor(status, { code = "Unreachable", message, field = null }) {
		super(message);
		Object.assign(this, { status, code, field });
	}
}

const tokenKey = "sluice.token";
let askForToken = null; // set by the page: resolves to a token that someone typed
let asking = null;

export function onUnauthorized(ask) {
	askForToken = ask;
}

// takeToken keeps the token of a link like /#token=…, and takes it out of the address.
export function takeToken() {
	const given = location.hash.match(/^#token=([^&]+)/);
	if (!given) return;
	sessionStorage.setItem(tokenKey, decodeURIComponent(given[1]));
	history.replaceState(null, "", location.pathname + location.search);
}

const clean = (query) =>
	new URLSearchParams(Object.entries(query ?? {}).filter(([, v]) => v !== null && v !== undefined && v !== ""));

async function request(method, path, { query, body, headers = {}, signal } = {}) {
	const token = sessionStorage.getItem(tokenKey);
	if (token) headers.Authorization = `Bearer ${token}`;
	if (body !== undefined) headers["Content-Type"] = "application/json";
	const search = clean(query).toString();
	const url = path + (search && `?${search}`);
	let answer;
	try {
		answer = await fetch(url, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
	} catch (e) {
		if (e.name === "AbortError") throw e;
		throw new Failure(0, { message: "The server does not answer. Is it still running?" });
	}
	if (answer.status === 401 && askForToken) {
		await freshToken(token);
		return request(method, path, { query, body, headers, signal });
	}
	if (!answer.ok) throw await failure(answer);
	return answer;
}

// freshToken asks for a token, once however many requests were refused.
async function freshToken(refused) {
	if (sessionStorage.getItem(tokenKey) !== refused) return;
	asking ??= askForToken(refused !== null).finally(() => (asking = null));
	sessionStorage.setItem(tokenKey, await asking);
}

async function failure(answer) {
	const told = await answer.json().catch(() => null);
	return new Failure(
		answer.status,
		told?.error ?? { code: `HTTP ${answer.status}`, message: `The server answered ${answer.status}.` },
	);
}

async function json(method, path, options) {
	const answer = await request(method, path, options);
	return answer.status === 204 ? null : answer.json();
}

export const get = (path, query, signal) => json("GET", path, { query, signal });
export const post = (path, body = {}, query) => json("POST", path, { body, query });
export const put = (path, body = {}) => json("PUT", path, { body });
export const patch = (path, body) => json("PATCH", path, { body });
export const remove = (path, query) => json("DELETE", path, { query });

const part = encodeURIComponent;

// Paths of what the API knows.
export const api = "/api/v1";
export const queuePath = (q) => `${api}/queues/${part(q.account)}/${part(q.region)}/${part(q.name)}`;
export const topicPath = (t) => `${api}/topics/${part(t.account)}/${part(t.region)}/${part(t.name)}`;
export const messagePath = (id) => `${api}/messages/${part(id)}`;
export const refText = (q) => `${q.account}/${q.region}/${q.name}`;

// Links within the page.
export const queueLink = (q) => `#/queues/${part(q.account)}/${part(q.region)}/${part(q.name)}`;
export const topicLink = (t) => `#/topics/${part(t.account)}/${part(t.region)}/${part(t.name)}`;
export const messageLink = (id, q) => `#/messages/${part(id)}${q ? `?queue=${part(refText(q))}` : ""}`;
export const traceLink = (id) => `#/traces/${part(id)}`;

// listen tells live events to onEvent until the signal aborts, and to onState whether it is connected. It is read with
// fetch, since an EventSource cannot send the token. A reader that was cut off for being slow goes on with what is new
// unless it wants every event.
export async function listen(query, { signal, every = false, onEvent, onGap, onState }) {
	let last = null;
	while (!signal.aborted) {
		try {
			const headers = every && last ? { "Last-Event-ID": last } : {};
			const answer = await request("GET", `${api}/events`, {
				query: last ? { ...query, recent: null } : query,
				headers,
				signal,
			});
			onState(true);
			await readEvents(answer.body, (kind, id, data) => {
				last = id ?? last;
				if (kind === "cut" || kind === "gap") onGap?.(data.dropped);
				else onEvent(data);
			});
		} catch (e) {
			if (e.name === "AbortError") return;
			last = null; // another server may count anew
		}
		onState(false);
		await new Promise((done) => setTimeout(done, 1500));
	}
}

// readEvents reads a stream of server-sent events: blocks of lines "name: value", an empty line between two of them.
async function readEvents(body, tell) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		const blocks = (rest + value).split(/\r?\n\r?\n/);
		rest = blocks.pop();
		for (const block of blocks) {
			const fields = Object.fromEntries([...block.matchAll(/^(\w+): ?(.*)$/gm)].map(([, k, v]) => [k, v]));
			if (fields.data) tell(fields.event, fields.id, JSON.parse(fields.data));
		}
	}
}
