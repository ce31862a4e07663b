// One message, wherever it went: what it says, why it is not delivered, and what happened to it. And one trace.

import { api, Failure, messageLink, messagePath, post, refText, remove, traceLink } from "./api.js";
import { clock } from "./clock.js";
import { h, icon, render } from "./dom.js";
import { bytes, duration, number, plural } from "./format.js";
import { decoded, hides, pretty } from "./pretty.js";
import { moveDialog } from "./queueforms.js";
import { namesLike } from "./queues.js";
import {
	button,
	confirm,
	copyButton,
	factList,
	queueName,
	segmented,
	stateBadge,
	time,
	timeShort,
	toast,
	words,
} from "./ui.js";
import { phases, span, uneven, waterfall } from "./waterfall.js";

const colours = 12000; // pieces of a body; with more of them it is shown in one colour

export async function messageView(root, at) {
	const [id] = at.params;
	const queue = at.query.get("queue");
	const path = messagePath(id);
	let detail, line, why;
	let mode = null; // how the body is shown; null: as reads best
	let compressed = null;

	const draw = () => {
		const m = detail?.message;
		render(
			root,
			head(m),
			sentence(),
			timeline(),
			m && h("div.split", h("div.stack", body(m), attributes(m)), h("aside", facts(m))),
		);
	};

	const head = (m) =>
		h(
			"div.head",
			h(
				"div",
				h("p.crumbs", h("a", { href: "#/queues" }, "Queues"), why.queue && [" / ", queueName(why.queue)]),
				h(
					"div.titled",
					h("h1.id", "Message ", h("code", id)),
					copyButton(() => id, "Copy the id"),
				),
			),
			m &&
				h(
					"div.actions",
					m.state !== "visible" && button("Make visible", "eye", makeVisible, { title: "v" }),
					button("Move", "move", move),
					button("Delete", "trash", drop, { class: "dangerous" }),
				),
		);

	const sentence = () =>
		h(
			"section.why",
			{ class: why.deliverable ? "good" : goneReasons.includes(why.reason) ? "gone" : why.reason, "aria-label": "Why" },
			icon(
				why.deliverable
					? "check"
					: why.reason === "overMaxReceives"
						? "dead"
						: goneReasons.includes(why.reason)
							? "trash"
							: "clock",
			),
			h(
				"div",
				h("p.label", why.deliverable ? "Deliverable now" : words(why.reason)),
				h("p.sentence", why.sentence),
				h(
					"p.more",
					why.until && h("span", "Ends ", time(why.until)),
					why.blockedBy &&
						h("span", "Behind ", h("a", { href: messageLink(why.blockedBy, why.queue) }, why.blockedBy.slice(0, 8))),
					why.ahead > 0 && h("span", `${why.ahead >= 1000 ? "1,000 or more" : number(why.ahead)} delivered before it`),
					why.maxReceives && h("span", `${why.receives} of ${why.maxReceives} receives`),
					why.deadLetter && h("span", "Dead letters go to ", queueName(why.deadLetter)),
				),
			),
		);

	const body = (m) => {
		const shapes = shapesOf(m.body);
		const shown = shapes[mode] ? mode : Object.keys(shapes)[0];
		return h(
			"section.card.bodycard",
			h(
				"div.tools",
				h("h2", "Body"),
				hides(m.body) &&
					h(
						"span.badge.warn",
						{ title: "Such as control characters or ones that change the direction of text" },
						"has invisible characters",
					),
				h("span.muted.num", bytes(m.size)),
				segmented(
					"Show as",
					Object.entries(shapes).map(([k, v]) => [k, v.name]),
					shown,
					(v) => ((mode = v), draw()),
				),
				copyButton(() => m.body, "Copy the body"),
			),
			h("pre.body", { tabindex: "0", "aria-label": "Body", "data-key": shown }, shapes[shown].show()),
		);
	};

	const facts = (m) =>
		h(
			"section.card",
			h("div.tools", h("h2", "Message"), stateBadge(m.state)),
			factList(
				[
					["Queue", queueName(m.queue)],
					m.source && ["Dead-lettered by", queueName(m.source)],
					["Sent", time(m.sentAt, { both: true })],
					m.enteredAt !== m.sentAt && ["Entered the queue", time(m.enteredAt, { both: true })],
					["First received", time(m.firstReceivedAt, { both: true })],
					["Last received", time(m.lastReceivedAt, { both: true })],
					["Receives", number(m.receives)],
					m.state !== "visible" && ["Visible", time(m.visibleAt, { both: true })],
					["Dropped", time(m.expiresAt, { both: true })],
					m.group && ["Group", h("code", m.group)],
					m.deduplicationId && ["Deduplication id", h("code", m.deduplicationId)],
					["Priority", m.priority],
					["Sequence", h("span.num", m.sequence)],
					m.sender && ["Sender", h("code", m.sender)],
					["MD5 of the body", h("code", m.bodyMd5)],
					m.attributesMd5 && ["MD5 of the attributes", h("code", m.attributesMd5)],
					...(m.trace
						? [
								m.trace.traceId && ["Trace", h("a", { href: traceLink(m.trace.traceId) }, h("code", m.trace.traceId))],
								m.trace.traceparent && ["traceparent", h("code", m.trace.traceparent)],
								m.trace.xray && ["X-Ray", h("code", m.trace.xray)],
								m.trace.baggage && ["Baggage", h("code", m.trace.baggage)],
							]
						: []),
				].filter(Boolean),
			),
		);

	const attributes = (m) =>
		m.attributes.length > 0 &&
		h(
			"section.card",
			h("div.tools", h("h2", "Attributes")),
			h(
				"div.table.attributes",
				{ role: "table", "aria-label": "Attributes" },
				m.attributes.map((a) =>
					h(
						"div.tr",
						{ role: "row" },
						h("b", { role: "rowheader" }, a.name),
						h("span.muted", { role: "cell" }, a.kind, a.label && `.${a.label}`),
						h("code", { role: "cell" }, a.value),
					),
				),
			),
		);

	const timeline = () => {
		const rows = [...phases(line.events, clock.now()), ...line.spans.map(span)];
		compressed ??= rows.length ? uneven(rows) : null;
		const lead = [
			h("h2", "Timeline"),
			line.traceIds.map((t) =>
				h("a.badge", { href: traceLink(t), title: "The whole trace" }, icon("events"), "trace ", t.slice(0, 8)),
			),
			line.linked
				.filter((other) => other !== id)
				.map((other) => h("a.badge", { href: messageLink(other) }, "also ", other.slice(0, 8))),
			line.forgotten > 0 && h("span.badge.warn", `${number(line.forgotten)} earlier events are forgotten`),
		];
		return h(
			"section.card",
			waterfall(rows, { lead, compressed, choose: (v) => ((compressed = v), draw()) }) ?? [
				h("div.tools", lead),
				h("p.muted", "Nothing is remembered of this message. Events are kept in memory, for the latest messages."),
			],
			line.events.length > 0 &&
				line.spans.length === 0 &&
				h(
					"p.hint",
					"Export your program's OpenTelemetry traces here, and its spans stand beside these: ",
					h("code", `OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}`),
				),
			line.events.length > 0 &&
				h("details.list", h("summary", plural(line.events.length, "event")), eventTable(line.events)),
		);
	};

	const load = async () => {
		[detail, line] = await Promise.all([at.get(path, { queue }).catch(missing), at.get(`${path}/timeline`, { queue })]);
		why = detail?.why ?? (await at.get(`${path}/why`, { queue }));
		if (!detail && why.reason === "unknown" && !line.events.length)
			throw new Failure(404, { code: "Message not found", message: why.sentence });
		draw();
	};
	const then = (text) => (done) => done && (toast(text), load());
	const inQueue = () => ({ queue: refText(detail.message.queue) });
	const makeVisible = () =>
		at.run(async () => (await post(`${path}/visible`, {}, inQueue()), toast("Visible now"), load()));
	const move = async () =>
		moveDialog(detail.message.queue, await namesLike(detail.message.queue), (to) =>
			post(`${path}/move`, to, inQueue()),
		).then(then("Moved"));
	const drop = () =>
		confirm(
			"Delete this message?",
			"Whoever has received it will not be able to. This cannot be undone.",
			"Delete",
			() => remove(path, inQueue()),
		).then(then("Deleted"));

	at.shortcuts({
		v: { does: "Make visible", act: () => detail && detail.message.state !== "visible" && makeVisible() },
	});
	await load();
	document.title = `Message ${id.slice(0, 8)} · Sluice`;
	at.listen({ message: id }, { onEvent: () => at.run(load) });
	at.every(3000, load);
}

