// What people do with the page, in a real browser and against the real program.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { API, launch, shoot, startServer, unusable, Watch } from "./browser.js";

const home = "000000000000/us-east-1";
const hostile = `<img src=x onerror="alert(1)"><script>window.hostile = 1</script><svg onload=alert(2)>{{7*7}}\u202e</pre></textarea>`;

let server, browser, watch, api;

before(async () => {
  server = await startServer();
  browser = await launch();
  watch = new Watch(browser, server.admin);
  api = API(server.admin);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((c) => c.close()));
  watch.check();
});

const make = (name, settings = {}) => api("PUT", `queues/${home}/${name}`, settings);
const send = (name, body, more = {}) => api("POST", `queues/${home}/${name}/messages`, { body, ...more });
const receive = (name, more = {}) => api("POST", `queues/${home}/${name}/receive`, more);
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const inDialog = (page) => page.getByRole("dialog");

// elsewhere opens the page of a server of its own, started with flags.
async function elsewhere(flags, hash, use) {
  const own = await startServer(...flags);
  try {
    const watched = new Watch(browser, own.admin);
    await use(await watched.open(hash), own.admin);
    watched.check();
  } finally {
    await own.stop();
  }
}

test("a queue is made, and the page goes to it", async () => {
  const page = await watch.open("#/queues");
  await press(page, "Create queue");
  await inDialog(page).getByLabel("Name", { exact: true }).fill("made-here");
  await inDialog(page).getByLabel("Visibility timeout").fill("2m");
  await inDialog(page).getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: /made-here/ }).waitFor();
  const queue = await api("GET", `queues/${home}/made-here`);
  assert.equal(queue.settings.visibilitySeconds, 120);
  await shoot(page, "queue-empty");
});

test("what the API refuses is said in the dialog, and nothing is lost", async () => {
  const page = await watch.open("#/queues");
  await page.getByRole("heading", { name: "Queues" }).waitFor();
  await page.keyboard.press("c");
  await inDialog(page).getByLabel("Name", { exact: true }).fill("no/such*name");
  await inDialog(page).getByRole("button", { name: "Create" }).click();
  const said = await inDialog(page).getByRole("alert").innerText();
  assert.match(said, /\w+ .*\w/);
  assert.equal(await inDialog(page).getByLabel("Name", { exact: true }).inputValue(), "no/such*name");
  await page.keyboard.press("Escape");
  await inDialog(page).waitFor({ state: "detached" });
});

test("a message is sent with attributes", async () => {
  await make("sending");
  const page = await watch.open(`#/queues/${home}/sending`);
  await press(page, "Send");
  await inDialog(page).getByLabel("Body").fill('{"a": 12345678901234567890, "a": [1, {}]}');
  await press(page, "Add");
  await inDialog(page).getByLabel("Name", { exact: true }).fill("colour");
  await inDialog(page).getByLabel("Value").fill("red");
  await inDialog(page).getByRole("button", { name: "Send" }).click();
  await page.getByRole("link", { name: /12345678901234567890/ }).click();
  await page.getByRole("heading", { name: /^Message [0-9a-f]/ }).waitFor();
  assert.equal(
    await page.getByLabel("Body", { exact: true }).innerText(),
    '{\n  "a": 12345678901234567890,\n  "a": [\n    1,\n    {}\n  ]\n}',
  );
  await page.getByRole("table", { name: "Attributes" }).getByText("red").waitFor();
  await page.getByRole("radio", { name: "Raw" }).click();
  assert.equal(await page.getByLabel("Body", { exact: true }).innerText(), '{"a": 12345678901234567890, "a": [1, {}]}');
});

test("what others do is seen without a reload", async () => {
  await make("live");
  const page = await watch.open(`#/queues/${home}/live`);
  await page.getByText("This queue is empty").waitFor();
  await page.evaluate(() => (window.same = true));
  await send("live", "from elsewhere");
  await page.getByRole("link", { name: "from elsewhere" }).waitFor({ timeout: 2500 });
  await receive("live");
  await page.getByRole("row", { name: /In flight.*from elsewhere/ }).waitFor({ timeout: 2500 });
  assert.ok(await page.evaluate(() => window.same), "the page was loaded again");
});

