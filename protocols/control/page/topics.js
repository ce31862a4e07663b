// Topics, and who has subscribed to one.

import { api, queueLink, topicLink, topicPath } from "./api.js";
import { h, icon, render } from "./dom.js";
import { bytes, number } from "./format.js";
import { trailOf } from "./queues.js";
import { command, pager, queueName, tile, time } from "./ui.js";

const size = 50;

export async function topicsView(root, at) {
	const prefix = at.query.get("prefix") ?? "";
	const after = at.query.get("after");
	const trail = trailOf(after, `topics ${prefix}`);
	let page, typing;
	const filter = (e) => {
		clearTimeout(typing);
		typing = setTimeout(() => at.go({ prefix: e.target.value, after: null }), 200);
	};
	const draw = () =>
		render(
			root,
			h("div.head", h("h1", "Topics")),
			(page.topics.length > 0 || prefix || after) &&
				h(
					"div.tools",
					h(
						"label.filter",
						icon("search"),
						h("input", {
							type: "search",
							value: prefix,
							placeholder: "Filter by the beginning of the name",
							"aria-label": "Filter by the beginning of the name",
							oninput: filter,
						}),
					),
					pager(
						trail.from,
						page.topics.length,
						prefix ? null : page.total,
						after && (() => at.go({ after: trail.back() })),
						page.next && (() => at.go({ after: trail.on(page.next) })),
					),
				),
			page.topics.length
				? table()
				: prefix
					? h("div.empty", icon("search"), h("h2", "No topic begins like that"))
					: empty(),
		);
	const table = () =>
		h(
			"div.table.topics",
			{ role: "table", "aria-label": "Topics" },
			h(
				"div.tr.th",
				{ role: "row" },
				["Topic", "Waiting", "Largest message", "Made"].map((t) => h("span", { role: "columnheader" }, t)),
			),
			page.topics.map((t) =>
				h(
					"div.tr",
					{ role: "row", "data-key": topicLink(t) },
					h(
						"span.name",
						{ role: "cell" },
						h("a.stretch", { href: topicLink(t), "data-row": "" }, t.name),
						h("small.muted", `${t.account} · ${t.region}`),
					),
					h(
						"span.num",
						{
							role: "cell",
							"data-label": "waiting",
							title: "Publications that some subscription has not got yet",
							class: t.waiting ? "of-inFlight" : "zero",
						},
						number(t.waiting),
					),
					h("span.num", { role: "cell", "data-label": "largest" }, bytes(t.maxSizeBytes)),
					h("span", { role: "cell", "data-label": "made" }, time(t.created)),
				),
			),
		);
	const empty = () =>
		h(
			"div.empty.teach",
			icon("topics"),
			h("h2", "No topics yet"),
			h(
				"p",
				"A topic sends each publication to all its subscriptions: to queues, HTTP endpoints, and the outbox for mail and text messages. With the SDK for Python:",
			),
			command(
				`from mns.account import Account\nfrom mns.topic import TopicMeta\n\nnews = Account("${at.endpoint()}", "any", "any").get_topic("news")\nnews.create(TopicMeta())`,
			),
		);
	at.every(4000, async () => {
		page = await at.get(`${api}/topics`, { prefix, after, limit: size });
		draw();
	});
}

export async function topicView(root, at) {
	const [account, region, name] = at.params;
	const path = topicPath({ account, region, name });
	const after = at.query.get("after");
	const trail = trailOf(after, path);
	let topic, page;
	const draw = () =>
		render(
			root,
			h(
				"div.head",
				h(
					"div",
					h("p.crumbs", h("a", { href: "#/topics" }, "Topics"), " / ", h("span.muted", `${account} · ${region}`)),
					h("h1", name),
				),
			),
			h(
				"div.tiles",
				tile("Waiting publications", number(topic.waiting)),
				tile("Largest message", bytes(topic.maxSizeBytes)),
				tile("Made", time(topic.created)),
			),
			h(
				"section.card",
				h(
					"div.tools",
					h("h2", "Subscriptions"),
					pager(
						trail.from,
						page.subscriptions.length,
						null,
						after && (() => at.go({ after: trail.back() })),
						page.next && (() => at.go({ after: trail.on(page.next) })),
					),
				),
				page.subscriptions.length ? table() : empty(),
			),
		);
	const table = () =>
		h(
			"div.table.subscriptions",
			{ role: "table", "aria-label": "Subscriptions" },
			h(
				"div.tr.th",
				{ role: "row" },
				["Subscription", "To", "Tag", "Format", "Repeats", "Dead letters"].map((t) =>
					h("span", { role: "columnheader" }, t),
				),
			),
			page.subscriptions.map(row),
		);
	const row = (s) =>
		h(
			"div.tr",
			{ role: "row", "data-key": s.name },
			h("b", { role: "cell" }, s.name),
			h(
				"span.where",
				{ role: "cell", "data-label": "to" },
				h("span.badge", { class: s.endpoint.kind }, s.endpoint.kind),
				" ",
				s.endpoint.queue
					? h("a", { href: queueLink(s.endpoint.queue) }, s.endpoint.queue.name)
					: h("code", s.endpoint.address),
			),
			h("span", { role: "cell", "data-label": "tag" }, s.tag ? h("span.badge", s.tag) : h("span.muted", "all")),
			h("span", { role: "cell", "data-label": "format" }, s.format),
			h("span", { role: "cell", "data-label": "repeats" }, s.strategy),
			h(
				"span",
				{ role: "cell", "data-label": "dead letters" },
				s.deadLetter ? queueName(s.deadLetter) : h("span.muted", "–"),
			),
		);
	const empty = () =>
		h(
			"div.empty.teach",
			icon("topics"),
			h("h2", "Nobody has subscribed"),
			h("p", "What is published now goes nowhere. With the SDK for Python:"),
			command(subscribeCommand(at.endpoint(), { account, region, name })),
		);
	at.every(4000, async () => {
		[topic, page] = await Promise.all([at.get(path), at.get(`${path}/subscriptions`, { after, limit: size })]);
		draw();
	});
}

// A namespace of Amazon, whose accounts have 12 digits, has topics only by its bridge, by default to this home of MNS.
function subscribeCommand(url, { account, region, name }) {
	const home = /^\d{12}$/.test(account) ? "cn-hangzhou:1234567890123456" : `${region}:${account}`;
	return [
		"from mns.account import Account",
		"from mns.subscription import SubscriptionMeta",
		"",
		`topic = ${JSON.stringify(name)}`,
		`orders = SubscriptionMeta("acs:mns:${home}:queues/orders")`,
		`Account("${url}", "any", "any").get_subscription(topic, "to-orders").subscribe(orders)`,
	].join("\n");
}
