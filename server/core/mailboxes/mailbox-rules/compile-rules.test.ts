import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { MailFilter, Vacation } from "#drizzle/schema/index.ts";
import { type SieveTools, sieveTools } from "#server/testing/sieve.ts";

import { compileRules, type Rules } from "./compile-rules.ts";
import { NO_RULES } from "./mailbox-rules.ts";

const OWN = ["ann@example.com", "a.lee@example.com"];

let sieve: SieveTools;
beforeAll(async () => {
  sieve = await sieveTools(OWN[0]!);
});
afterAll(() => sieve.stop());

const script = (rules: Partial<Rules>) => compileRules({ ...NO_RULES, ...rules }, OWN);

const MESSAGE = [
  `From: "Billing, Example" <bills@example.net>`,
  "To: ann@example.com",
  "Cc: team@example.com",
  "Subject: Your invoice 42",
  "",
  "Hello",
].join("\r\n");

const doneWith = (rules: Partial<Rules>, message = MESSAGE) =>
  sieve.actions(script(rules), message);

function aFilter(overrides: Partial<MailFilter> = {}): MailFilter {
  return {
    name: "Invoices",
    isOn: true,
    match: "all",
    conditions: [{ field: "subject", test: "contains", value: "INVOICE" }],
    action: { kind: "file", folder: "Bills" },
    ...overrides,
  };
}

const aVacation = (overrides: Partial<Vacation> = {}): Vacation => ({
  isOn: true,
  subject: "Away",
  text: "Back soon",
  startsOn: null,
  endsOn: null,
  timeZone: "UTC",
  ...overrides,
});

test("compiles empty rules to an empty script", () => {
  expect(script({})).toBe("");
  expect(script({ filters: [aFilter({ isOn: false })] })).toBe("");
  expect(script({ vacation: aVacation({ isOn: false }) })).toBe("");
});

describe("a filter", () => {
  test.each<[string, MailFilter["conditions"][number], boolean]>([
    ["part of the subject", { field: "subject", test: "contains", value: "invoice" }, true],
    ["a partial match with is", { field: "subject", test: "is", value: "inv" }, false],
    ["the whole", { field: "subject", test: "is", value: "your INVOICE 42" }, true],
    ["the sender's name", { field: "from", test: "contains", value: "billing, ex" }, true],
    ["the sender's address", { field: "from", test: "is", value: "Bills@example.net" }, true],
    ["half of the address", { field: "from", test: "is", value: "bills" }, false],
    ["a recipient in Cc", { field: "to", test: "is", value: "team@example.com" }, true],
    ["a literal asterisk", { field: "subject", test: "contains", value: "*" }, false],
  ])("checks %s", async (_, condition, fits) => {
    const done = await doneWith({ filters: [aFilter({ conditions: [condition] })] });
    expect(done).toContain(fits ? "Bills" : "INBOX");
    expect(done.includes("Bills")).toBe(fits);
  });

  test("requires all or any of its conditions", async () => {
    const conditions: MailFilter["conditions"] = [
      { field: "subject", test: "contains", value: "invoice" },
      { field: "from", test: "contains", value: "no-match" },
    ];
    const all = await doneWith({ filters: [aFilter({ conditions, match: "all" })] });
    const any = await doneWith({ filters: [aFilter({ conditions, match: "any" })] });
    expect([all.includes("Bills"), any.includes("Bills")]).toEqual([false, true]);
  });

  test("applies the first matching filter that moves mail, and all that mark it", async () => {
    const done = await doneWith({
      filters: [
        aFilter({ action: { kind: "file", folder: "First/Grüße" } }),
        aFilter({ action: { kind: "file", folder: "Second" } }),
        aFilter({ action: { kind: "flag" } }),
        aFilter({ action: { kind: "read" } }),
      ],
    });
    expect(done).toMatch(/First\/Grüße/);
    expect(done).not.toContain("Second");
    expect(done).toMatch(/\\flagged/i);
    expect(done).toMatch(/\\seen/i);
  });

  test("neither forwards nor replies to deleted mail", async () => {
    const done = await doneWith({
      filters: [aFilter({ action: { kind: "discard" } })],
      forwardTo: ["ben@example.org"],
      vacation: aVacation(),
    });
    expect(done).toMatch(/discard/);
    expect(done).not.toMatch(/redirect|vacation|store/);
  });
});

