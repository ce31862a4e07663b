// All queues: how deep they are and what moves.

import { api, get, put, queueLink, queuePath } from "./api.js";
import { h, icon, render } from "./dom.js";
import { number, rate, short } from "./format.js";
import { Meter, sparkline } from "./live.js";
import {
	button,
	checkField,
	choiceField,
	command,
	depthBar,
	dialog,
	durationField,
	invalid,
	numberField,
	pager,
	segmented,
	seconds,
	textField,
	tile,
	toast,
} from "./ui.js";

const size = 50;
const meter = new Meter(); // outlives the view, so that the last minute is there when one comes back

export async function queuesView(root, at) {
	const contains = at.query.get("contains") ?? "";
	const home = at.query.get("home") ?? "";
	const after = at.query.get("after");
	const [account, region] = home.split("/");
	let page = null;
	const trail = trailOf(after, `${contains} ${home}`);

	const draw = () =>
		page && render(root, head(), tiles(at.overview(), meter), tools(), page.queues.length ? table() : empty());

	const head = () =>
		h(
			"div.head",
			h("h1", "Queues"),
			h("div.actions", button("Create queue", "plus", create, { class: "primary", title: "c" })),
		);

	const tools = () =>
		h(
			"div.tools",
			h(
				"label.filter",
				icon("search"),
				h("input", {
					type: "search",
					value: contains,
					placeholder: "Filter by a part of the name",
					"aria-label": "Filter by a part of the name",
					id: "filter",
					oninput: filter,
				}),
			),
			homes().length > 1 &&
				h(
					"select",
					{ "aria-label": "Namespace", onchange: (e) => at.go({ home: e.target.value, after: null }) },
					h("option", { value: "", selected: home === "" }, "All namespaces"),
					homes().map((n) => h("option", { value: n, selected: n === home }, n)),
				),
			pager(
				trail.from,
				page.queues.length,
				contains ? null : page.total,
				after && (() => at.go({ after: trail.back() })),
				page.next && (() => at.go({ after: trail.on(page.next) })),
			),
		);

	const homes = () =>
		[...new Set([...(at.overview().namespaces ?? []), ...page.queues].map((q) => `${q.account}/${q.region}`))].sort();

	let typing;
	const filter = (e) => {
		clearTimeout(typing);
		const value = e.target.value;
		typing = setTimeout(() => at.go({ contains: value, after: null }), 200);
	};

	const table = () => {
		const largest = Math.max(1, ...page.queues.map((q) => q.counts.total));
		return h(
			"div.table.queues",
			{ role: "table", "aria-label": "Queues" },
			h(
				"div.tr.th",
				{ role: "row" },
				["Queue", "Depth", "Visible", "In flight", "Delayed", "Last minute", "In /s", "Out /s", "Oldest"].map((t, i) =>
					h("span", { role: "columnheader", class: i > 1 && i !== 5 ? "num" : "" }, t),
				),
			),
			page.queues.map((q) => row(q, largest)),
		);
	};

	const row = (q, largest) =>
		h(
			"div.tr",
			{ role: "row", "data-key": queueLink(q) },
			h(
				"span.name",
				{ role: "cell" },
				h("a.stretch", { href: queueLink(q), "data-row": "" }, q.name),
				badges(q),
				h("small.muted", `${q.account} · ${q.region}`),
			),
			h("span", { role: "cell" }, depthBar(q.counts, largest)),
			count(q.counts.visible, "visible", "visible"),
			count(q.counts.inFlight, "inFlight", "in flight"),
			count(q.counts.delayed, "delayed", "delayed"),
			h("span.sparkcell", { role: "cell" }, sparkline(meter.series(q, "in"), meter.series(q, "out"))),
			h("span.num", { role: "cell", "data-label": "in/s" }, rate(meter.rate(q, "in"))),
			h("span.num", { role: "cell", "data-label": "out/s" }, rate(meter.rate(q, "out"))),
			h("span.num.muted", { role: "cell", "data-label": "oldest" }, seconds(q.oldestAgeSeconds)),
		);

	const count = (n, state, label) =>
		h("span.num", { role: "cell", "data-label": label, class: n ? `of-${state}` : "zero" }, short(n));

	const badges = (q) =>
		h(
			"span.badges",
			q.speaks.map((p) => h("span.badge", { class: p }, p.toUpperCase())),
			q.fifo && h("span.badge.fifo", "FIFO"),
			q.settings.deadLetter &&
				h(
					"span.badge",
					{
						title: `Dead letters go to ${q.settings.deadLetter.name} after ${q.settings.deadLetter.maxReceives} receives`,
					},
					icon("dead"),
					q.settings.deadLetter.name,
				),
			q.counts.overMaxReceives > 0 &&
				h(
					"span.badge.warn",
					{ title: "They go to the dead-letter queue at their next receive" },
					`${short(q.counts.overMaxReceives)} over the limit`,
				),
			q.waitingReceivers > 0 &&
				h("span.badge.calm", { title: "Receivers that wait for a message" }, `${q.waitingReceivers} waiting`),
		);

	const empty = () =>
		contains || home || after
			? nothingFound(() => at.go({ contains: null, home: null, after: null }))
			: firstQueue(at.endpoint(), create, draw);

	const create = () => createQueue(at, page);

	const load = async () => {
		const query = { contains, account, region, after, limit: size };
		[page] = await Promise.all([filled(at, `${api}/queues`, query, "queues", 10), at.look()]);
		draw();
	};
	at.shortcuts({
		c: { does: "Create a queue", act: create },
		f: { does: "Filter", act: () => document.getElementById("filter").focus() },
	});
	let soon = null;
	at.listen(
		{ recent: 2000 },
		{
			onEvent: (e) => {
				meter.count(e);
				soon ??= setTimeout(() => ((soon = null), at.signal.aborted || load().catch(() => {})), 400);
			},
		},
	);
	setTimeout(function redraw() {
		if (at.signal.aborted) return;
		draw();
		setTimeout(redraw, 1000);
	}, 1000);
	await load();
	at.every(4000, load);
}

