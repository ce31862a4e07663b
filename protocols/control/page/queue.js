// One queue: its messages, its settings, and what can be done to it.

import { messagePath, post, queuePath, refText, remove } from "./api.js";
import { h, render } from "./dom.js";
import { number, plural, rate } from "./format.js";
import { Meter, sparkline } from "./live.js";
import { queueAside } from "./queueaside.js";
import { editDialog, moveDialog, receiveDialog, redriveDialog, sendDialog } from "./queueforms.js";
import { messagesCard } from "./queuemessages.js";
import { filled, namesLike, trailOf } from "./queues.js";
import { button, confirm, seconds, tile, toast } from "./ui.js";

const size = 50;
const meter = new Meter();

export async function queueView(root, at) {
	const [account, region, name] = at.params;
	const ref = { account, region, name };
	const path = queuePath(ref);
	const state = at.query.get("state") ?? "";
	const order = at.query.get("order") ?? "newest";
	const after = at.query.get("after");
	const trail = trailOf(after, `${path} ${state} ${order}`);
	const chosen = new Set();
	let queue, page, moves;

	const draw = () =>
		queue &&
		render(
			root,
			head(),
			counters(),
			h(
				"div.split",
				messagesCard({ at, ref, queue, page, state, order, after, trail, chosen, draw }, acts),
				h("aside", queueAside(queue, moves, { edit, stop })),
			),
		);

	const head = () =>
		h(
			"div.head",
			h(
				"div",
				h("p.crumbs", h("a", { href: "#/queues" }, "Queues"), " / ", h("span.muted", `${account} · ${region}`)),
				h(
					"h1",
					name,
					h(
						"span.badges",
						queue.speaks.map((p) => h("span.badge", { class: p }, p.toUpperCase())),
						queue.fifo && h("span.badge.fifo", "FIFO"),
					),
				),
			),
			h(
				"div.actions",
				button("Send", "send", send, { class: "primary", title: "s" }),
				button("Receive", "receive", receive, { title: "r" }),
				button("Redrive", "move", redrive, { title: "Move the messages of a dead-letter queue (m)" }),
				button("Purge", "broom", purge),
				button("Delete", "trash", drop, { class: "dangerous" }),
			),
		);

	const counters = () => {
		const c = queue.counts;
		return h(
			"div.tiles",
			tile("Visible", number(c.visible), "visible"),
			tile("In flight", number(c.inFlight), "inFlight"),
			tile("Delayed", number(c.delayed), "delayed"),
			tile(
				"In and out per second",
				`${rate(meter.rate(ref, "in"))} / ${rate(meter.rate(ref, "out"))}`,
				"rate",
				sparkline(meter.series(ref, "in"), meter.series(ref, "out"), { width: 240, height: 40 }),
			),
			tile(
				"Oldest message",
				seconds(queue.oldestAgeSeconds),
				"oldest",
				queue.waitingReceivers > 0 && h("small.muted", `${plural(queue.waitingReceivers, "receiver")} waiting`),
			),
		);
	};

	const load = async () => {
		[queue, page, moves] = await Promise.all([
			at.get(path),
			filled(at, `${path}/messages`, { state, order, after, limit: size, preview: 300 }, "messages", 20),
			at.get(`${path}/moves`).then((m) => m.moves),
		]);
		draw();
	};
	const then = (text) => (result) => result && (text && toast(text), load());

	const send = () =>
		sendDialog(queue).then(
			(sent) =>
				sent && (toast(sent.duplicate ? "A duplicate: nothing was sent" : `Sent ${sent.id.slice(0, 8)}`), load()),
		);
	const receive = () =>
		receiveDialog(ref, queue).then(
			(got) =>
				got &&
				(toast(
					got.messages.length ? `Received ${plural(got.messages.length, "message")}` : "There was nothing to receive",
				),
				load()),
		);
	const redrive = async () => redriveDialog(ref, queue, await namesLike(ref)).then(then("Moving"));
	const edit = async () => editDialog(queue, await namesLike(ref)).then(then("Changed"));
	const purge = () =>
		confirm(
			`Purge ${name}?`,
			`All ${plural(queue.counts.total, "message")} will be deleted, those in flight too. This cannot be undone.`,
			"Purge",
			() => post(`${path}/purge`),
		).then(then("Purged"));
	const drop = () =>
		confirm(
			`Delete ${name}?`,
			`The queue and its ${plural(queue.counts.total, "message")} will be gone. This cannot be undone.`,
			"Delete the queue",
			() => remove(path),
		).then((done) => done && (toast(`Deleted ${name}`), (location.hash = "#/queues")));

	const each = async (said, act) => {
		const ids = [...chosen];
		for (const id of ids) {
			await act(id);
			chosen.delete(id);
		}
		toast(`${said} ${plural(ids.length, "message")}`);
		await load();
	};
	const inQueue = { queue: refText(ref) };
	const acts = {
		show: () => at.run(() => each("Made visible", (id) => post(`${messagePath(id)}/visible`, {}, inQueue))),
		move: async () =>
			moveDialog(ref, await namesLike(ref), (to) =>
				each("Moved", (id) => post(`${messagePath(id)}/move`, to, inQueue)),
			),
		remove: () =>
			confirm(`Delete ${plural(chosen.size, "message")}?`, "This cannot be undone.", "Delete", () =>
				each("Deleted", (id) => remove(messagePath(id), inQueue)),
			),
	};
	const stop = (move) => at.run(async () => (await remove(`${path}/moves/${move.id}`), load()));

	at.shortcuts({
		s: { does: "Send a message", act: send },
		r: { does: "Receive messages", act: receive },
		m: { does: "Redrive dead letters", act: redrive },
	});
	await load();
	document.title = `${name} · Sluice`;
	let soon = null;
	at.listen(
		{ queue: refText(ref), recent: 2000 },
		{
			onEvent: (e) => {
				meter.count(e);
				soon ??= setTimeout(() => ((soon = null), at.signal.aborted || load().catch(() => {})), 300);
			},
		},
	);
	at.every(3000, load);
}
