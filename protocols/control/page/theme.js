// Runs before the first paint, so that a chosen theme does not flash. Without a choice the browser's preference holds.
(() => {
	const chosen = localStorage.getItem("sluice.theme");
	if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
