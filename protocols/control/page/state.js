// Everything at once: snapshots of it, and starting anew.

import { api, post, put, remove } from "./api.js";
import { h, render } from "./dom.js";
import { bytes, number, plural } from "./format.js";
import { button, choiceField, confirm, dialog, invalid, textField, time, toast } from "./ui.js";

const pathOf = (s) => `${api}/snapshots/${encodeURIComponent(s.name)}`;

export async function stateView(root, at) {
	let snapshots;
	const draw = () =>
		render(
			root,
			h(
				"div.head",
				h("h1", "State"),
				h("div.actions", button("Take a snapshot", "camera", take, { class: "primary", title: "c" })),
			),
			h(
				"section.card",
				h("div.tools", h("h2", "Snapshots")),
				snapshots.length
					? table()
					: h(
							"div.empty.small",
							h(
								"p",
								"A snapshot keeps all queues, topics and messages under a name. Restore it before each test, and every test begins alike.",
							),
						),
			),
			h(
				"section.card",
				h("div.tools", h("h2", "Start anew")),
				h(
					"div.choices",
					choice(
						"Only messages",
						"All messages are deleted, and what is remembered of them. Queues and topics stay.",
						() => reset("messages"),
					),
					choice(
						"Everything",
						"As after the start with empty data: only the queues and topics of the configuration are there.",
						() => reset("all"),
					),
					choice("Everything, bare", "Nothing is left, not even what the configuration names.", () =>
						reset("all", true),
					),
				),
			),
		);
	const choice = (name, text, act) =>
		h(
			"div.choice",
			h("h3", name),
			h("p.muted", text),
			h("button.dangerous", { type: "button", onclick: act }, "Reset"),
		);
	const table = () =>
		h(
			"div.table.snapshots",
			{ role: "table", "aria-label": "Snapshots" },
			h(
				"div.tr.th",
				{ role: "row" },
				["Name", "Taken", "Engine's time", "Size", ""].map((t) => h("span", { role: "columnheader" }, t)),
			),
			snapshots.map((s) =>
				h(
					"div.tr",
					{ role: "row", "data-key": s.name },
					h("span.name", { role: "cell" }, h("b", s.name), h("span.badge", s.kept)),
					h(
						"span",
						{ role: "cell", "data-label": "taken" },
						h("span.num", { title: s.taken }, s.taken.slice(0, 19).replace("T", " ")),
					),
					h("span", { role: "cell", "data-label": "engine" }, time(s.engineTime)),
					h("span.num", { role: "cell", "data-label": "size" }, `${number(s.records)} · ${bytes(s.bytes)}`),
					h(
						"span.actions",
						{ role: "cell" },
						button("Restore", "back", () => restore(s)),
						button("Delete", "trash", () => drop(s), { class: "dangerous" }),
					),
				),
			),
		);
	const load = async () => {
		({ snapshots } = await at.get(`${api}/snapshots`));
		draw();
	};
	const then = (text) => (done) => done && (toast(text), at.look(), load());
	const take = () =>
		dialog({
			title: "Take a snapshot",
			icon: "camera",
			action: "Take",
			text: snapshots.length ? h("p", "One of the same name is replaced.") : null,
			fields: [
				textField("name", "Name", { required: true, value: "seeded" }),
				...(at.overview().offers.includes("snapshots-on-disk")
					? [
							choiceField("kept", "Kept", [
								["memory", "In memory, until the server stops"],
								["disk", "On disk"],
							]),
						]
					: []),
			],
			submit: ({ name, ...rest }) => {
				if (!name) throw invalid("name", "A snapshot needs a name.");
				return put(pathOf({ name }), rest);
			},
		}).then(then("Taken"));
	const restore = (s) =>
		confirm(
			`Restore ${s.name}?`,
			`All queues, topics and messages will be as they were then: ${plural(s.records, "record")}. What is there now is lost. The clock stays.`,
			"Restore",
			() => post(`${pathOf(s)}/restore`),
		).then(then("Restored"));
	const drop = (s) =>
		confirm(`Delete ${s.name}?`, "The snapshot will be gone. This cannot be undone.", "Delete", () =>
			remove(pathOf(s)),
		).then(then("Deleted"));
	const reset = (scope, bare = false) =>
		confirm(
			bare || scope === "all" ? "Reset everything?" : "Delete all messages?",
			scope === "all"
				? "All queues, topics and messages will be gone. This cannot be undone, unless a snapshot was taken."
				: "The messages of all queues will be gone. This cannot be undone, unless a snapshot was taken.",
			"Reset",
			() => post(`${api}/reset`, { scope, bare }),
		).then(then("Reset"));
	at.shortcuts({ c: { does: "Take a snapshot", act: take } });
	await load();
}