test("hostile names and bodies are only text", async () => {
  await make("hostile");
  const { id } = await send("hostile", hostile, {
    attributes: [{ name: "a", kind: "text", value: hostile }],
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  });
  await send(
    "hostile",
    `<a xmlns="${"x".repeat(2000)}"><script xmlns="http://www.w3.org/1999/xhtml">alert(3)</script></a>`,
  );
  await send("hostile", "[".repeat(5000) + "]".repeat(5000));
  const page = await watch.open(`#/queues/${home}/hostile`);
  await page
    .getByRole("link", { name: /<img src=x/ })
    .first()
    .waitFor();
  for (const message of (await api("GET", `queues/${home}/hostile/messages`)).messages) {
    await page.goto(`${server.admin}/#/messages/${message.id}`);
    await page.getByRole("heading", { name: new RegExp(message.id) }).waitFor();
    await page.getByLabel("Body", { exact: true }).waitFor();
  }
  await page.goto(`${server.admin}/#/messages/${id}`);
  await page.getByText("has invisible characters").waitFor();
  assert.equal(await page.getByLabel("Body", { exact: true }).textContent(), hostile);
  await page.goto(`${server.admin}/#/messages/${encodeURIComponent(hostile)}`);
  await page.getByRole("alert").first().waitFor();
  assert.equal(await page.evaluate(() => window.hostile), undefined);
  assert.equal(await page.locator("main img, main script, main iframe, main svg[onload]").count(), 0);
});

test("a message says why it is not delivered, and the clock changes that", async () => {
  await make("why-dead");
  await make("why", {
    visibilitySeconds: 43200,
    deadLetter: { account: "000000000000", region: "us-east-1", name: "why-dead", maxReceives: 1 },
  });
  const { id } = await send("why", '{"order": 1042}');
  await receive("why");
  const page = await watch.open(`#/messages/${id}`);
  const why = page.getByRole("region", { name: "Why" });
  await why.getByText("In flight", { exact: true }).waitFor();
  await page.getByText("In flight #1").waitFor();
  await page.locator(".clockbutton").click();
  await press(page, "Freeze");
  await page.getByText("Clock frozen").waitFor();
  await shoot(page, "message-in-flight-frozen");
  await press(page, "+12h");
  await why.getByText("Over max receives").waitFor();
  await page.getByText("timed out", { exact: false }).first().waitFor();
  await receive("why");
  await page.getByText("Waiting as a dead letter").waitFor();
  await page.locator("summary", { hasText: "In flight #1" }).click();
  await page.locator("details[open]").getByText("Hidden until").waitFor();
  await shoot(page, "message-dead-lettered");
  await press(page, "Resume");
  await page.getByText("Clock running").waitFor(); // 12 h ahead: the controls stay
});

