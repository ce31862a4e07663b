// What stands beside the messages of a queue: settings, dead-letter relations, tags.

import { h } from "./dom.js";
import { bytes, duration, number, plural } from "./format.js";
import { button, factList, queueName, time } from "./ui.js";

// queueAside shows them; edit and stop are what its buttons do.
export const queueAside = (queue, moves, { edit, stop }) => [
	settings(queue, edit),
	relations(queue, moves, stop),
	tags(queue),
];

const settings = (queue, edit) =>
	h(
		"section.card",
		h("div.tools", h("h2", "Settings"), button("Edit", "edit", edit, { class: "ghost" })),
		factList(facts(queue)),
		Object.keys(queue.settings.notes).length > 0 &&
			h(
				"details",
				h("summary", "Attributes that change nothing here"),
				factList(
					Object.entries(queue.settings.notes).map(([k, v]) => [k, h("code", v)]),
					"long",
				),
			),
	);

function relations(queue, moves, stop) {
	const { deadLetter } = queue.settings;
	const running = moves.find((m) => m.status === "running" || m.status === "cancelling");
	return h(
		"section.card",
		h("div.tools", h("h2", "Dead letters")),
		deadLetter
			? h("p", "To ", queueName(deadLetter), ` after ${plural(deadLetter.maxReceives, "receive")}.`)
			: h("p.muted", "Messages are never dead-lettered."),
		queue.deadLetterSources.length > 0 &&
			h(
				"div",
				h("p", "Dead letters come from"),
				h(
					"ul.links",
					queue.deadLetterSources.map((q) => h("li", queueName(q))),
				),
			),
		moves.length > 0 &&
			h(
				"div",
				h("h3", "Moves"),
				h(
					"ul.moves",
					moves.map((m) => move(m)),
				),
			),
		running &&
			h(
				"p",
				button("Stop moving", "close", () => stop(running)),
			),
	);
}

const move = (m) =>
	h(
		"li",
		h(
			"span",
			h("b", m.status),
			` ${number(m.moved)} of ${number(m.toMove)} to `,
			m.target ? queueName(m.target) : "where they came from",
			m.failure && ` (${m.failure})`,
		),
		h("progress", { max: Math.max(1, m.toMove), value: m.moved, "aria-label": "Moved" }),
		time(m.started),
	);

const tags = (queue) =>
	Object.keys(queue.tags).length > 0 &&
	h(
		"section.card",
		h("div.tools", h("h2", "Tags")),
		h(
			"p.badges",
			Object.entries(queue.tags).map(([k, v]) => h("span.badge", h("b", k), " ", v)),
		),
	);

function facts(queue) {
	const s = queue.settings;
	const yes = (b) => (b ? "yes" : "no");
	return [
		["Visibility timeout", duration(s.visibilitySeconds)],
		["Delay", duration(s.delaySeconds)],
		["Retention", duration(s.retentionSeconds)],
		["Receive wait", duration(s.waitSeconds)],
		["Largest message", bytes(s.maxSizeBytes)],
		...(s.fifo
			? [
					["Deduplication by content", yes(s.contentDedup)],
					["Deduplication", s.dedupPerGroup ? "per group" : "per queue"],
				]
			: []),
		...(s.deadLetterAllow?.denyAll ? [["As a dead-letter queue", "for none"]] : []),
		["Created", time(queue.created)],
		["Modified", time(queue.modified)],
	];
}
