// What happens now: events counted per queue and second, for rates and sparklines.

import { refText } from "./api.js";
import { clock } from "./clock.js";
import { h, s } from "./dom.js";

const span = 60; // seconds that are remembered

const countedAs = { sent: "in", moved: "in", received: "out" };

// Meter counts what went into queues and what was received, in each of the last 60 seconds.
export class Meter {
	#queues = new Map();

	// count takes an event. It counts for the second in which it happened, so that past events fall into place.
	count(event) {
		const kind = countedAs[event.kind];
		if (!kind || !event.queue) return;
		const age = Math.max(0, (clock.now() - Date.parse(event.at)) / 1000);
		if (age >= span) return;
		this.#add(refText(event.queue), kind, age);
		this.#add("", kind, age);
	}

	#add(key, kind, age) {
		const slot = Math.floor(Date.now() / 1000 - age);
		let meter = this.#queues.get(key);
		if (!meter) this.#queues.set(key, (meter = { in: new Map(), out: new Map() }));
		meter[kind].set(slot, (meter[kind].get(slot) ?? 0) + 1);
	}

	// series has a number for each of the last 60 seconds, the oldest first, the present one left out. Without a queue
	// it is that of all queues.
	series(queue, kind) {
		const counts = this.#queues.get(queue ? refText(queue) : "")?.[kind];
		const last = Math.floor(Date.now() / 1000) - 1;
		if (counts) for (const slot of counts.keys()) if (slot <= last - span) counts.delete(slot);
		return Array.from({ length: span }, (_, i) => counts?.get(last - span + 1 + i) ?? 0);
	}

	// rate is the mean of the last 5 seconds.
	rate(queue, kind) {
		return (
			this.series(queue, kind)
				.slice(-5)
				.reduce((a, b) => a + b, 0) / 5
		);
	}
}

// sparkline draws what came in as an area and what went out as a line, both on one scale.
export function sparkline(into, out, { width = 120, height = 28, label = "Last minute" } = {}) {
	const top = Math.max(1, ...into, ...out);
	const x = (i) => ((i * width) / (into.length - 1)).toFixed(1);
	const y = (n) => (height - 1 - (n / top) * (height - 3)).toFixed(1);
	const line = (values) => values.map((n, i) => `${i ? "L" : "M"}${x(i)} ${y(n)}`).join("");
	const sum = (values) => values.reduce((a, b) => a + b, 0);
	const said = `${label}: ${sum(into)} in, ${sum(out)} out`;
	return h(
		"span.spark",
		{ role: "img", "aria-label": said, title: said },
		s(
			"svg",
			{ viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
			sum(into) + sum(out) === 0 ? s("path", { class: "idle", d: line(into) }) : sparks(line, into, out, width, height),
		),
	);
}

const sparks = (line, into, out, width, height) => [
	s("path", { class: "area", d: `${line(into)}L${width} ${height}L0 ${height}Z` }),
	s("path", { class: "in", d: line(into) }),
	s("path", { class: "out", d: line(out) }),
];
