// What topics would have sent by mail or as text messages.

import { api, remove, topicLink, traceLink } from "./api.js";
import { h, icon, render } from "./dom.js";
import { bytes, plural } from "./format.js";
import { button, confirm, copyButton, factList, time, toast } from "./ui.js";

const step = 50;

export async function outboxView(root, at) {
	let entries;
	let shown = step;
	const draw = () =>
		render(
			root,
			h(
				"div.head",
				h("h1", "Outbox"),
				entries.length > 0 && h("div.actions", button("Empty", "trash", clear, { class: "dangerous" })),
			),
			entries.length
				? [
						h("div.letters", entries.map(entry)),
						entries.length === shown &&
							shown < 1000 &&
							h(
								"p",
								h(
									"button",
									{ type: "button", onclick: () => ((shown = Math.min(shown + step, 1000)), at.run(load)) },
									"Show more",
								),
							),
					]
				: empty(),
		);
	const entry = (e) =>
		h(
			"article.card.letter",
			{ "data-key": `${e.id}${e.subscription}` },
			h(
				"div.tools",
				icon("outbox"),
				h("h2", e.address),
				h("a.badge", { href: topicLink(e.topic) }, `${e.topic.name} / ${e.subscription}`),
				e.tag && h("span.badge", e.tag),
				e.trace?.traceId && h("a.badge", { href: traceLink(e.trace.traceId) }, `trace ${e.trace.traceId.slice(0, 8)}`),
				h("span.muted.push", time(e.at)),
				copyButton(() => e.body, "Copy the body"),
			),
			Object.keys(e.notes).length > 0 &&
				factList(
					Object.entries(e.notes).map(([k, v]) => [k, h("code", v)]),
					"long",
				),
			h("pre.body", { tabindex: "0", "aria-label": "Body" }, e.body),
			h("small.muted", bytes(new Blob([e.body]).size)),
		);
	const empty = () =>
		h(
			"div.empty.teach",
			icon("outbox"),
			h("h2", "Nothing was mailed"),
			h(
				"p",
				"Publications for mail and text message subscriptions end here instead of at real people. Subscribe to a topic with an endpoint like ",
				h("code", "mail:directmail:you@example.com"),
				" and publish to it.",
			),
		);
	const load = async () => {
		({ outbox: entries } = await at.get(`${api}/outbox`, { limit: shown }));
		draw();
	};
	const clear = () =>
		confirm("Empty the outbox?", `${plural(entries.length, "entry", "entries")} or more will be gone.`, "Empty", () =>
			remove(`${api}/outbox`),
		).then((done) => done && (toast("Emptied"), load()));
	at.every(4000, load);
}
