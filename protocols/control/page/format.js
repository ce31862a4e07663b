// How numbers, times and bodies read.

const grouped = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const number = (n) => grouped.format(n);

export const short = (n) => (n < 10000 ? grouped.format(n) : compact.format(n));

export const rate = (n) => (n === 0 ? "0" : n < 10 ? n.toFixed(1) : short(Math.round(n)));

export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

export function bytes(n) {
	if (n < 1024) return `${n} B`;
	if (n < 1 << 20) return `${(n / 1024).toFixed(1)} KiB`;
	return `${(n / (1 << 20)).toFixed(1)} MiB`;
}

const units = [
	["d", 86400],
	["h", 3600],
	["min", 60],
	["s", 1],
];

// duration tells seconds in at most so many units, such as 4 d or 1 h 30 min.
export function duration(seconds, most = 2) {
	if (seconds === 0) return "0 s";
	if (seconds < 1) return `${Number((seconds * 1000).toPrecision(3))} ms`;
	if (seconds < 10 && seconds % 1) return `${seconds.toFixed(1)} s`;
	const parts = [];
	let rest = Math.round(seconds);
	for (const [unit, size] of units) {
		const count = Math.floor(rest / size);
		if (count > 0 && parts.length < most) parts.push(`${number(count)} ${unit}`);
		else if (parts.length) break;
		rest -= count * size;
	}
	return parts.join(" ");
}

// parseDuration reads what people write, such as 90, 90s, 1m30s, 12h or 4d, as seconds. NaN: that is no duration.
export function parseDuration(text) {
	const compactText = text.replaceAll(" ", "").toLowerCase();
	if (/^\d+(\.\d+)?$/.test(compactText)) return Number(compactText);
	const sizes = { d: 86400, h: 3600, m: 60, min: 60, s: 1, ms: 0.001 };
	let total = 0;
	const rest = compactText.replace(/(\d+(?:\.\d+)?)(ms|min|d|h|m|s)/g, (_, n, unit) => {
		total += Number(n) * sizes[unit];
		return "";
	});
	return compactText === "" || rest !== "" ? NaN : total;
}

// writeDuration is what parseDuration reads back.
export function writeDuration(seconds) {
	for (const [unit, size] of [
		["d", 86400],
		["h", 3600],
		["m", 60],
	]) {
		if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
	}
	return `${seconds}s`;
}

// relative tells how far an instant is from now, both in milliseconds; what is to come more exactly than what was.
export function relative(at, now) {
	const seconds = (at - now) / 1000;
	if (Math.abs(seconds) < 1) return "now";
	const text = duration(Math.floor(Math.abs(seconds)), seconds < 0 ? 1 : 2);
	return seconds < 0 ? `${text} ago` : `in ${text}`;
}

// Instants are shown in UTC, as the API and the logs of most programs tell them.
export const timeOfDay = (ms, fraction = true) => new Date(ms).toISOString().slice(11, fraction ? 23 : 19);
export const date = (ms) => new Date(ms).toISOString().slice(0, 10);
export const instant = (ms) => `${date(ms)} ${timeOfDay(ms)}`;
