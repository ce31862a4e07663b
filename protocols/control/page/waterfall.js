// The life of messages as a waterfall: what the broker did with them, and beside it the spans of the applications.

import { queueLink, traceLink } from "./api.js";
import { h, icon } from "./dom.js";
import { duration, instant } from "./format.js";
import { factList, segmented, words } from "./ui.js";

const most = 300; // rows; whoever has more sees the latest

// phases makes the phases in which a message was out of its events, the oldest first. Times are milliseconds.
export function phases(events, now) {
	const out = [];
	const open = new Map(); // message → its present phase
	const enter = (e, kind, queue, title) => {
		const phase = {
			kind,
			title,
			queue,
			start: Date.parse(e.at),
			end: null,
			message: e.message,
			marks: [],
			facts: [],
			outcome: "",
		};
		if (e.until) phase.until = Date.parse(e.until);
		out.push(phase);
		open.set(e.message, phase);
	};
	const end = (e, outcome) => {
		const phase = open.get(e.message);
		open.delete(e.message);
		if (phase) Object.assign(phase, { end: Date.parse(e.at), outcome });
		return phase;
	};
	for (const e of events) follow(e, { enter, end, open, out });
	for (const phase of open.values()) Object.assign(phase, { end: Math.max(now, phase.start), ongoing: true });
	return out;
}

// follow takes one event into the phases.
function follow(e, { enter, end, open, out }) {
	const at = Date.parse(e.at);
	const hidden = e.until && Date.parse(e.until) > at;
	const start = {
		sent: () => (hidden ? enter(e, "delayed", e.queue, "Delayed") : enter(e, "waiting", e.queue, "Waiting")),
		received: () => (end(e, "received"), enter(e, "inFlight", e.queue, `In flight #${e.receives}`)),
		visible: () => (
			end(e, open.get(e.message)?.kind === "delayed" ? "due" : "timed out"),
			enter({ ...e, until: null }, "waiting", e.queue, "Waiting")
		),
		visibilitySet: () =>
			hidden ? prolong(e, open) : (end(e, "made visible"), enter({ ...e, until: null }, "waiting", e.queue, "Waiting")),
		deadLettered: () => (end(e, "dead-lettered"), enter(e, "waiting dead", e.other, "Waiting as a dead letter")),
		moved: () => (end(e, "moved"), enter(e, "waiting", e.other, "Waiting")),
	}[e.kind];
	if (start) return start();
	const over = ["deleted", "purged", "retentionExpired", "queueDeleted"].includes(e.kind);
	if (over && end(e, words(e.kind).toLowerCase())) return;
	out.push({
		kind: e.kind === "pushFailed" ? "point bad" : "point",
		title: words(e.kind),
		queue: e.queue,
		topic: e.topic,
		start: at,
		end: at,
		message: e.message,
		marks: [],
		facts: [
			["Subscription", e.subscription],
			["Attempt", e.receives || ""],
			["Error", e.error],
		],
		outcome: e.error || "",
	});
}

function prolong(e, open) {
	const phase = open.get(e.message);
	if (!phase) return;
	phase.marks.push({ at: Date.parse(e.at), text: `visibility changed: hidden until ${e.until}` });
	phase.until = Date.parse(e.until);
}

// span is the row of a span that an application has exported.
export function span(s) {
	const start = precise(s.start);
	return {
		kind: s.failed ? "span bad" : "span",
		title: s.name,
		service: s.service || "application",
		start,
		end: Math.max(start, precise(s.end)),
		id: s.spanId,
		parent: s.parentId,
		outcome: s.message,
		marks: s.events.map((e) => ({ at: precise(e.at), text: [e.name, ...Object.values(e.attributes)].join(" · ") })),
		facts: [
			["Service", s.service],
			["Kind", s.kind],
			["Scope", s.scope],
			["Span", s.spanId],
			["Parent", s.parentId],
			...s.links.map((l) => ["Link", h("a", { href: traceLink(l.traceId) }, `${l.traceId} ${l.spanId}`)]),
			...Object.entries(s.attributes),
		],
	};
}

// precise keeps what Date.parse drops: fractions of milliseconds.
function precise(iso) {
	const fraction = String(iso).match(/\.\d{3}(\d+)/)?.[1] ?? "";
	return Date.parse(iso) + Number(`0.${fraction || 0}`);
}

// scale maps times to 0…1. Compressed, every stretch between two instants counts by the logarithm of its length, so
// that a handler of milliseconds can be seen beside hours of waiting.
function scale(rows, compressed) {
	const instants = [...new Set(rows.flatMap((r) => [r.start, r.end, ...r.marks.map((m) => m.at)]))].sort(
		(a, b) => a - b,
	);
	const weigh = (ms) => (compressed ? Math.log2(1 + ms * 4) : ms);
	const places = [0];
	for (let i = 1; i < instants.length; i++) places.push(places[i - 1] + weigh(instants[i] - instants[i - 1]));
	const total = places.at(-1) || 1;
	return { instants, places: places.map((p) => p / total) };
}