const goneReasons = ["deleted", "purged", "queueDeleted", "retentionExpired", "unknown"];

const missing = (e) => (e.status === 404 ? null : Promise.reject(e));

// shapesOf are the ways to read a body, the best first.
let read = { body: null, shapes: null }; // the latest, since views are drawn anew all the time
function shapesOf(text) {
	if (read.body === text) return read.shapes;
	const shapes = {};
	const inner = decoded(text);
	const best = pretty(inner ?? text);
	if (best)
		shapes.pretty = { name: inner ? `Base64, ${best.language}` : best.language, show: () => colour(best.pieces) };
	else if (inner) shapes.decoded = { name: "From Base64", show: () => inner };
	shapes.raw = { name: "Raw", show: () => text };
	read = { body: text, shapes };
	return shapes;
}

const colour = (pieces) =>
	pieces.length > colours
		? pieces.map((p) => p.text).join("")
		: pieces.map((p) => (p.kind ? h(`span.${p.kind}`, p.text) : p.text));

// eventTable lists events as they are given.
export const eventTable = (events) =>
	h("div.table.events", { role: "table", "aria-label": "Events" }, events.map(eventRow));

const eventRow = (e) =>
	h(
		"div.tr",
		{ role: "row", "data-key": String(e.number) },
		h("span.muted", { role: "cell" }, timeShort(e.at)),
		h("span", { role: "cell" }, h("span.kind", { class: e.kind }, words(e.kind))),
		h(
			"span.where",
			{ role: "cell" },
			e.queue && queueName(e.queue),
			e.other && [" → ", queueName(e.other)],
			e.topic && h("span", e.topic.name, e.subscription && ` / ${e.subscription}`),
		),
		h(
			"span",
			{ role: "cell" },
			e.message && h("a.mono", { href: messageLink(e.message, e.other ?? e.queue) }, e.message.slice(0, 8)),
		),
		h("span.muted", { role: "cell" }, remarks(e), e.error && h("span.bad", e.error)),
	);

