// Parts that several views use: dialogs, forms, toasts, badges, times.

import { Failure, queueLink } from "./api.js";
import { clock } from "./clock.js";
import { h, icon } from "./dom.js";
import { duration, instant, number, parseDuration, relative, timeOfDay, writeDuration } from "./format.js";

// toast says something for a few seconds; what went wrong stays longer.
export function toast(text, kind = "good") {
	if (kind === "bad" && [...document.querySelectorAll(".toast.bad")].some((t) => t.textContent === text)) return;
	const note = h("div.toast", { class: kind }, icon(kind === "good" ? "check" : "faults"), h("span", text));
	document.getElementById("toasts").append(note);
	setTimeout(() => note.remove(), kind === "good" ? 3500 : 8000);
}

export function report(error) {
	if (error.name === "AbortError") return;
	if (!(error instanceof Failure)) console.error(error);
	toast(error instanceof Failure ? `${error.code}: ${error.message}` : `This page failed: ${error.message}`, "bad");
}

// failed is what a view shows instead of what it could not get.
export function failed(error) {
	return h(
		"div.empty",
		{ role: "alert" },
		icon("faults"),
		h("h2", error.code ?? "Something failed"),
		h("p", error.message),
		h(
			"p",
			error.status === 0
				? h("button", { type: "button", onclick: () => location.reload() }, "Try again")
				: h("a.button", { href: "#/queues" }, "Go to the queues"),
		),
	);
}

// copy puts text onto the clipboard. Over plain HTTP browsers only allow that to pages on this machine.
export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		toast("Copied");
	} catch {
		toast("The browser does not let this page copy", "bad");
	}
}

export const copyButton = (text, label = "Copy") =>
	h("button.ghost", { type: "button", title: label, "aria-label": label, onclick: () => copy(text()) }, icon("copy"));

// command is something to paste into a terminal.
export const command = (text) =>
	h(
		"div.command",
		{ "data-key": text },
		h("pre", { tabindex: "0" }, text),
		copyButton(() => text, "Copy the command"),
	);

// dialog shows a form and resolves to what submit returned, or to null when it was closed. What submit throws is shown
// in the dialog, at its field if it names one, and the dialog stays.
export function dialog({
	title,
	icon: picture,
	text,
	fields = [],
	action = "OK",
	danger = false,
	wide = false,
	submit,
}) {
	const box = h("dialog", { "aria-labelledby": "dialog-title", class: wide ? "wide" : "" });
	const wrong = h("p.wrong", { role: "alert", hidden: true });
	const go = h("button.primary", { type: "submit", class: danger ? "danger" : "" }, action);
	const form = h(
		"form",
		{ novalidate: true },
		h("h2", { id: "dialog-title" }, picture && icon(picture), title),
		text && h("div.text", text),
		fields.map((f) => f.element),
		wrong,
		h(
			"div.buttons",
			h("button", { type: "button", onclick: () => box.close(), autofocus: danger && !fields.length }, "Cancel"),
			go,
		),
	);
	box.append(form);
	document.body.append(box);
	return new Promise((resolve) => {
		let result = null;
		form.onsubmit = async (e) => {
			e.preventDefault();
			go.disabled = true;
			clearFaults(form, wrong);
			try {
				result = (await submit(values(fields))) ?? true;
				box.close();
			} catch (error) {
				showFault(error, fields, wrong);
			}
			go.disabled = false;
		};
		box.onclose = () => (box.remove(), resolve(result));
		box.onclick = (e) => void (e.target === box && box.close());
		box.showModal();
	});
}

function clearFaults(form, wrong) {
	wrong.hidden = true;
	for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
}

function showFault(error, fields, wrong) {
	if (!(error instanceof Failure)) console.error(error);
	wrong.hidden = false;
	wrong.replaceChildren(h("b", error.code ?? "Failed"), " ", error.message);
	const field = fields.find((f) => error.field && (error.field === f.name || error.field.endsWith(`.${f.name}`)));
	field?.input.setAttribute("aria-invalid", "true");
	field?.input.focus();
}

