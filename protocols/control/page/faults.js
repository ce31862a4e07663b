// Faults: what goes wrong on purpose.

import { api, put, remove } from "./api.js";
import { h, icon, render } from "./dom.js";
import { duration, number, plural } from "./format.js";
import {
	button,
	choiceField,
	confirm,
	dialog,
	durationField,
	factList,
	invalid,
	numberField,
	textField,
	toast,
} from "./ui.js";

const path = `${api}/faults`;

// What each kind does, and which of the optional members it takes.
const kinds = {
	throttle: {
		name: "Throttle",
		says: "Requests are refused as the provider does when there are too many.",
		takes: ["error"],
	},
	error: {
		name: "Fail",
		says: "Requests are answered with an error, before or after the work is done.",
		takes: ["error", "at"],
		moments: ["before", "after"],
	},
	"over-limit": {
		name: "Too many in flight",
		says: "Receives are refused, as if too many messages were in flight.",
		takes: [],
	},
	"lost-answer": {
		name: "Lose the answer",
		says: "The work is done, and the connection is closed in place of an answer.",
		takes: [],
	},
	latency: {
		name: "Latency",
		says: "Requests wait, before the work or before the answer.",
		takes: ["delaySeconds", "at"],
		moments: ["before", "after"],
	},
	drop: { name: "Drop long polls", says: "The connection of a receive that waits is closed.", takes: ["delaySeconds"] },
	duplicate: {
		name: "Deliver twice",
		says: "Messages of standard queues are delivered again though they are in flight, or were deleted.",
		takes: ["at", "copies"],
		moments: ["receive", "delete"],
	},
	reorder: {
		name: "Reorder",
		says: "Messages of standard queues overtake each other.",
		takes: ["at", "delaySeconds"],
		moments: ["receive", "send"],
	},
};

export async function faultsView(root, at) {
	let faults = null; // null: this server has none to offer
	const draw = () =>
		render(
			root,
			h(
				"div.head",
				h("h1", "Faults"),
				faults && h("div.actions", button("Add a fault", "plus", add, { class: "primary", title: "c" })),
			),
			!faults ? absent() : faults.length ? h("div.faults", faults.map(card)) : empty(),
		);
	const absent = () =>
		h(
			"div.empty",
			icon("faults"),
			h("h2", "This server injects no faults"),
			h("p", "Its control API has no ", h("code", path), "."),
		);
	const empty = () =>
		h(
			"div.empty.teach",
			icon("faults"),
			h("h2", "Nothing goes wrong on purpose"),
			h(
				"p",
				"Let requests fail, wait or lose their answers, let messages come twice or out of order, and see whether your programs cope. A fault holds until it is removed, or has happened as often as it says.",
			),
			h("p", button("Add a fault", "plus", add, { class: "primary" })),
		);
	const card = (f) =>
		h(
			"article.card.fault",
			{ "data-key": f.name },
			h(
				"div.tools",
				h("h2", f.name),
				h("span.badge.warn", kinds[f.kind]?.name ?? f.kind),
				h("span.push"),
				button("Remove", "trash", () => drop(f), { class: "dangerous" }),
			),
			h("p.muted", kinds[f.kind]?.says),
			factList(facts(f)),
		);
	const load = async () => {
		faults = await at.get(path).then(
			(answer) => answer.faults,
			(e) => (e.status === 404 ? null : Promise.reject(e)),
		);
		draw();
	};
	const add = () => addDialog(faults).then((done) => done && (toast("Added"), load()));
	const drop = (f) =>
		confirm(`Remove ${f.name}?`, "Requests are answered as usual again.", "Remove", () =>
			remove(`${path}/${encodeURIComponent(f.name)}`),
		).then((done) => done && (toast("Removed"), load()));

	at.shortcuts({ c: { does: "Add a fault", act: () => faults && add() } });
	await load();
	if (faults) at.every(2000, load);
}

const facts = (f) =>
	[
		["Happened", h("b.num", `${number(f.fired)}${f.count ? ` of ${number(f.count)}` : ""} times`)],
		["Requests picked", number(f.picked)],
		["Operations", f.operation ?? "all"],
		["Queues", f.queue ?? "all"],
		["Provider", f.provider ?? "both"],
		f.rate !== undefined && ["Share", `${number(f.rate * 100)} %`],
		f.after && ["Spared first", plural(f.after, "request")],
		f.error && ["Error", h("code", f.error)],
		f.at && ["When", f.at],
		f.delaySeconds && ["Delay", duration(f.delaySeconds)],
		f.copies && ["Copies", f.copies],
	].filter(Boolean);

async function addDialog(faults) {
	const chosen = await dialog({
		title: "What shall go wrong?",
		icon: "faults",
		action: "Next",
		fields: [
			choiceField(
				"kind",
				"Fault",
				Object.entries(kinds).map(([k, { name, says }]) => [k, `${name}: ${says}`]),
			),
		],
		submit: async ({ kind }) => kind,
	});
	if (!chosen) return null;
	const { name, says, takes, moments } = kinds[chosen];
	return dialog({
		title: name,
		text: h("p", says),
		icon: "faults",
		action: "Add",
		fields: [
			textField("name", "Name", { required: true, value: freeName(chosen, faults), maxlength: 64 }),
			choiceField("provider", "Provider", [
				["", "Both"],
				["sqs", "SQS"],
				["mns", "MNS"],
			]),
			textField("operation", "Operations", { placeholder: "Send*", hint: "A pattern; empty: all." }),
			textField("queue", "Queues", { placeholder: "orders*", hint: "A pattern; empty: all." }),
			numberField("percent", "Per cent of the requests", { value: 100, min: 0, max: 100 }),
			numberField("count", "At most so many times", { min: 1, hint: "Empty: until it is removed." }),
			takes.includes("error") &&
				textField("error", "Error", {
					list: ["throttled", "internal", "unavailable"],
					hint: "One of these, or a code of the provider. Empty: the usual one.",
				}),
			takes.includes("at") &&
				choiceField(
					"at",
					"When",
					moments.map((m) => [m, m]),
				),
			takes.includes("delaySeconds") && durationField("delaySeconds", "Delay", { value: 1 }),
			takes.includes("copies") && numberField("copies", "Copies", { value: 1, min: 1, max: 10 }),
		].filter(Boolean),
		submit: ({ name: as, percent, ...fault }) => {
			if (!as) throw invalid("name", "A fault needs a name.");
			return put(`${path}/${encodeURIComponent(as)}`, {
				...fault,
				kind: chosen,
				...(percent !== undefined && percent !== 100 && { rate: percent / 100 }),
			});
		},
	});
}

function freeName(kind, faults) {
	let name = kind;
	for (let n = 2; faults.some((f) => f.name === name); n++) name = `${kind}-${n}`;
	return name;
}