// filled returns a page of a list with something on it: the API may answer with an empty one while it looks for the few
// that are asked for, and says where to go on. It does not look on for ever.
export async function filled(at, path, query, list, tries) {
	let page = await at.get(path, query);
	for (let n = 0; page.next && !page[list].length && n < tries; n++)
		page = await at.get(path, { ...query, after: page.next });
	return page;
}

// trailOf remembers the pages before this one: the API only tells the next.
const trails = new Map();
export function trailOf(after, of, per = size) {
	const stack = trails.get(of) ?? [];
	trails.set(of, stack);
	const index = after ? stack.indexOf(after) + 1 : 0;
	return {
		from: index * per,
		back: () => (index > 1 ? stack[index - 2] : null),
		on: (next) => ((stack.length = index), stack.push(next), next),
	};
}

function tiles(overview, counter) {
	const c = overview.counts ?? { visible: 0, inFlight: 0, delayed: 0, overMaxReceives: 0 };
	return h(
		"div.tiles",
		tile("Visible", number(c.visible), "visible"),
		tile("In flight", number(c.inFlight), "inFlight"),
		tile("Delayed", number(c.delayed), "delayed"),
		tile(
			"Sent per second",
			rate(counter.rate(null, "in")),
			"rate",
			sparkline(counter.series(null, "in"), counter.series(null, "out"), { width: 240, height: 40 }),
		),
		tile("Received per second", rate(counter.rate(null, "out")), "rate out"),
	);
}

const nothingFound = (clear) =>
	h(
		"div.empty",
		icon("search"),
		h("h2", "No queue is called like that"),
		h("p", "The text may stand anywhere in a name, in upper or lower case."),
		h("p", h("button", { type: "button", onclick: clear }, "Show all queues")),
	);

const languages = {
	aws: [
		"AWS CLI",
		(url) =>
			`export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any AWS_DEFAULT_REGION=us-east-1\naws --endpoint-url ${url} sqs create-queue --queue-name orders`,
	],
	boto3: [
		"boto3",
		(url) =>
			`import boto3\n\nsqs = boto3.client("sqs", endpoint_url="${url}", region_name="us-east-1",\n                   aws_access_key_id="any", aws_secret_access_key="any")\nsqs.create_queue(QueueName="orders")`,
	],
	mns: [
		"MNS for Python",
		(url) =>
			`from mns.account import Account\nfrom mns.queue import QueueMeta\n\norders = Account("${url}", "any", "any").get_queue("orders")\norders.create(QueueMeta())`,
	],
};

let language = "aws";

const firstQueue = (url, create, redraw) =>
	h(
		"div.empty.teach",
		icon("queues"),
		h("h2", "No queues yet"),
		h("p", "Make one with your own tools, or here. It appears at once."),
		segmented(
			"Language",
			Object.entries(languages).map(([k, [name]]) => [k, name]),
			language,
			(l) => ((language = l), redraw()),
		),
		command(languages[language][1](url)),
		h("p", button("Create queue", "plus", create, { class: "primary" })),
	);

async function createQueue(at, page) {
	const known = [...(at.overview().namespaces ?? []), ...(page?.queues ?? [])];
	const homes = new Map(known.map((n) => [`${n.account}/${n.region}`, n.speaks]));
	const dead = {
		name: textField("deadLetterName", "Dead-letter queue", {
			hint: "Of the same namespace; it has to exist.",
			list: (page?.queues ?? []).map((q) => q.name).slice(0, 100),
		}),
		max: numberField("maxReceives", "after receives", { value: 3, min: 1, max: 1000 }),
	};
	const made = await dialog({
		title: "Create a queue",
		action: "Create",
		fields: [
			textField("name", "Name", { required: true, maxlength: 120, hint: "FIFO queues of SQS end in .fifo." }),
			choiceField(
				"home",
				"Namespace",
				[...homes].map(([n, speaks]) => [n, `${n} · ${speaks.join(", ").toUpperCase()}`]),
			),
			checkField("fifo", "FIFO", { hint: "Keeps the order within each group and drops duplicates." }),
			durationField("visibilitySeconds", "Visibility timeout", { placeholder: "30s" }),
			durationField("delaySeconds", "Delay", { placeholder: "0s" }),
			dead.name,
			dead.max,
		],
		submit: async ({ name, home, fifo, deadLetterName, maxReceives, ...settings }) => {
			if (!name) throw invalid("name", "A queue needs a name.");
			const [account, region] = home.split("/");
			if (fifo) settings.fifo = true;
			if (deadLetterName) settings.deadLetter = { account, region, name: deadLetterName, maxReceives };
			return put(queuePath({ account, region, name }), settings);
		},
	});
	if (!made) return;
	toast(`Created ${made.name}`);
	location.hash = queueLink(made);
}

// namesLike are up to 50 names of queues, to choose from.
export const namesLike = async (q) =>
	(await get(`${api}/queues`, { account: q.account, region: q.region, limit: 50 })).queues.map((other) => other.name);