test("spans of applications stand beside what the broker did", async () => {
  await make("traced");
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { id } = await send("traced", "x", { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  const now = BigInt(Date.parse((await api("GET", "clock")).now)) * 1000000n;
  const span = {
    traceId,
    spanId: "b7ad6b7169203331",
    name: "<b>charge</b>",
    kind: 3,
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 5000000n}`,
    status: { code: 2, message: "declined" },
  };
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "billing" } }] },
        scopeSpans: [{ spans: [span] }],
      },
    ],
  };
  const answer = await fetch(`${server.admin}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200);
  const page = await watch.open(`#/messages/${id}`);
  const row = page.locator("summary", { hasText: "<b>charge</b>" });
  await row.getByText("declined").waitFor();
  await row.getByText("billing").waitFor();
  await page.locator("summary", { hasText: "Waiting" }).waitFor();
  await page.getByRole("link", { name: "trace 0af76519" }).click();
  await page.getByRole("heading", { name: /^Trace 0af7/ }).waitFor();
  await page.locator("summary", { hasText: "<b>charge</b>" }).waitFor();
  await shoot(page, "trace");
});

test("a fault is added, strikes and is removed", async () => {
  await make("faulty");
  const page = await watch.open("#/faults");
  await press(page, "Add a fault");
  await inDialog(page).getByLabel("Fault").selectOption("throttle");
  await inDialog(page).getByRole("button", { name: "Next" }).click();
  await inDialog(page).getByLabel("Operations").fill("SendMessage");
  await inDialog(page).getByLabel("At most so many times").fill("2");
  await inDialog(page).getByRole("button", { name: "Add" }).click();
  await page.getByText("0 of 2 times").waitFor();
  assert.equal((await api("GET", "faults")).faults[0].operation, "SendMessage");
  await shoot(page, "faults");
  await press(page, "Remove");
  await inDialog(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nothing goes wrong on purpose").waitFor();
});

test("a message is deleted after a question", async () => {
  await make("deleting");
  const { id } = await send("deleting", "to go");
  const page = await watch.open(`#/messages/${id}`);
  await press(page, "Delete");
  assert.equal(
    await inDialog(page)
      .getByRole("button", { name: "Cancel" })
      .evaluate((b) => b === document.activeElement),
    true,
  );
  await page.keyboard.press("Escape");
  await press(page, "Delete");
  await inDialog(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("region", { name: "Why" }).getByText("Deleted", { exact: true }).waitFor();
  assert.equal((await api("GET", `queues/${home}/deleting`)).counts.total, 0);
});

test("chosen messages are moved and deleted, and a queue is purged and deleted", async () => {
  await make("here");
  await make("there");
  for (const body of ["one", "two", "three"]) await send("here", body);
  const page = await watch.open(`#/queues/${home}/here`);
  await page.getByRole("row", { name: /one/ }).getByRole("checkbox").check();
  await page.getByRole("group", { name: "Chosen messages" }).getByRole("button", { name: "Move" }).click();
  await inDialog(page).getByLabel("Queue").fill("there");
  await inDialog(page).getByRole("button", { name: "Move" }).click();
  await page.getByRole("link", { name: "one" }).waitFor({ state: "detached" });
  assert.equal((await api("GET", `queues/${home}/there`)).counts.total, 1);
  await press(page, "Purge");
  await inDialog(page).getByRole("button", { name: "Purge" }).click();
  await page.getByText("This queue is empty").waitFor();
  await press(page, "Delete");
  await inDialog(page).getByRole("button", { name: "Delete the queue" }).click();
  await page.getByRole("heading", { name: "Queues", exact: true }).waitFor();
});

test("settings are changed, and only those", async () => {
  await make("settings", { delaySeconds: 5, tags: { team: "shop", old: "x" } });
  const page = await watch.open(`#/queues/${home}/settings`);
  await press(page, "Edit");
  await inDialog(page).getByLabel("Visibility timeout").fill("1h30m");
  await inDialog(page).getByRole("button", { name: "Remove" }).last().click();
  await inDialog(page).getByRole("button", { name: "Save" }).click();
  await page.getByText("1 h 30 min").waitFor();
  const queue = await api("GET", `queues/${home}/settings`);
  assert.equal(queue.settings.delaySeconds, 5);
  assert.equal(Object.keys(queue.tags).length, 1);
});

test("many queues are paged and filtered", async () => {
  for (let i = 0; i < 120; i++) await make(`many-${String(i).padStart(3, "0")}`);
  const page = await watch.open("#/queues?contains=many-");
  await page.getByRole("link", { name: "many-049" }).waitFor();
  assert.equal(await page.locator("main [data-row]").count(), 50);
  await page.keyboard.press("]");
  await page.getByRole("link", { name: "many-050" }).waitFor();
  await page.keyboard.press("]");
  await page.getByRole("link", { name: "many-119" }).waitFor();
  assert.equal(await page.locator("main [data-row]").count(), 20);
  await page.keyboard.press("[");
  await page.getByRole("link", { name: "many-050" }).waitFor();
  await page.getByLabel("Filter by a part of the name").fill("NY-11");
  await page.getByRole("link", { name: "many-110" }).waitFor();
  assert.equal(await page.locator("main [data-row]").count(), 10);
  await shoot(page, "queues");
});

test("everything is reached by keyboard", async () => {
  await make("keys");
  await send("keys", "found by keys");
  const page = await watch.open("#/queues?contains=keys");
  await page.getByRole("link", { name: "keys", exact: true }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await shoot(page, "shortcuts");
  await page.keyboard.press("Escape");
  await inDialog(page).waitFor({ state: "detached" });
  await page.keyboard.press("j");
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement.closest(".tr")).outlineStyle);
  assert.equal(ring, "solid", "the focus cannot be seen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^keys/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Message [0-9a-f]/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Events" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("keys");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^keys/ }).waitFor();
});

test("events are told, filtered and held back", async () => {
  await make("told");
  const page = await watch.open("#/events?kind=sent");
  await page.getByRole("button", { name: "Sent", exact: true, pressed: true }).waitFor();
  await send("told", "x");
  const feed = page.getByRole("log");
  await feed.getByRole("link", { name: "told" }).first().waitFor();
  const before = await feed.getByRole("row").count();
  await page.keyboard.press("p");
  await receive("told");
  await send("told", "y");
  await page.getByRole("button", { name: "Go on (1)" }).waitFor();
  assert.equal(await feed.getByRole("row").count(), before);
  await page.keyboard.press("p");
  await page.waitForFunction((n) => document.querySelectorAll("[role=log] [role=row]").length === n, before + 1);
  await shoot(page, "events");
});

test("light and dark: the browser's preference, until one chooses", async () => {
  const page = await watch.open("#/queues", { colorScheme: "dark" });
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole("heading", { name: "Queues" }).waitFor();
  const dark = await colour();
  await shoot(page, "queues-dark");
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  const light = await colour();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await colour(), light);
});