function between(from, to, x) {
	let i = from.findIndex((f) => f >= x);
	if (i < 0) i = from.length - 1;
	if (i === 0 || from[i] === from[i - 1]) return to[i];
	return to[i - 1] + ((to[i] - to[i - 1]) * (x - from[i - 1])) / (from[i] - from[i - 1]);
}

// uneven tells whether the shortest rows would vanish on a true scale.
export function uneven(rows) {
	const lengths = rows.map((r) => r.end - r.start).filter((l) => l > 0);
	const whole = Math.max(...rows.map((r) => r.end)) - Math.min(...rows.map((r) => r.start));
	return lengths.length > 0 && whole / Math.min(...lengths) > 150;
}

const fine = (ms) =>
	ms < 1 ? `${Math.round(ms * 1000)} µs` : ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : duration(ms / 1000);

// waterfall draws rows of phases and spans by their start, below what leads its first line; null if there are none.
export function waterfall(all, { lead, compressed, choose }) {
	const rows = depths(all)
		.sort((a, b) => a.start - b.start || a.depth - b.depth)
		.slice(-most);
	if (!rows.length) return null;
	const { instants, places } = scale(rows, compressed);
	const place = (ms) => between(instants, places, ms);
	return h(
		"div.waterfall",
		h(
			"div.tools",
			lead,
			legend(rows),
			segmented(
				"Scale",
				[
					["fit", "Fit gaps"],
					["true", "True scale"],
				],
				compressed ? "fit" : "true",
				(v) => choose(v === "fit"),
			),
		),
		h(
			"div.axis",
			{ "aria-hidden": "true" },
			[0, 0.25, 0.5, 0.75, 1].map((x) =>
				h(
					"span",
					{ css: { left: `${x * 100}%` } },
					x === 0 ? "0" : `+${fine(between(places, instants, x) - instants[0])}`,
				),
			),
		),
		rows.map((r, i) => bar(r, i, place, instants[0])),
		all.length > most && h("p.muted", `${all.length - most} earlier rows are left out.`),
	);
}

// depths nests the spans of applications below their parents.
function depths(rows) {
	const byId = new Map(rows.filter((r) => r.id).map((r) => [r.id, r]));
	for (const r of rows) {
		r.depth = 0;
		for (let up = byId.get(r.parent); up && r.depth < 8; up = byId.get(up.parent)) r.depth++;
	}
	return rows;
}

function legend(rows) {
	const names = {
		delayed: "Delayed",
		waiting: "Waiting",
		inFlight: "In flight",
		dead: "Dead letter",
		span: "Application",
	};
	const there = new Set(rows.flatMap((r) => r.kind.split(" ")));
	return h(
		"p.legend",
		Object.entries(names)
			.filter(([k]) => there.has(k))
			.map(([k, text]) => h("span", h("i", { class: k }), text)),
	);
}

function bar(r, i, place, origin) {
	const left = place(r.start);
	const width = place(r.end) - left;
	const length = r.end - r.start;
	const where = r.service ?? r.queue?.name ?? r.topic?.name ?? "";
	return h(
		"details.row",
		{ "data-key": `${r.kind}${r.id ?? ""}${r.message ?? ""}${r.start}-${i}` },
		h(
			"summary",
			h(
				"span.what",
				{ css: { "--depth": String(r.depth) } },
				h("b", r.title),
				h("small", icon(r.service ? "events" : r.topic ? "topics" : "queues"), where),
			),
			h(
				"span.track",
				h("i.bar", {
					class: `${r.kind}${r.ongoing ? " ongoing" : ""}`,
					css: { left: `${left * 100}%`, width: `${width * 100}%` },
				}),
				r.marks.map((m) => h("i.moment", { title: m.text, css: { left: `${place(m.at) * 100}%` } })),
				h(
					"span.length.num",
					{
						class: left + width > 0.72 ? "before" : "",
						css: left + width > 0.72 ? { right: `${(1 - left) * 100}%` } : { left: `${(left + width) * 100}%` },
					},
					r.kind.startsWith("point") ? "" : r.ongoing ? `${fine(length)} so far` : fine(length),
					r.outcome && h("em", ` ${r.outcome}`),
				),
			),
		),
		factList(
			details(r, origin).filter(([, v]) => v !== undefined && v !== "" && v !== null),
			"long",
		),
	);
}

function details(r, origin) {
	return [
		["Began", `${instant(r.start)} UTC (+${fine(r.start - origin)})`],
		["Ended", r.ongoing ? "not yet" : `${instant(r.end)} UTC`],
		["Took", r.ongoing ? "" : fine(r.end - r.start)],
		["Hidden until", r.until ? `${instant(r.until)} UTC` : ""],
		["Outcome", r.outcome],
		[
			"Queue",
			r.queue ? h("a", { href: queueLink(r.queue) }, `${r.queue.name} (${r.queue.account} · ${r.queue.region})`) : "",
		],
		...r.marks.map((m) => ["Then", `${instant(m.at)} UTC: ${m.text}`]),
		...r.facts,
	];
}
