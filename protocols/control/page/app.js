// The frame: routes, header, navigation, shortcuts. Each view is a module with a function that is given its root
// element and a context, draws itself, and stops when the context's signal aborts.

import { api, Failure, get, listen, messageLink, onUnauthorized, queueLink, takeToken } from "./api.js";
import { clock, draw as drawClock, freezeOrResume, readClock, startClock } from "./clock.js";
import { h, icon, render } from "./dom.js";
import { eventsView } from "./events.js";
import { faultsView } from "./faults.js";
import { messageView, traceView } from "./message.js";
import { outboxView } from "./outbox.js";
import { queueView } from "./queue.js";
import { queuesView } from "./queues.js";
import { stateView } from "./state.js";
import { topicsView, topicView } from "./topics.js";
import { dialog, failed, report, textField, tick } from "./ui.js";

const views = [
	{ path: "queues", name: "Queues", key: "q", view: queuesView },
	{ path: "topics", name: "Topics", key: "t", view: topicsView },
	{ path: "events", name: "Events", key: "e", view: eventsView },
	{ path: "outbox", name: "Outbox", key: "o", view: outboxView },
	{ path: "faults", name: "Faults", key: "f", view: faultsView },
	{ path: "state", name: "State", key: "s", view: stateView },
];

const routes = [
	[/^queues\/([^/]+)\/([^/]+)\/([^/]+)$/, queueView, "queues"],
	[/^messages\/([^/]+)$/, messageView, "queues"],
	[/^traces\/([^/]+)$/, traceView, "events"],
	[/^topics\/([^/]+)\/([^/]+)\/([^/]+)$/, topicView, "topics"],
	...views.map((v) => [new RegExp(`^${v.path}$`), v.view, v.path]),
];

let leave = new AbortController();
let shortcuts = {}; // those of the present view: key → {does, act}
let overview = { offers: [] };

// context is what a view gets: the parts of its address, and ways to do something until it is left.
function context(params, query, root) {
	const { signal } = leave;
	return {
		params,
		query,
		signal,
		look,
		overview: () => overview,
		endpoint,
		get: (path, q) => get(path, q, signal),
		// every does something now, and again while the page is looked at.
		every(ms, work) {
			const step = async () => {
				if (!document.hidden || ms === 0) await work().catch((e) => e.name !== "AbortError" && onFailure(e));
				if (!signal.aborted && ms) setTimeout(step, ms);
			};
			const onFailure = (e) =>
				e.status === 0 ? connected(false) : e.status === 404 ? render(root, failed(e)) : report(e);
			addEventListener("sluice:moved", () => work().catch(report), { signal });
			return step();
		},
		listen: (q, handlers) => listen(q, { ...handlers, signal, onState: (up) => ((streaming = true), connected(up)) }),
		// go changes the query of the address without a step in the history.
		go(changes) {
			const next = new URLSearchParams(query);
			for (const [k, v] of Object.entries(changes)) v === null || v === "" ? next.delete(k) : next.set(k, v);
			const path = location.hash.slice(1).split("?")[0];
			location.replace(`#${path}${next.size ? `?${next}` : ""}`);
		},
		shortcuts: (own) => (shortcuts = own),
		run: (work) => work().catch(report),
	};
}

// endpoint is where clients reach the server. localhost is the host of this page, which may be another machine's.
function endpoint() {
	const told = overview.endpoints?.[0];
	if (!told) return `http://${location.hostname}:9324`;
	const url = new URL(told);
	if (url.hostname === "localhost") url.hostname = location.hostname;
	return url.href.replace(/\/$/, "");
}

async function navigate() {
	takeToken();
	leave.abort();
	leave = new AbortController();
	shortcuts = {};
	streaming = false;
	const [path, search] = (location.hash.slice(2) || "queues").split("?");
	const root = h("div.view");
	const main = document.getElementById("main");
	for (const [pattern, view, section] of routes) {
		const match = path.match(pattern);
		if (!match) continue;
		const sameView = main.dataset.path === path;
		drawNavigation(section);
		if (!sameView) (main.replaceChildren(root), scrollTo(0, 0));
		main.dataset.path = path;
		const into = sameView ? main.firstElementChild : root;
		document.title = `${views.find((v) => v.path === section).name} · Sluice`;
		try {
			await view(into, context(match.slice(1).map(decodeURIComponent), new URLSearchParams(search), into));
		} catch (e) {
			if (e.name !== "AbortError") render(into, failed(e));
			if (!(e instanceof Failure) && e.name !== "AbortError") console.error(e);
		}
		return;
	}
	delete main.dataset.path;
	main.replaceChildren(failed(new Failure(404, { code: "Not found", message: "There is no such view." })));
}

