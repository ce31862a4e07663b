// The program, the browser, and what has to hold on every page that is opened.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const modules = process.env.PAGE_MODULES;
const require = createRequire(join(modules, "package.json"));

// startServer starts the program in memory on free ports. SLUICE_ADMIN_URL names one that runs already.
export async function startServer(...flags) {
  if (process.env.SLUICE_ADMIN_URL) return { admin: process.env.SLUICE_ADMIN_URL, stop: async () => {} };
  const program = spawn(
    process.env.SLUICE_BINARY,
    ["serve", "--data", "memory", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", ...flags],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const admin = await addressOf(program.stdout);
  return {
    admin,
    stop: async () => {
      program.kill();
      await once(program, "exit");
    },
  };
}

// addressOf reads what the program prints until it has told where the admin port is.
async function addressOf(output) {
  for await (const line of createInterface(output)) {
    const told = line.match(/admin.*?(http:\/\/\S+)/i);
    if (told) return told[1].replace(/\/$/, "");
  }
  throw new Error("the program ended before it told the address of its admin port");
}

// launch starts the browser. The package unpacks itself, with the libraries it is linked to, below the folder for
// temporary files when it believes to be in a container of the kind that it was built for.
export async function launch() {
  const { chromium } = require("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu"]; // containers mostly run as root, which the sandbox refuses
  if (process.env.CHROMIUM) return chromium.launch({ executablePath: process.env.CHROMIUM, args });
  process.env.TMPDIR = join(modules, "unpacked");
  process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs20.x";
  const { default: packed } = await import(require.resolve("@sparticuz/chromium"));
  packed.setGraphicsMode = false;
  const executablePath = await packed.executablePath();
  delete process.env.TMPDIR;
  return chromium.launch({ executablePath, args });
}

// Watch opens pages and remembers what must not happen on any of them.
export class Watch {
  #wrong = [];

  constructor(browser, origin) {
    Object.assign(this, { browser, origin });
  }

  async open(hash, options = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      ...options,
    });
    await context.addInitScript(() => {
      window.alert = () => (window.hostile = "alert");
      document.addEventListener("securitypolicyviolation", (e) =>
        console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`),
      );
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10000);
    page.on("pageerror", (e) => this.#wrong.push(`error: ${e.stack}`));
    page.on("console", (m) => this.#judge(m));
    page.on(
      "request",
      (r) => new URL(r.url()).origin === this.origin || this.#wrong.push(`request to another origin: ${r.url()}`),
    );
    await page.goto(`${this.origin}/${hash}`);
    return page;
  }

  // #judge takes errors and warnings as wrong, but not that the browser logs each answer of 4xx: tests ask for those.
  #judge(message) {
    const refused =
      message.text().startsWith("Failed to load resource") &&
      new URL(message.location().url).pathname.startsWith("/api/");
    if (["error", "warning"].includes(message.type()) && !refused)
      this.#wrong.push(`${message.type()}: ${message.text()}`);
  }

  // check fails if anything went wrong on any page since the last check.
  check() {
    assert.deepEqual(this.#wrong.splice(0), []);
  }
}

// unusable returns what the rules of WCAG 2.1 AA find on a page that some people could not use.
export async function unusable(page) {
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
  return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3)}`);
}

// API calls the control API from outside of the browser, as another program would.
export const API = (origin) => async (method, path, body) => {
  const answer = await fetch(`${origin}/api/v1/${path}`, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path} = ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
};

// shoot leaves a screenshot and fails if there is nothing on it: a blank page packs into very few bytes.
export async function shoot(page, name) {
  const picture = await page.screenshot({
    path: join(process.env.PAGE_SHOTS, `${name}.png`),
    animations: "disabled",
  });
  assert.ok(picture.length > 8000, `${name}.png has ${picture.length} bytes, which is too few for a page`);
}