function remarks(e) {
	const hidden = e.until ? (Date.parse(e.until) - Date.parse(e.at)) / 1000 : 0;
	return [
		e.group && `group ${e.group}`,
		e.receives > 0 && `receive ${e.receives}`,
		hidden > 0 && `hidden for ${duration(hidden)}`,
	]
		.filter(Boolean)
		.join(" · ");
}

// traceView shows everything of one trace.
export async function traceView(root, at) {
	const [id] = at.params;
	let trace;
	let compressed = null;
	const draw = () => {
		const rows = [...phases(trace.events, clock.now()), ...trace.spans.map(span)];
		compressed ??= rows.length ? uneven(rows) : null;
		render(
			root,
			h(
				"div.head",
				h(
					"div",
					h("p.crumbs", h("a", { href: "#/events" }, "Events")),
					h(
						"div.titled",
						h("h1.id", "Trace ", h("code", id)),
						copyButton(() => id, "Copy the id"),
					),
				),
			),
			h(
				"section.card",
				waterfall(rows, { compressed, choose: (v) => ((compressed = v), draw()) }) ??
					h(
						"div.empty",
						icon("events"),
						h("h2", "Nothing is known of this trace"),
						h("p", "Spans and events are kept in memory, the latest of them."),
					),
			),
			trace.messages.length > 0 &&
				h(
					"section.card",
					h("div.tools", h("h2", plural(trace.messages.length, "message"))),
					h(
						"ul.links",
						trace.messages.map((m) => h("li", h("a.mono", { href: messageLink(m) }, m))),
					),
				),
		);
	};
	at.every(3000, async () => {
		trace = await at.get(`${api}/traces/${encodeURIComponent(id)}`);
		draw();
	});
}
