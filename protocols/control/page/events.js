// Everything that happens, as it happens.

import { h, icon, render } from "./dom.js";
import { number } from "./format.js";
import { eventTable } from "./message.js";
import { button, command, words } from "./ui.js";

const kept = 500; // rows that stay; who wants more uses sluice tail
const kinds = [
	"sent",
	"received",
	"visibilitySet",
	"visible",
	"deleted",
	"deadLettered",
	"moved",
	"deduplicated",
	"retentionExpired",
	"purged",
	"queueCreated",
	"queueDeleted",
	"published",
	"pushed",
	"pushFailed",
];

export async function eventsView(root, at) {
	const chosen = new Set((at.query.get("kind") ?? "").split(",").filter(Boolean));
	const queue = at.query.get("queue") ?? "";
	let events = [];
	let paused = false;
	let waiting = [];
	let lost = 0;
	let drawing = 0;

	const draw = () => {
		drawing = 0;
		render(
			root,
			h(
				"div.head",
				h("h1", "Events"),
				h(
					"div.actions",
					lost > 0 && h("span.badge.warn", `${number(lost)} were too fast to show`),
					button(
						paused ? `Go on${waiting.length ? ` (${number(waiting.length)})` : ""}` : "Pause",
						paused ? "play" : "pause",
						pause,
						{ title: "p", class: paused ? "primary" : "" },
					),
					button("Clear", "broom", () => ((events = []), draw())),
				),
			),
			h(
				"div.tools",
				h(
					"label.filter",
					icon("queues"),
					h("input", {
						type: "search",
						value: queue,
						placeholder: "account/region/queue",
						"aria-label": "Only of this queue",
						id: "filter",
						onchange: (e) => at.go({ queue: e.target.value }),
					}),
				),
				h(
					"div.chips",
					{ role: "group", "aria-label": "Kinds of events" },
					kinds.map((k) =>
						h(
							"button.chip",
							{ type: "button", class: k, "aria-pressed": String(chosen.has(k)), onclick: () => toggle(k) },
							words(k),
						),
					),
				),
			),
			h(
				"section.card.feed",
				{ role: "log", "aria-label": "Events, the latest first", "aria-live": "off" },
				events.length ? eventTable(events) : empty(),
			),
		);
	};
	const empty = () =>
		h(
			"div.empty.teach",
			icon("events"),
			h("h2", "Nothing has happened yet"),
			h("p", "Send a message, and it is told here within a moment. In a terminal:"),
			command(`sluice tail`),
		);
	const soon = () => (drawing ||= setTimeout(draw, 150)); // not for each of thousands
	const toggle = (kind) => {
		chosen.has(kind) ? chosen.delete(kind) : chosen.add(kind);
		at.go({ kind: [...chosen].join(",") });
	};
	const pause = () => {
		paused = !paused;
		events = [...waiting, ...events].slice(0, kept);
		waiting = [];
		draw();
	};
	at.shortcuts({
		p: { does: "Pause or go on", act: pause },
		f: { does: "Filter by queue", act: () => document.getElementById("filter").focus() },
	});
	draw();
	at.listen(
		{ queue, kind: [...chosen].join(","), recent: 200 },
		{
			every: true,
			onGap: (n) => ((lost += n), soon()),
			onEvent: (e) => {
				if (paused) waiting = [e, ...waiting.slice(0, kept - 1)];
				else events = [e, ...events.slice(0, kept - 1)];
				soon();
			},
		},
	);
}
