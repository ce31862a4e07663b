// The messages of a queue: a page of them, and what can be done to those that were chosen.

import { messageLink } from "./api.js";
import { h, icon } from "./dom.js";
import { bytes, number, plural } from "./format.js";
import { button, command, pager, segmented, stateBadge, time } from "./ui.js";

// messagesCard shows a page of messages. acts are what its buttons do to the chosen ones.
export const messagesCard = (v, acts) =>
	h("section.card", tools(v, acts), v.page.messages.length ? table(v) : empty(v));

const tools = ({ at, state, order, after, trail, page, chosen }, acts) =>
	h(
		"div.tools",
		h("h2", "Messages"),
		segmented(
			"State",
			[
				["", "All"],
				["visible", "Visible"],
				["inFlight", "In flight"],
				["delayed", "Delayed"],
			],
			state,
			(v) => at.go({ state: v, after: null }),
		),
		segmented(
			"Order",
			[
				["newest", "Newest"],
				["oldest", "Oldest"],
			],
			order,
			(v) => at.go({ order: v, after: null }),
		),
		pager(
			trail.from,
			page.messages.length,
			state ? page.counts[state] : page.counts.total,
			after && (() => at.go({ after: trail.back() })),
			page.next && (() => at.go({ after: trail.on(page.next) })),
		),
		chosen.size > 0 &&
			h(
				"div.chosen",
				{ role: "group", "aria-label": "Chosen messages" },
				h("b.num", `${chosen.size} chosen`),
				button("Make visible", "eye", acts.show),
				button("Move", "move", acts.move),
				button("Delete", "trash", acts.remove, { class: "dangerous" }),
			),
	);

const table = (v) =>
	h(
		"div.table.messages",
		{ role: "table", "aria-label": "Messages" },
		h(
			"div.tr.th",
			{ role: "row" },
			h(
				"span.pick",
				{ role: "columnheader" },
				h("input", {
					type: "checkbox",
					"aria-label": "Choose all of this page",
					checked: v.chosen.size === v.page.messages.length,
					onchange: (e) => chooseAll(v, e.target.checked),
				}),
			),
			["State", "Message", "Receives", "Sent", v.queue.fifo ? "Group" : "Due"].map((t) =>
				h("span", { role: "columnheader" }, t),
			),
		),
		v.page.messages.map((m) => row(v, m)),
	);

const row = ({ queue, ref, chosen, draw }, m) =>
	h(
		"div.tr",
		{ role: "row", "data-key": m.id, class: chosen.has(m.id) ? "chosen" : "" },
		h(
			"span.pick",
			{ role: "cell" },
			h("input", {
				type: "checkbox",
				"aria-label": `Choose ${m.id}`,
				checked: chosen.has(m.id),
				onchange: (e) => (e.target.checked ? chosen.add(m.id) : chosen.delete(m.id), draw()),
			}),
		),
		h("span", { role: "cell" }, stateBadge(m.state)),
		h(
			"span.preview",
			{ role: "cell" },
			h("a.stretch", { href: messageLink(m.id, ref), "data-row": "" }, h("code", m.body.slice(0, 300) || "(empty)")),
			h(
				"small.muted",
				h("span.mono", m.id.slice(0, 8)),
				` · ${bytes(m.size)}`,
				m.attributes.length > 0 && ` · ${plural(m.attributes.length, "attribute")}`,
				m.priority && m.priority !== 8 && ` · priority ${m.priority}`,
			),
		),
		h(
			"span.num",
			{ role: "cell", "data-label": "receives", class: overLimit(queue, m) ? "warn" : "" },
			number(m.receives),
			queue.settings.deadLetter && h("span.muted", ` / ${queue.settings.deadLetter.maxReceives}`),
		),
		h("span", { role: "cell", "data-label": "sent" }, time(m.sentAt)),
		h(
			"span",
			{ role: "cell", "data-label": queue.fifo ? "group" : "due" },
			queue.fifo ? h("span.mono", m.group) : m.state === "visible" ? h("span.muted", "–") : time(m.visibleAt),
		),
	);

const overLimit = (queue, m) => queue.settings.deadLetter && m.receives >= queue.settings.deadLetter.maxReceives;

function chooseAll({ page, chosen, draw }, all) {
	for (const m of page.messages) all ? chosen.add(m.id) : chosen.delete(m.id);
	draw();
}

const empty = ({ at, queue, after }) =>
	queue.counts.total > 0 || after
		? h(
				"div.empty",
				icon("search"),
				h("h2", "No such messages"),
				h(
					"p",
					h("button", { type: "button", onclick: () => at.go({ state: null, after: null }) }, "Show all messages"),
				),
			)
		: h(
				"div.empty.teach",
				icon("send"),
				h("h2", "This queue is empty"),
				h("p", "Send a message from here, or with your own tools:"),
				command(sendCommand(at.endpoint(), queue)),
				h("p", "Programs that export their OpenTelemetry traces to this port see their spans beside each message:"),
				command(`export OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}`),
			);

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function sendCommand(url, queue) {
	const group = queue.fifo ? " --message-group-id a --message-deduplication-id 1" : "";
	return `aws --endpoint-url ${url} sqs send-message --message-body 'hello'${group} \\\n  --queue-url ${quote(`${url}/${queue.account}/${queue.name}`)}`;
}