function drawNavigation(section) {
	render(
		document.getElementById("nav"),
		views.map((v) =>
			h(
				"a",
				{ href: `#/${v.path}`, "aria-current": v.path === section ? "page" : null, title: `g ${v.key}` },
				icon(v.path),
				h("span", v.name),
			),
		),
		h(
			"p.version",
			overview.version ? `Sluice ${overview.version}` : "",
			h("br"),
			h("a", { href: "openapi.json" }, "API"),
		),
	);
}

function drawHeader() {
	render(
		document.getElementById("top"),
		h(
			"a.brand",
			{ href: "#/queues", "aria-label": "Sluice, all queues" },
			h("img", { src: "logo.svg", alt: "", width: 28, height: 28 }),
			h("b", "Sluice"),
		),
		h(
			"form.search",
			{ role: "search", onsubmit: (e) => (e.preventDefault(), jump(e.currentTarget.elements.q.value.trim())) },
			icon("search"),
			h("input", {
				name: "q",
				type: "search",
				id: "jump",
				placeholder: "Queue, message id or trace id",
				"aria-label": "Go to a queue, a message or a trace",
				list: "jump-list",
				autocomplete: "off",
				spellcheck: "false",
				oninput: suggest,
			}),
			h("kbd", { "aria-hidden": "true" }, "/"),
			h("datalist", { id: "jump-list", "data-own": "" }),
		),
		h("span.connection", { id: "connection", role: "status", title: "Live events" }, h("i"), h("span", "Connecting")),
		h("div.clock", { "data-own": "" }),
		h(
			"button.ghost",
			{
				type: "button",
				id: "theme",
				"aria-label": "Switch between light and dark",
				title: "Light or dark (d)",
				onclick: switchTheme,
			},
			icon("sun"),
			icon("moon"),
		),
		h(
			"button.ghost.helpbutton",
			{ type: "button", "aria-label": "Keyboard shortcuts", title: "Shortcuts (?)", onclick: help },
			icon("help"),
		),
	);
}

let streaming = false; // the view in front has a stream of events, which knows better than a poll

function connected(up) {
	const sign = document.getElementById("connection");
	sign.className = `connection ${up ? "up" : "down"}`;
	sign.lastChild.textContent = up ? "Live" : "Reconnecting";
}

// suggest offers the queues whose names contain what was typed.
let suggesting = 0;
async function suggest(e) {
	const turn = ++suggesting;
	const contains = e.currentTarget.value.trim();
	if (!contains) return;
	await new Promise((done) => setTimeout(done, 150));
	if (turn !== suggesting) return;
	const page = await get(`${api}/queues`, { contains, limit: 8 }).catch(() => null);
	if (page)
		document
			.getElementById("jump-list")
			.replaceChildren(...page.queues.map((q) => h("option", { value: q.name }, `${q.account} ${q.region}`)));
}

// jump goes to what was typed: a message or trace by its id, or the queue of that name, or a list of those that contain it.
async function jump(text) {
	if (!text) return;
	const id = text.replaceAll("-", "").toLowerCase();
	if (/^[0-9a-f]{32}$/.test(id)) {
		const known = await get(`${api}/messages/${id}/timeline`).catch(() => null);
		location.hash = known?.queue ? messageLink(id) : `#/traces/${id}`;
		return;
	}
	const page = await get(`${api}/queues`, { prefix: text, limit: 2 }).catch(report);
	const exact = page?.queues.find((q) => q.name === text);
	location.hash =
		exact && page.queues.filter((q) => q.name === text).length === 1
			? queueLink(exact)
			: `#/queues?contains=${encodeURIComponent(text)}`;
}

function switchTheme() {
	const dark = document.documentElement.dataset.theme
		? document.documentElement.dataset.theme === "dark"
		: matchMedia("(prefers-color-scheme: dark)").matches;
	document.documentElement.dataset.theme = dark ? "light" : "dark";
	localStorage.setItem("sluice.theme", document.documentElement.dataset.theme);
}