test("every view fits a phone", async () => {
  await make(`a-${"very-".repeat(15)}lo`);
  await make("phone", { tags: { team: "shop" } });
  const { id } = await send("phone", JSON.stringify({ text: "word".repeat(200) }));
  await receive("phone");
  for (const [name, hash] of Object.entries({
    queues: "#/queues",
    queue: `#/queues/${home}/phone`,
    message: `#/messages/${id}`,
    topics: "#/topics",
    events: "#/events",
    outbox: "#/outbox",
    faults: "#/faults",
    state: "#/state",
  })) {
    const page = await watch.open(hash, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await page.locator("main h1, main .empty h2").first().waitFor();
    await page.waitForTimeout(300);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth),
      360,
      `${name} is wider than the screen`,
    );
    await shoot(page, `phone-${name}`);
    await page.close();
  }
});

test("every view is usable by everybody, in light and dark", async () => {
  await make("usable-dead");
  await make("usable", {
    tags: { team: "shop" },
    deadLetter: { account: "000000000000", region: "us-east-1", name: "usable-dead", maxReceives: 3 },
  });
  const { id } = await send("usable", '{"a": [1, "x", null]}', {
    attributes: [{ name: "a", kind: "text", value: "b" }],
  });
  await receive("usable");
  const views = [
    "#/queues",
    `#/queues/${home}/usable`,
    `#/messages/${id}`,
    "#/topics",
    "#/events",
    "#/outbox",
    "#/faults",
    "#/state",
  ];
  for (const colorScheme of ["light", "dark"]) {
    for (const hash of views) {
      const page = await watch.open(hash, { colorScheme });
      await page.locator("main h1, main .empty h2").first().waitFor();
      assert.deepEqual(await unusable(page), [], `${hash} in ${colorScheme}`);
      await page.close();
    }
  }
});

