// Elements. Whatever is shown goes through h(), which can only make text of data: bodies and names of messages are
// untrusted, and nothing on this page is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

// h("td.num", {title: "…", onclick: f}, child…) makes an element; the attributes may be left out. Those that are null or
// false are not set, handlers become properties so that render() can renew them, "css" are properties of its style.
export function h(tag, ...rest) {
	const [name, ...classes] = tag.split(".");
	const element = document.createElement(name);
	if (classes.length) element.classList.add(...classes);
	return fill(element, rest);
}

// s is h for SVG, without classes in the name.
export const s = (name, ...rest) => fill(document.createElementNS(SVG, name), rest);

function fill(element, rest) {
	const children = isAttributes(rest[0]) ? rest.slice(1) : rest;
	if (children !== rest) for (const [name, value] of Object.entries(rest[0])) set(element, name, value);
	append(element, children);
	return element;
}

const isAttributes = (x) => typeof x === "object" && x !== null && !(x instanceof Node) && !Array.isArray(x);

function set(element, name, value) {
	if (value === null || value === undefined || value === false) return;
	if (name.startsWith("on"))
		(element.handlers ??= {})[name] = element[name] = (e) => void value(e); // false would cancel
	else if (name === "class") element.classList.add(...value.split(" ").filter(Boolean));
	else if (name === "css") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
	else if (name === "value") element.value = value;
	else element.setAttribute(name, value === true ? "" : value);
}

function append(element, children) {
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === false) continue;
		element.append(child instanceof Node ? child : String(child));
	}
}

// render makes the children of an element what is given, changing as little as possible: rows that stay keep their
// focus, their selection and their scroll position. Children with data-key are matched by it.
export function render(element, ...children) {
	const wanted = document.createElement("div");
	append(wanted, children);
	morphChildren(element, wanted);
}

function morphChildren(old, wanted) {
	const keyed = new Map();
	for (const child of old.children) if (child.dataset.key) keyed.set(child.dataset.key, child);
	let at = old.firstChild;
	for (const next of [...wanted.childNodes]) {
		const key = next.dataset?.key;
		let match = key ? keyed.get(key) : at;
		if (match && !alike(match, next)) match = null;
		if (!match) {
			old.insertBefore(next, at);
			continue;
		}
		if (match === at) at = at.nextSibling;
		else old.insertBefore(match, at);
		morph(match, next);
	}
	while (at) {
		const gone = at;
		at = at.nextSibling;
		gone.remove();
	}
}

function alike(a, b) {
	return a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key;
}

function morph(old, next) {
	if (old.nodeType === Node.TEXT_NODE) {
		if (old.data !== next.data) old.data = next.data;
		return;
	}
	morphAttributes(old, next);
	morphHandlers(old, next);
	if (old.hasAttribute("data-own")) return; // looks after its own children
	morphChildren(old, next);
	if ("value" in next && old !== document.activeElement && old.value !== next.value) old.value = next.value;
	if ("checked" in next) old.checked = next.hasAttribute("checked");
}

function morphAttributes(old, next) {
	for (const { name } of [...old.attributes]) {
		if (!next.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(name);
	}
	for (const { name, value } of next.attributes) {
		if (name === "style") continue;
		if (old.getAttribute(name) !== value) old.setAttribute(name, value);
	}
	if (next.style?.cssText !== old.style?.cssText) old.style.cssText = next.style.cssText;
}

function morphHandlers(old, next) {
	for (const name of Object.keys(old.handlers ?? {})) if (!next.handlers?.[name]) old[name] = null;
	for (const [name, handler] of Object.entries(next.handlers ?? {})) old[name] = handler;
	old.handlers = next.handlers;
}

const paths = {
	queues: "M4 6h16M4 12h16M4 18h10",
	topics: "M12 12h.01M8.5 8.5a5 5 0 0 0 0 7M15.5 8.5a5 5 0 0 1 0 7M5.6 5.6a9 9 0 0 0 0 12.8M18.4 5.6a9 9 0 0 1 0 12.8",
	outbox: "M4 6h16v12H4zM4 7l8 6 8-6",
	events: "M3 12h4l3-8 4 16 3-8h4",
	faults: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
	state: "M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5",
	search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20.5 20.5 16 16",
	clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
	pause: "M8 5v14M16 5v14",
	play: "M7 4.5v15l12-7.5z",
	skip: "M5 5v14l9-7zM18 5v14",
	sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
	moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
	help: "M9.2 9a3 3 0 1 1 4.3 3c-.9.5-1.5 1.1-1.5 2M12 17.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
	plus: "M12 5v14M5 12h14",
	send: "M21 3 10 14M21 3l-7 18-4-7-7-4z",
	receive: "M12 3v12M7 10l5 5 5-5M4 20h16",
	trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
	broom: "M4 20h16M6 20c0-5 2-8 6-8s6 3 6 8M12 12V3",
	move: "M4 12h15M13 6l6 6-6 6",
	back: "M20 12H5M11 6l-6 6 6 6",
	copy: "M9 9h11v11H9zM5 15H4V4h11v1",
	eye: "M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
	edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
	close: "M6 6l12 12M18 6 6 18",
	check: "M5 12.5l4.5 4.5L19 7.5",
	dead: "M12 3a8 8 0 0 0-5 14v3h10v-3a8 8 0 0 0-5-14zM9 11.5h.01M15 11.5h.01M11 20v-2M13 20v-2",
	camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
	lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
	left: "M14 6l-6 6 6 6",
	right: "M10 6l6 6-6 6",
};

// icon is a line drawing that screen readers pass over: the words beside it say the same.
export function icon(name) {
	return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: paths[name] }));
}