const general = {
	"/": { does: "Search", act: () => document.getElementById("jump").focus() },
	d: { does: "Light or dark", act: switchTheme },
	k: { does: "Freeze or resume the clock", act: freezeOrResume },
	"?": { does: "This list", act: help },
};

function help() {
	if (document.querySelector("dialog[open]")) return;
	const list = (title, entries) =>
		h(
			"section",
			h("h3", title),
			h(
				"dl.keys",
				entries.map(([k, does]) => [
					h(
						"dt",
						k.split(" ").map((part) => h("kbd", part)),
					),
					h("dd", does),
				]),
			),
		);
	const own = Object.entries(shortcuts).map(([k, v]) => [k, v.does]);
	const box = h(
		"dialog.wide",
		{
			"aria-labelledby": "help-title",
			onclose: (e) => e.target.remove(),
			onclick: (e) => e.target === box && box.close(),
		},
		h("h2", { id: "help-title" }, "Keyboard shortcuts"),
		h(
			"div.columns",
			list(
				"Everywhere",
				Object.entries(general).map(([k, v]) => [k, v.does]),
			),
			list(
				"Go to",
				views.map((v) => [`g ${v.key}`, v.name]),
			),
			list("Lists", [
				["j", "Next row"],
				["Shift j", "Row before"],
				["Enter", "Open"],
				["[", "Page before"],
				["]", "Next page"],
			]),
			own.length > 0 && list("This view", own),
		),
		h("div.buttons", h("button.primary", { type: "button", onclick: () => box.close() }, "Close")),
	);
	document.body.append(box);
	box.showModal();
}

let afterG = 0; // until when a key goes to a view, since g was pressed

function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
	if (e.target.closest("input:not([type=checkbox]), textarea, select")) {
		if (e.key === "Escape") e.target.blur();
		return;
	}
	const act = shortcut(e);
	if (act) (e.preventDefault(), act());
}

function shortcut(e) {
	if (performance.now() < afterG) {
		afterG = 0;
		const to = views.find((v) => v.key === e.key);
		return to && (() => (location.hash = `#/${to.path}`));
	}
	if (e.key === "g") return () => (afterG = performance.now() + 1500);
	if (e.key === "j" || e.key === "J") return () => step(e.key === "j" ? 1 : -1);
	const paging = document.querySelector(`[data-shortcut="${CSS.escape(e.key)}"]:not(:disabled)`);
	if (paging) return () => paging.click();
	return (shortcuts[e.key] ?? general[e.key])?.act;
}

// step moves the focus along the links of the list's rows.
function step(by) {
	const rows = [...document.querySelectorAll("main [data-row]")];
	const at = rows.indexOf(document.activeElement);
	rows[Math.min(Math.max(at < 0 ? 0 : at + by, 0), rows.length - 1)]?.focus();
}

async function askForToken(wrong) {
	const field = textField("token", "Token", {
		type: "password",
		required: true,
		hint: "The server printed it when it started. It is kept until this tab is closed.",
	});
	const answer = await dialog({
		title: "This server asks for a token",
		icon: "lock",
		text: wrong ? h("p", "That token was refused.") : null,
		fields: [field],
		action: "Enter",
		submit: async (v) => v.token,
	});
	if (answer === null)
		throw new Failure(401, {
			code: "Unauthorized",
			message: "This server shows nothing without its token. Load the page again to enter it.",
		});
	return answer;
}

// look keeps the counts and the clock of the header true.
async function look() {
	try {
		overview = await get(`${api}/overview`);
		clock.tell(overview.clock);
		if (!streaming) connected(true);
	} catch (e) {
		if (e.status === 0) connected(false);
	}
}

document.querySelector(".skip").onclick = (e) => {
	e.preventDefault(); // the address is the route's
	document.getElementById("main").focus();
};
addEventListener("unhandledrejection", (e) => {
	e.preventDefault();
	report(e.reason);
});
takeToken();
onUnauthorized(askForToken);
drawHeader();
startClock((work) => work().catch(report));
addEventListener("hashchange", navigate);
document.addEventListener("keydown", onKey);
setInterval(() => (drawClock(), tick()), 1000);
setInterval(() => document.hidden || look(), 5000);
addEventListener("sluice:moved", look);
await readClock().catch(() => {});
await look();
await navigate();