// values are those of the fields that were filled in: what is left empty is absent, which is different from zero.
function values(fields) {
	const out = {};
	for (const f of fields) {
		const value = f.read();
		if (value !== undefined) out[f.name] = value;
	}
	return out;
}

export const invalid = (field, message) => new Failure(400, { code: "Invalid", message, field });

// confirm asks before something is lost.
export const confirm = (title, text, action, act) =>
	dialog({ title, text: h("p", text), icon: "faults", action, danger: true, submit: act });

function labelled(name, label, input, hint, read) {
	const id = `field-${name}`;
	input.id = id;
	const help = hint && h("small", { id: `${id}-hint` }, hint);
	if (help) input.setAttribute("aria-describedby", help.id);
	return { name, input, read, element: h("div.field", h("label", { for: id }, label), input, help) };
}

// Fields of a dialog. Each has a name, an element and read(), which is undefined while it is empty.
export function textField(name, label, { value = "", hint, list, area = false, required = false, ...rest } = {}) {
	const input = h(area ? "textarea" : "input", {
		value,
		spellcheck: "false",
		autocomplete: "off",
		required,
		rows: area ? 7 : null,
		list: list && `list-${name}`,
		...rest,
	});
	const field = labelled(name, label, input, hint, () => (input.value === "" && !required ? undefined : input.value));
	if (list)
		field.element.append(
			h(
				"datalist",
				{ id: `list-${name}` },
				list.map((v) => h("option", { value: v })),
			),
		);
	return field;
}

export function numberField(name, label, { value = "", hint, min, max } = {}) {
	const input = h("input.short", { type: "number", value: String(value), min, max, inputmode: "numeric" });
	return labelled(name, label, input, hint, () => (input.value === "" ? undefined : Number(input.value)));
}

export function durationField(name, label, { value, hint = "Such as 30s, 5m or 12h.", placeholder = "" } = {}) {
	const input = h("input.short", {
		value: value === undefined ? "" : writeDuration(value),
		placeholder,
		autocomplete: "off",
	});
	return labelled(name, label, input, hint, () => {
		if (input.value.trim() === "") return undefined;
		const seconds = parseDuration(input.value);
		if (Number.isNaN(seconds)) throw invalid(name, `${label}: “${input.value}” is no duration.`);
		return seconds;
	});
}

export function checkField(name, label, { value = false, hint } = {}) {
	const input = h("input", { type: "checkbox", checked: value });
	return {
		...labelled(name, label, input, hint, () => input.checked),
		element: h("div.field.check", h("label", input, h("span", label)), hint && h("small", hint)),
	};
}

export function choiceField(name, label, options, { value, hint } = {}) {
	const input = h(
		"select",
		options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)),
	);
	return labelled(name, label, input, hint, () => (input.value === "" ? undefined : input.value));
}

// pairsField edits names with values, such as tags. It reads as an object in which null removes a name.
export function pairsField(name, label, before = {}) {
	const rows = h("div.pairs");
	const add = (k = "", v = "") =>
		rows.append(
			h(
				"div.pair",
				h("input", { value: k, placeholder: "name", "aria-label": "Name" }),
				h("input", { value: v, placeholder: "value", "aria-label": "Value" }),
				h(
					"button.ghost",
					{ type: "button", "aria-label": "Remove", onclick: (e) => e.currentTarget.parentNode.remove() },
					icon("close"),
				),
			),
		);
	for (const [k, v] of Object.entries(before)) add(k, v);
	const read = () => {
		const out = Object.fromEntries(Object.keys(before).map((k) => [k, null]));
		for (const row of rows.children) if (row.children[0].value) out[row.children[0].value] = row.children[1].value;
		return Object.keys(out).length ? out : undefined;
	};
	const button = h(
		"button.ghost",
		{ type: "button", onclick: () => (add(), rows.lastChild.firstChild.focus()) },
		icon("plus"),
		"Add",
	);
	return { name, input: button, read, element: h("fieldset.field", h("legend", label), rows, button) };
}

