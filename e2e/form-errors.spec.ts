import type { Locator, Page, Route } from "@playwright/test";

import { aTeam } from "#server/testing/a-team.ts";
import { makeOperator } from "#server/testing/changed-admins.ts";
import { aDomain, aGroup, aMailbox, aWebhook } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { aMailboxUser, seedAccount } from "./seed-account.ts";
import { companiesInEveryState } from "./seed-operate.ts";
import { anEvent, UNAVAILABLE_ATTEMPT } from "./seed-webhooks.ts";
import { signInWithCookie } from "./session.ts";

// What a form, a dialog and a button do when the server refuses, fails, stays silent or can't be reached. Each is opened
// once, and its request answered in each of these ways. `app/mutations.test.ts` keeps all others on the same layers.

type Task = {
  path: string;
  /** Buttons that open the dialog with the form. */
  open?: string[];
  submit: string | RegExp;
  /** Instead of the usual value, by the input's name or label. */
  typed?: Record<string, string>;
  /** Path of the object in the request that has the fields. */
  within?: string;
  /** Shows all errors below the fields. */
  isPlain?: boolean;
};

/** What is typed into empty inputs, by their name. */
const TYPED: Record<string, string> = {
  email: "zoe@example.net",
  endpoint: "https://hooks.example.com/typed",
  url: "https://a.example/",
  paymentUrl: "https://pay.example/7",
  to: "zoe@example.net",
  quotaMb: "1024",
  address: "zoe.lee",
  currentPassword: "a password",
  password: "a new password",
  again: "a new password",
  trackingSubdomain: "links",
  html: "<p>Hello</p>",
};

type Answer = { status: number; json: object } | "silence" | "offline";

/** The words for each failure. The one with fields isn't shown below the form, but at its fields. */
const FAILURES: [answer: Answer, words: string][] = [
  [
    error(403, "invalid_permission", "You need the Pumpkins privilege"),
    "You need the Pumpkins privilege.",
  ],
  [
    error(500, "application_error", "Internal error. Try again later"),
    "Internal error. Try again later.",
  ],
  ["silence", "The server took too long to respond. Your change may still have been saved"],
  ["offline", "Can’t reach the server. Check your connection."],
];

function error(statusCode: number, name: string, message: string, fields?: object[]) {
  const json = { statusCode, name, message, ...(fields && { fields }) };
  return { status: statusCode, json };
}

/** Requests that read, although they post. */
const READS = /\/(check\w*|get\w*|preview\w*)(\?|$)/;

/** Answers all changes from now on with `failing.answer`, and counts them. */
async function failChanges(page: Page) {
  const failing: { answer: Answer; changes: number; delay: Promise<void> } = {
    answer: "offline",
    changes: 0,
    delay: Promise.resolve(),
  };
  // Half a minute is too long for a test.
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const patience = (ms: number) => ("isSilent" in window ? 1_000 : ms);
    AbortSignal.timeout = (ms) => timeout(patience(ms));
    const timeouts = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, "timeout")!;
    Object.defineProperty(XMLHttpRequest.prototype, "timeout", {
      ...timeouts,
      set(ms: number) {
        timeouts.set!.call(this, patience(ms));
      },
    });
  });
  page.on("dialog", (dialog) => void dialog.accept());
  await page.route(/\/(console|account)\/api\//, async (route: Route) => {
    const request = route.request();
    if (request.method() === "GET" || READS.test(request.url())) return route.fallback();
    failing.changes++;
    await failing.delay;
    if (failing.answer === "offline") return route.abort();
    if (failing.answer !== "silence") return route.fulfill(failing.answer);
  });
  return failing;
}

const NAMED = "input[name]:not([type=hidden]):not([type=radio]), textarea[name]";

/** The visible fields with a name, which is the path of the server's errors about them. */
const fieldNames = (form: Locator) =>
  form
    .locator(NAMED)
    .evaluateAll((fields) => [
      ...new Set(
        fields
          .filter(
            (field) => field.checkVisibility() && field.getAttribute("autocomplete") !== "username",
          )
          .map((field) => field.getAttribute("name")!),
      ),
    ]);

const inputs = (form: Locator) =>
  form.locator("input, textarea, select").evaluateAll((fields) =>
    fields.map((field) => {
      const input = field as HTMLInputElement;
      return [input.type, "checked" in input && input.checked, input.value];
    }),
  );