test("a server that wants a token is asked for it once", async () => {
  const locked = async (page) =>
    page.route("**/api/**", (route) =>
      route.request().headers().authorization === "Bearer right"
        ? route.fallback()
        : route.fulfill({ status: 401, json: { error: { code: "Unauthorized", message: "The token is missing." } } }),
    );
  const page = await watch.open("#/outbox");
  await locked(page);
  await page.reload();
  await inDialog(page).getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await inDialog(page).getByText("That token was refused.").waitFor();
  await inDialog(page).getByLabel("Token").fill("right");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Outbox" }).waitFor();
  const other = await watch.open("#/outbox");
  await locked(other);
  await other.goto(`${server.admin}/?again#token=right`);
  await other.getByRole("heading", { name: "Queues" }).waitFor();
  assert.equal(await other.evaluate(() => location.hash), "");
});

test("the link that a guarded server prints opens its page", async () => {
  await elsewhere(["--admin-token", "let-me-in-please"], "?token=let-me-in-please", async (page) => {
    await page.getByText("No queues yet").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    assert.equal(page.url().includes("let-me-in"), false);
  });
});

test("a guarded server shows its page to everybody, and asks for the token", async () => {
  await elsewhere(["--admin-token", "let-me-in-please"], "", async (page) => {
    await inDialog(page).getByLabel("Token").fill("let-me-in-please");
    await page.keyboard.press("Enter");
    await page.getByText("No queues yet").waitFor();
  });
});

test("commands name the address that clients use", async () => {
  await elsewhere([], "", async (page, admin) => {
    const { endpoints } = await API(admin)("GET", "overview");
    assert.match(endpoints[0], /^http:\/\/127\.0\.0\.1:\d+$/);
    await page.getByText(`aws --endpoint-url ${endpoints[0]} sqs create-queue`).waitFor();
  });
});

test("a queue shows which providers see it", async () => {
  await make("bridged");
  await api("PUT", "queues/000000000000/eu-west-1/bridged-not", {});
  const page = await watch.open("#/queues?contains=ridged");
  const badges = async (name) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) }).locator(".badge").allInnerTexts();
  await page.getByRole("link", { name: "bridged-not" }).waitFor();
  assert.deepEqual(await badges("bridged"), ["SQS", "MNS"]);
  assert.deepEqual(await badges("bridged-not"), ["SQS"]);
  await page.getByRole("link", { name: "bridged", exact: true }).click();
  await page.getByRole("heading", { name: "bridged" }).getByText("MNS").waitFor();
});

test("a server that stops is noticed", async () => {
  const page = await watch.open("#/queues");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.route("**/api/**", (route) =>
    route.fulfill({ status: 500, json: { error: { code: "Internal", message: "It broke." } } }),
  );
  await page.goto(`${server.admin}/#/queues/${home}/any`);
  await page.getByRole("alert").getByText("It broke.").waitFor();
});

test("a snapshot brings everything back", async () => {
  await make("kept");
  await send("kept", "still there");
  const page = await watch.open("#/state");
  await press(page, "Take a snapshot");
  await inDialog(page).getByLabel("Name", { exact: true }).fill("before");
  await inDialog(page).getByRole("button", { name: "Take" }).click();
  await page.getByRole("row", { name: /before/ }).waitFor();
  await page.getByRole("button", { name: "Reset" }).nth(1).click();
  await inDialog(page).getByRole("button", { name: "Reset" }).click();
  await page.getByText("Reset", { exact: true }).last().waitFor();
  await page.goto(`${server.admin}/#/queues`);
  await page.getByText("No queues yet").waitFor();
  await page.getByRole("radio", { name: "boto3" }).click();
  await page.getByText("boto3.client").waitFor();
  await shoot(page, "queues-empty");
  await page.goto(`${server.admin}/#/state`);
  await press(page, "Restore");
  await inDialog(page).getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored", { exact: true }).waitFor();
  assert.equal((await api("GET", `queues/${home}/kept`)).counts.total, 1);
});