// time shows an instant: how far it is from the engine's now, which goes on by itself, and when it is.
export function time(iso, { both = false } = {}) {
	if (!iso) return h("span.muted", "–");
	const ms = Date.parse(iso);
	const element = h(
		"time",
		{ datetime: iso, title: `${instant(ms)} UTC`, "data-at": String(ms) },
		relative(ms, clock.now()),
	);
	return both
		? h(
				"span.both",
				element,
				h("span.absolute", Math.abs(ms - clock.now()) < 43200e3 ? timeOfDay(ms) : instant(ms).slice(0, 19)),
			)
		: element;
}

// tick renews all times on the page.
export function tick() {
	const now = clock.now();
	for (const element of document.querySelectorAll("time[data-at]")) {
		const text = relative(Number(element.dataset.at), now);
		if (element.textContent !== text) element.textContent = text;
	}
}

export const timeShort = (iso) =>
	h("span.num", { title: `${instant(Date.parse(iso))} UTC` }, timeOfDay(Date.parse(iso)));

const stateNames = { visible: "Visible", inFlight: "In flight", delayed: "Delayed" };
export const stateBadge = (state) => h("span.state", { class: state }, stateNames[state] ?? state);

// words makes words of an identifier such as groupBlocked.
export const words = (name) =>
	name.replace(/([A-Z])/g, (c) => ` ${c.toLowerCase()}`).replace(/^./, (c) => c.toUpperCase());

export const queueName = (q) => h("a.queue", { href: queueLink(q) }, q.name);

export const button = (label, picture, onclick, options = {}) =>
	h("button", { type: "button", onclick, ...options }, icon(picture), h("span", label));

// segmented is a choice between a few, as radio buttons are.
export function segmented(label, options, value, choose) {
	return h(
		"div.segmented",
		{ role: "radiogroup", "aria-label": label },
		options.map(([v, text]) =>
			h(
				"button",
				{
					type: "button",
					role: "radio",
					"aria-checked": String(v === value),
					tabindex: v === value ? "0" : "-1",
					onclick: () => choose(v),
					onkeydown: alongside,
				},
				text,
			),
		),
	);
}

function alongside(e) {
	const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[e.key];
	const to = step && e.currentTarget[step];
	if (to) (to.focus(), to.click());
}

// depth shows how the messages of a queue divide, on a scale that the largest queue of the list sets.
export function depthBar(counts, largest) {
	const share = (n) => `${largest ? (100 * n) / largest : 0}%`;
	const text = `${number(counts.visible)} visible, ${number(counts.inFlight)} in flight, ${number(counts.delayed)} delayed`;
	return h(
		"div.depth",
		{ role: "img", "aria-label": text, title: text },
		["visible", "inFlight", "delayed"].map((state) => h("i", { class: state, css: { width: share(counts[state]) } })),
	);
}

// tile is a number, large, with what it counts.
export const tile = (label, value, kind, extra) =>
	h("div.tile", { class: kind }, h("span.label", label), h("b.num", value), extra);

// factList lists names with values.
export const factList = (facts, kind) =>
	h(
		"dl.facts",
		{ class: kind },
		facts.map(([k, v]) => h("div", h("dt", k), h("dd", v))),
	);

export const pager = (from, size, total, back, next) =>
	h(
		"div.pager",
		h(
			"span.num.muted",
			size ? `${number(from + 1)}–${number(from + size)}${total === null ? "" : ` of ${number(total)}`}` : "",
		),
		h(
			"button",
			{ type: "button", "aria-label": "Previous page", "data-shortcut": "[", disabled: !back, onclick: back },
			icon("left"),
		),
		h(
			"button",
			{ type: "button", "aria-label": "Next page", "data-shortcut": "]", disabled: !next, onclick: next },
			icon("right"),
		),
	);

export const seconds = (n) => (n === null || n === undefined ? "–" : duration(n));