describe("forwarding", () => {
  const forwardTo = ["ben@example.org", "cy@example.org"];

  test("keeps a copy in the folder a filter chose", async () => {
    expect(await doneWith({ forwardTo })).toMatch(/ben@example\.org[^]*cy@example\.org[^]*INBOX/);
    const filed = await doneWith({ forwardTo, filters: [aFilter()] });
    expect(filed).toMatch(/Bills/);
    expect(filed).toMatch(/ben@example\.org/);
  });

  test("keeps no copy if turned off, whatever the filters", async () => {
    const done = await doneWith({ forwardTo, keepCopy: false, filters: [aFilter()] });
    expect(done).toMatch(/ben@example\.org/);
    expect(done).not.toMatch(/Bills|INBOX/);
    expect(done).toMatch(/Implicit keep:\s+\(none\)/);
  });

  test("keeps mail without a forwarding address", async () => {
    expect(await doneWith({ keepCopy: false, filters: [aFilter()] })).toContain("Bills");
  });
});

describe("the vacation reply", () => {
  const day = (fromToday: number) =>
    new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10);

  test.each([
    ["without days", null, null, true],
    ["from today to today", day(0), day(0), true],
    ["from tomorrow", day(1), null, false],
    ["until yesterday", null, day(-1), false],
    ["since yesterday", day(-1), null, true],
    ["until tomorrow", null, day(1), true],
  ])("%s", async (_, startsOn, endsOn, isReplied) => {
    const done = await doneWith({ vacation: aVacation({ startsOn, endsOn }) });
    expect(done.includes("vacation")).toBe(isReplied);
    expect(done).toContain("INBOX");
  });

  test("applies from midnight to midnight in the user's time zone", () => {
    const text = script({
      vacation: aVacation({
        startsOn: "2026-10-24",
        endsOn: "2026-10-25",
        timeZone: "Europe/Berlin",
      }),
    });
    // Daylight saving time ends in between.
    expect(text).toContain(`"ge" "iso8601" "2026-10-23T22:00:00"`);
    expect(text).toContain(`"lt" "iso8601" "2026-10-25T23:00:00"`);
  });

  test("replies to mail sent to an alias", async () => {
    const toAlias = MESSAGE.replace("ann@", "a.lee@");
    expect(script({ vacation: aVacation() })).toContain(`["ann@example.com", "a.lee@example.com"]`);
    expect(await doneWith({ vacation: aVacation() }, toAlias)).toContain("vacation");
  });
});

test("quotes any text and compiles", async () => {
  const nasty = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
    fc.stringMatching(/^["\\\r\n.;{}[\]:${}x\n]{1,40}$/),
    fc.constantFrom(
      `"; discard; stop;\r\nredirect "x@y.example`,
      "text:\r\nx\r\n.\r\ndiscard;",
      "a\r\n.\r\nb",
      "${hex:22}; discard;",
      "\\",
      '\\"',
      "/* x */ # y",
      "redirect :copy x\n  fileinto :create",
    ),
  );
  const text = nasty.map((given) => given.replaceAll("\0", "").toWellFormed() || "x");
  const condition = fc.record({
    field: fc.constantFrom("from" as const, "to" as const, "subject" as const),
    test: fc.constantFrom("contains" as const, "is" as const),
    value: text,
  });
  const filter = fc.record({
    name: text,
    isOn: fc.boolean(),
    match: fc.constantFrom("all" as const, "any" as const),
    conditions: fc.array(condition, { minLength: 1, maxLength: 4 }),
    action: fc.oneof(
      fc.record({ kind: fc.constant("file" as const), folder: text }),
      fc.constantFrom({ kind: "flag" as const }, { kind: "read" as const }),
      fc.constant({ kind: "discard" as const }),
    ),
  });
  const day = fc.option(fc.constantFrom("2026-03-29", "2026-12-31"));
  const vacation = fc.record({
    isOn: fc.boolean(),
    subject: text,
    text,
    startsOn: day,
    endsOn: day,
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Pacific/Apia", "America/St_Johns"),
  });
  const rules = fc.record({
    forwardTo: fc.subarray(["a@b.example", "c'd@e.example", "f$g@h.example"]),
    keepCopy: fc.boolean(),
    vacation: fc.option(vacation),
    filters: fc.array(filter, { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(rules, async (given) => {
      const made = compileRules(given, OWN);
      await sieve.compile(made);
      // Outside of strings, the script contains only known Sieve words.
      const bare = made.replace(/"(?:[^"\\]|\\[^])*"/g, '""');
      expect(bare).toMatch(/^[a-zA-Z0-9:;,"{}()[\]\s]*$/);
      expect(bare.match(/redirect/g)?.length ?? 0).toBe(given.forwardTo.length);
      expect(bare.match(/vacation/g)?.length ?? 0).toBe(given.vacation?.isOn ? 1 : 0);
    }),
    { numRuns: 60 },
  );
});