async function fill(form: Locator, typed: Record<string, string>) {
  const empty = form.locator(
    "input:not([readonly]):not([type=checkbox]):not([type=radio]), textarea",
  );
  for (const input of await empty.all()) {
    if (!(await input.isVisible()) || (await input.inputValue()) !== "") continue;
    const name =
      (await input.getAttribute("name")) ?? (await input.getAttribute("aria-label")) ?? "";
    await input.fill(typed[name] ?? TYPED[name] ?? "Zoe");
  }
  const choice = form.getByRole("checkbox").first();
  if ((await choice.count()) > 0) await choice.check();
}

type Failing = Awaited<ReturnType<typeof failChanges>>;

async function expectFailuresShown(page: Page, failing: Failing, task: Task) {
  failing.delay = Promise.resolve();
  const { button, form } = await openForm(page, task);
  const label = await button.innerText();
  const before = form && (await inputs(form));
  const expectUnchanged = async () => {
    await expect(button).not.toHaveAttribute("aria-busy", "true");
    await expect(button).toHaveText(label);
    if (form) expect(await inputs(form)).toEqual(before);
  };

  for (const [answer, words] of FAILURES) {
    const { changes } = failing;
    failing.answer = answer;
    expect(await page.getByText(words).count(), words).toBe(0);
    if (answer === "silence") await page.evaluate(() => Object.assign(window, { isSilent: true }));
    await button.click();
    await expect(page.getByText(words).first()).toBeVisible();
    if (answer === "silence") await page.evaluate(() => Reflect.deleteProperty(window, "isSilent"));
    await expectUnchanged();
    expect(failing.changes - changes).toBe(1);
    for (const toast of await page.getByRole("button", { name: "Dismiss" }).all())
      await toast.click();
  }

  await expectBusyOnce(button, failing, label);
  await expectFieldsMarked(page, {
    button,
    form: task.isPlain ? null : form,
    failing,
    within: task.within,
  });
  await expectUnchanged();
}

async function openForm(page: Page, { path, open = [], submit, typed = {} }: Task) {
  await page.goto(path);
  for (const name of open) await clickHydrated(page.getByRole("button", { name }).first());
  const scope = open.length > 0 ? page.getByRole("dialog") : page.getByRole("main");
  const named = scope.getByRole("button", { name: submit, exact: true });
  await waitUntilHydrated(named);
  // Some are called otherwise while they are busy.
  await named.evaluate((element) => element.setAttribute("data-tested", ""));
  const button = page.locator("[data-tested]");
  const form = button.locator("xpath=ancestor::form");
  if ((await form.count()) === 0) return { button, form: null };
  await fill(form, typed);
  return { button, form };
}

const waitUntilHydrated = (target: Locator) =>
  expect
    .poll(() => target.evaluate((element) => Object.keys(element).join()))
    .toContain("__reactProps");

async function clickHydrated(target: Locator) {
  await waitUntilHydrated(target);
  await target.click();
}

/** While a request is under way, the button has a label and ignores clicks. */
async function expectBusyOnce(button: Locator, failing: Failing, label: string) {
  const { changes } = failing;
  let release = () => {};
  failing.delay = new Promise((resolve) => (release = resolve));
  await button.click();
  await expect(button).toHaveAttribute("aria-busy", "true");
  // "Sign in", or "Signing in…".
  expect(await button.innerText()).toMatch(new RegExp(`^${label}$|…$`));
  await button.click();
  release();
  await expect(button).not.toHaveAttribute("aria-busy", "true");
  expect(failing.changes - changes).toBe(1);
}

async function expectFieldsMarked(
  page: Page,
  {
    button,
    form,
    failing,
    within,
  }: { button: Locator; form: Locator | null; failing: Failing; within: string | undefined },
) {
  const names = form ? await fieldNames(form) : [];
  const problems = names.map((name) => ({
    path: within ? `${within}.${name}` : name,
    code: "invalid",
    message: `There is a problem with ${name}.`,
  }));
  const message = "Several fields are invalid";
  failing.answer = error(422, "invalid", message, problems);
  await button.click();
  if (!form || names.length === 0)
    return expect(page.getByText(`${message}.`).first()).toBeVisible();
  // Fields show a single sentence without its period.
  for (const problem of problems)
    await expect(form.getByText(problem.message.slice(0, -1), { exact: true })).toBeVisible();
  await expect(form.locator("[aria-invalid=true]").first()).toBeFocused();
}

test.use({
  expectedConsoleErrors: /status of (4|5)\d\d|ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/,
});

