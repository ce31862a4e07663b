// The engine's clock: what it says now, and the controls that move it.

import { api, get, post } from "./api.js";
import { h, icon, render } from "./dom.js";
import { date, duration, parseDuration, timeOfDay } from "./format.js";

let told = { now: new Date().toISOString(), offsetSeconds: 0, frozen: false, adjustable: true };
let heard = Date.now();

export const clock = {
	// now is the engine's time in milliseconds, reckoned on from when it was last told.
	now: () => Date.parse(told.now) + (told.frozen ? 0 : Date.now() - heard),
	// normal: it runs with the machine's. A second apart is the network's.
	normal: () => !told.frozen && Math.abs(told.offsetSeconds) < 1.5,
	tell(answer) {
		told = answer;
		heard = Date.now();
		draw();
	},
};

export const readClock = async () => clock.tell(await get(`${api}/clock`));

const presets = ["1s", "30s", "5m", "1h", "12h", "4d"];
let open = false;
let act = () => {}; // runs a call and reports what fails

export function startClock(run) {
	act = (call) =>
		run(async () => {
			clock.tell(await call());
			dispatchEvent(new Event("sluice:moved"));
		});
	document.addEventListener("click", (e) => open && !e.target.closest(".clock, .clockbar") && toggle(false));
	document.addEventListener("keydown", (e) => e.key === "Escape" && open && toggle(false));
	draw();
}

const seconds = (text) => ({ by: parseDuration(text) });
const advance = (text) => act(() => post(`${api}/clock/advance`, seconds(text)));
export const freezeOrResume = () => act(() => post(`${api}/clock/${told.frozen ? "resume" : "freeze"}`));

function toggle(to = !open) {
	open = to;
	draw();
}

// draw shows the time in the header and, while the clock is not the machine's or was asked for, its controls below.
export function draw() {
	const now = clock.now();
	const unusual = !clock.normal();
	render(
		document.querySelector(".clock"),
		h(
			"button.clockbutton",
			{
				type: "button",
				class: told.frozen ? "frozen" : unusual ? "shifted" : "",
				"aria-expanded": String(open || unusual),
				"aria-controls": "clockbar",
				title: `The engine's time, ${date(now)} UTC`,
				onclick: () => toggle(),
			},
			icon(told.frozen ? "pause" : "clock"),
			h("span.num", timeOfDay(now, false)),
			h("small", "UTC"),
		),
	);
	const bar = document.getElementById("clockbar");
	bar.hidden = !open && !unusual;
	bar.className = `clockbar ${told.frozen ? "frozen" : unusual ? "shifted" : ""}`;
	if (!bar.hidden) render(bar, controls(now));
}

function controls(now) {
	return [
		h(
			"p.says",
			h("b", told.frozen ? "Clock frozen" : "Clock running"),
			h("span.num", `${date(now)} ${timeOfDay(now, false)} UTC`),
			h("span.muted", apart()),
		),
		h(
			"div.presets",
			{ role: "group", "aria-label": "Advance the clock" },
			presets.map((p) => h("button", { type: "button", title: `Advance by ${p}`, onclick: () => advance(p) }, `+${p}`)),
			h(
				"form",
				{ onsubmit: custom },
				h("input", { name: "by", placeholder: "1h30m", "aria-label": "Advance by", size: "6", autocomplete: "off" }),
				h("button", { type: "submit", title: "Advance", "aria-label": "Advance" }, icon("skip")),
			),
		),
		h(
			"button.primary",
			{
				type: "button",
				disabled: !told.adjustable,
				title: told.adjustable ? null : "The embedding program's clock cannot be stopped.",
				onclick: freezeOrResume,
			},
			icon(told.frozen ? "play" : "pause"),
			h("span", told.frozen ? "Resume" : "Freeze"),
		),
	];
}

function apart() {
	if (clock.normal()) return "With this machine's clock.";
	const off = Math.round(told.frozen ? (clock.now() - Date.now()) / 1000 : told.offsetSeconds);
	return off === 0 ? "" : `${duration(Math.abs(off))} ${off > 0 ? "ahead of" : "behind"} this machine.`;
}

function custom(e) {
	e.preventDefault();
	const input = e.currentTarget.elements.by;
	if (Number.isNaN(parseDuration(input.value))) return input.setAttribute("aria-invalid", "true");
	input.removeAttribute("aria-invalid");
	advance(input.value);
	input.value = "";
}
