// What is asked before something is done to a queue.

import { patch, post, queuePath } from "./api.js";
import { h } from "./dom.js";
import { plural } from "./format.js";
import { checkField, dialog, durationField, numberField, pairsField, textField } from "./ui.js";

export function sendDialog(queue) {
	return dialog({
		title: `Send to ${queue.name}`,
		icon: "send",
		action: "Send",
		wide: true,
		fields: [
			textField("body", "Body", {
				area: true,
				required: true,
				value: '{\n  "order": 1042,\n  "items": ["tea", "milk"]\n}',
			}),
			...(queue.fifo
				? [
						textField("group", "Group", { value: "a" }),
						textField("deduplicationId", "Deduplication id", {
							hint: queue.settings.contentDedup ? "Empty: the body's digest." : "",
						}),
					]
				: [durationField("delaySeconds", "Delay", { placeholder: "the queue's" })]),
			numberField("priority", "Priority", { min: 1, max: 16, hint: "1 is delivered first, 16 last." }),
			pairsField("attributes", "Attributes"),
		],
		submit: ({ attributes, ...message }) =>
			post(`${queuePath(queue)}/messages`, {
				...message,
				...(attributes && {
					attributes: Object.entries(attributes).map(([name, value]) => ({ name, kind: "text", value })),
				}),
			}),
	});
}

export const receiveDialog = (ref, queue) =>
	dialog({
		title: `Receive from ${ref.name}`,
		icon: "receive",
		action: "Receive",
		text: h(
			"p",
			"As a consumer would: the messages are hidden until their visibility timeout passes, and the receive counts.",
		),
		fields: [
			numberField("max", "At most", { value: 1, min: 1, max: 10 }),
			durationField("visibilitySeconds", "Hide them for", { value: queue.settings.visibilitySeconds }),
		],
		submit: (v) => post(`${queuePath(ref)}/receive`, v),
	});

export const redriveDialog = (ref, queue, names) =>
	dialog({
		title: `Move the messages of ${ref.name}`,
		icon: "move",
		action: "Start moving",
		text: h(
			"p",
			queue.deadLetterSources.length
				? `${plural(queue.counts.total, "message")} will be moved out of this dead-letter queue.`
				: "No queue names this one as its dead-letter queue, which providers ask for.",
		),
		fields: [
			textField("target", "To", { list: names, hint: "Empty: each goes back to the queue that dead-lettered it." }),
			numberField("perSecond", "At most per second", { min: 1, max: 500, hint: "Empty: as fast as possible." }),
		],
		submit: ({ target, perSecond }) =>
			post(`${queuePath(ref)}/moves`, { ...(target && { target: { name: target } }), ...(perSecond && { perSecond }) }),
	});

// moveDialog asks where messages shall go.
export const moveDialog = (ref, names, act) =>
	dialog({
		title: "Move to another queue",
		icon: "move",
		action: "Move",
		text: h("p", "It is visible there at once, and keeps its id, attributes, times and receives."),
		fields: [textField("name", "Queue", { list: names.filter((n) => n !== ref.name), required: true })],
		submit: ({ name }) => act({ account: ref.account, region: ref.region, name }),
	});

export function editDialog(queue, names) {
	const s = queue.settings;
	return dialog({
		title: `Settings of ${queue.name}`,
		icon: "edit",
		action: "Save",
		fields: [
			durationField("visibilitySeconds", "Visibility timeout", { value: s.visibilitySeconds }),
			durationField("delaySeconds", "Delay", { value: s.delaySeconds }),
			durationField("retentionSeconds", "Retention", { value: s.retentionSeconds }),
			durationField("waitSeconds", "Receive wait", { value: s.waitSeconds }),
			numberField("maxSizeBytes", "Largest message in bytes", { value: s.maxSizeBytes, min: 1 }),
			...(queue.fifo ? [checkField("contentDedup", "Deduplicate by content", { value: s.contentDedup })] : []),
			textField("dead", "Dead-letter queue", {
				value: s.deadLetter?.name ?? "",
				list: names.filter((n) => n !== queue.name),
				hint: "Empty: none.",
			}),
			numberField("maxReceives", "after receives", { value: s.deadLetter?.maxReceives ?? 3, min: 1 }),
			pairsField("tags", "Tags", queue.tags),
		],
		submit: ({ dead, maxReceives, ...changes }) =>
			patch(queuePath(queue), { ...changed(s, changes), ...deadLetterChange(queue, dead, maxReceives) }),
	});
}

// changed leaves out what is as before, so that a setting which someone else changes meanwhile is not set back.
const changed = (before, now) => Object.fromEntries(Object.entries(now).filter(([k, v]) => before[k] !== v));

function deadLetterChange(queue, name, maxReceives) {
	const before = queue.settings.deadLetter;
	if (!name) return before ? { deadLetter: null } : {};
	if (before?.name === name && before.maxReceives === maxReceives) return {};
	const { account, region } = before?.name === name ? before : queue;
	return { deadLetter: { account, region, name, maxReceives } };
}