async function expectAll(page: Page, tasks: Task[]) {
  // Many forms, each of which would be a test of its own elsewhere.
  test.slow();
  const failing = await failChanges(page);
  const failed: string[] = [];
  for (const task of tasks) {
    const name = `${task.path}: ${task.submit}`;
    await test
      .step(name, () => expectFailuresShown(page, failing, task))
      .catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
  }
  expect(failed).toEqual([]);
}

test("forms for sending and the team", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const webhook = await aWebhook(companyId, { endpoint: "https://hooks.example.com/in" });
  const event = await anEvent(webhook, { attempts: [UNAVAILABLE_ATTEMPT], status: "failed" });
  const { ben } = await aTeam(companyId);
  await expectAll(page, [
    { path: "/console/webhooks/new", submit: "Create webhook" },
    { path: `/console/webhooks/${webhook.id}`, submit: "Send test event" },
    { path: `/console/webhooks/${webhook.id}/events/${event}`, submit: "Replay event" },
    { path: "/console/api-keys/new", submit: "Create API key" },
    { path: "/console/templates/new", submit: "Create template" },
    { path: "/console/suppressions", open: ["Add suppressions"], submit: "Add suppressions" },
    { path: "/console/team", open: ["Invite admin"], submit: "Send invitation" },
    { path: "/console/team", submit: /^Resend invitation/ },
    { path: `/console/team/${ben.id}`, submit: "Remove Domains" },
    { path: `/console/team/${ben.id}`, open: ["Turn off access"], submit: "Turn off access" },
    { path: "/console/team/roles/new", submit: "Create role" },
    { path: "/console/profile", submit: "Save name" },
    { path: "/console/profile?tab=security", submit: "Change password" },
  ]);
});

test("forms for mail and domains", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const domain = await aDomain(companyId);
  const at = (name: string) => `${name}@${domain.name}`;
  await aMailbox(domain, { address: at("amy") });
  await aGroup(domain, { address: at("all"), members: [at("amy")] });
  const group = `/console/groups/${at("all")}`;
  await expectAll(page, [
    { path: "/console/mailboxes/new", submit: "Create mailbox" },
    { path: group, submit: `Remove ${at("amy")}` },
    { path: "/console/units", open: ["Create unit"], submit: "Create unit" },
    { path: "/console/settings", submit: "Save name" },
    { path: "/console/domains", open: ["Create domain"], submit: "Create domain" },
    { path: `/console/domains/${domain.id}?tab=settings`, submit: "Save subdomain" },
  ]);
});

test("forms of operators", async ({ page, signIn }) => {
  const { email } = await signIn({ isOwner: true });
  await makeOperator(email);
  const { northwind } = await companiesInEveryState();
  const company = `/console/operate/companies/${northwind.id}`;
  await expectAll(page, [
    { path: "/console/operate/companies/new", submit: "Create company" },
    { path: company, submit: "Invite owner" },
    { path: company, submit: "Save plan", within: "figures" },
    { path: company, submit: "Turn off service" },
    {
      path: company,
      open: ["Mark invoice as overdue"],
      submit: "Mark as overdue",
      within: "overdueInvoice",
    },
    { path: "/console/operate/plans", open: ["Create plan"], submit: "Create plan" },
    { path: "/console/operate/queue", open: ["Hold mail"], submit: "Hold mail" },
  ]);
});

test("forms of mailbox users", async ({ page, appliance }) => {
  const user = await aMailboxUser();
  await seedAccount(user);
  await signInWithCookie(page, appliance.url, user.cookie);
  const account = (path: string) => `${appliance.url}/account/${path}`;
  await expectAll(page, [
    {
      path: account("filters"),
      open: ["Create filter"],
      submit: "Create filter",
      within: "filters.3",
    },
    { path: account("forwarding"), submit: "Save changes" },
    { path: account("forwarding"), submit: /^Resume forwarding/ },
    { path: account("vacation"), submit: "Save changes" },
    { path: account("password"), submit: "Set password" },
    {
      path: account("app-passwords"),
      open: ["Create app password"],
      submit: "Create app password",
    },
    { path: account("sessions"), submit: /^End session of Safari/ },
  ]);
});

test("forms before signing in", async ({ page }) => {
  await expectAll(page, [
    { path: "/console/sign-in", submit: "Sign in", isPlain: true },
    { path: "/console/reset-password", submit: "Send link" },
    {
      path: "/account/sign-in",
      submit: "Sign in",
      isPlain: true,
      typed: { address: "zoe@example.net" },
    },
  ]);
});
