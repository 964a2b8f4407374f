import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Command } from "commander";
import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";

import { auditEntries, companies, identityProviders, people } from "#drizzle/schema/index.ts";
import { passwordMatches } from "#server/core/access/admins/password.ts";
import { authenticateKey } from "#server/core/access/api-keys/authenticate-key.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { sealAudit } from "#server/core/shared/audit/audit-seal.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import { type ReceiptClaims, signReceipt } from "#server/core/sending/receipts/receipts.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { anEmptyDatabase } from "#server/testing/databases.ts";
import { aContext } from "#server/testing/factories.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";

import { posthouseCommand } from "./commands/posthouse-command.ts";

const folder = mkdtempSync(join(tmpdir(), "posthouse-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PASSWORD = "correct horse battery";
const makeCompany = (name: string, email: string, ...rest: string[]) =>
  runPosthouse(
    ["company", "create", "--name", name, "--owner-email", email, "--owner-password", ...rest],
    {},
    [],
    `${PASSWORD}\n`,
  );

// Each command is a separate process, slow to start on a busy machine.

describe("help", () => {
  test.each([
    [
      [],
      ["start", "doctor", "ledger", "backup", "restore", "migrate", "settings", "company", "key"],
    ],
    [["start"], ["POSTHOUSE_ROLES"]],
    [["doctor"], ["--json"]],
    [["install"], ["--hostname", "--data", "--set", "--wait-for-dns", "--json"]],
    [["uninstall"], ["--delete-data", "--yes"]],
    [["version"], ["--json"]],
    [["ledger"], ["--json"]],
    [["export"], ["--company", "--out", "--mail", "--include-dkim-keys", "--json"]],
    [["import"], ["--from", "users", "suppressions"]],
    [["backup"], ["--to", "--json", "keys/backup.key"]],
    [["restore"], ["--from", "--at", "--mailbox", "--json"]],
    [["migrate"], ["--json"]],
    [["settings"], ["list", "set"]],
    [
      ["company", "create"],
      ["--name", "--owner-email", "--owner-password", "--json"],
    ],
    [
      ["company", "greylisting"],
      ["on", "off", "--company", "--json"],
    ],
    [
      ["company", "allow-passwords"],
      ["--company", "--json"],
    ],
    [
      ["mailbox", "move"],
      ["--to", "--list", "--json"],
    ],
    [
      ["receipt", "verify"],
      ["--keys", "--dns", "--json"],
    ],
    [
      ["audit", "verify"],
      ["--company", "--json"],
    ],
    [
      ["key", "create"],
      ["--company", "--as", "--name", "--permission", "--domain", "--json"],
    ],
  ])("%j lists the commands and options", (path, words) => {
    const command = path.reduce<Command | undefined>(
      (parent, name) => parent?.commands.find((each) => each.name() === name),
      posthouseCommand(),
    );
    let help = "";
    command!.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    for (const word of words) expect(help).toContain(word);
  });

  test.each([[[]], [["key", "create"]]])("%j prints it and succeeds", async (command: string[]) => {
    const { code, stdout, stderr } = await runPosthouse([...command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: posthouse /);
  });
});

test("prints the version that package.json and the changelog name", async () => {
  const root = join(import.meta.dirname, "../..");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  for (const args of [["version"], ["--version"]])
    expect(await runPosthouse(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  const { stdout } = await runPosthouse(["version", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ version, node: process.versions.node });
  const [, newest] = /^## (\S+)/m.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8"))!;
  expect(newest).toBe(version);
});

describe("company and key", () => {
  test("creates a company with an owner, and prints only the owner's working key on stdout", async () => {
    const made = await makeCompany("Acme", "Ann@Example.com");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("owner ann@example.com");

    const key = await runPosthouse([
      "key",
      "create",
      "--company",
      "acme",
      "--as",
      "ann@example.com",
      "--name",
      "Shop",
      "--permission",
      "full_access",
    ]);
    expect(key.code).toBe(0);
    expect(key.stdout).toMatch(/^ph_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}\n$/);
    expect(key.stderr).not.toContain(key.stdout.trim());
    const token = key.stdout.trim();
    expect(await authenticateKey(db(), { token, address: "127.0.0.1" })).toMatchObject({
      keyName: "Shop",
      permission: "full_access",
    });
  });

  test.each([
    ["standard input, with -", ["-"], `${PASSWORD}\n`, ""],
    ["an argument", [PASSWORD], "", "other users of this machine can see command lines"],
  ])("reads the owner's password from %s", async (from, value, input, warning) => {
    const name = `Zeta ${from}`;
    const email = `zoe-${value[0]!.length}@example.com`;
    const options = ["--name", name, "--owner-email", email, "--owner-password", ...value];
    const made = await runPosthouse(["company", "create", ...options], {}, [], input);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain(warning);
    const [owner] = await db().select().from(people).where(eq(people.email, email));
    expect(await passwordMatches(PASSWORD, owner!.passwordHash)).toBe(true);
  });

  test("asks for the owner's password if the input is empty or has several lines", async () => {
    for (const [input, reason] of [
      ["", "standard input is empty"],
      ["one\ntwo\n", "more than one line"],
    ] as const) {
      const options = ["--name", "Eta", "--owner-email", "eta@example.com", "--owner-password"];
      const refused = await runPosthouse(["company", "create", ...options], {}, [], input);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) as string });
    }
  });

  test("turns greylisting on and off for one company", async () => {
    await makeCompany("Delta", "dan@example.com");
    const switchTo = async (state: string) => {
      const ran = await runPosthouse(["company", "greylisting", state, "--company", "delta"]);
      const [company] = await db().select().from(companies).where(eq(companies.name, "Delta"));
      return { ...ran, isOn: company!.greylisting };
    };
    expect(await switchTo("on")).toEqual({
      code: 0,
      stdout: "Delta: on\n",
      stderr: "",
      isOn: true,
    });
    expect(await switchTo("perhaps")).toMatchObject({ code: 1, stdout: "", isOn: true });
    expect(await switchTo("off")).toMatchObject({ code: 0, isOn: false });
  });

  test("makes single sign-on optional for one company", async () => {
    await makeCompany("Epsilon", "eva@example.com");
    const [company] = await db().select().from(companies).where(eq(companies.name, "Epsilon"));
    const provider = { issuer: "https://id.example.com", clientId: "a", sealedClientSecret: "" };
    await db()
      .insert(identityProviders)
      .values({
        ...provider,
        companyId: company!.id,
        requiredForAdmins: true,
        allowsMailboxes: true,
        requiredForMailboxes: true,
      });
    const args = ["company", "allow-passwords", "--company", "epsilon", "--json"];
    const ran = await runPosthouse(args);
    expect(JSON.parse(ran.stdout)).toMatchObject({ single_sign_on_required: false });
    const [left] = await db().select().from(identityProviders);
    expect(left).toMatchObject({
      requiredForAdmins: false,
      requiredForMailboxes: false,
      allowsMailboxes: true,
      issuer: provider.issuer,
    });
  });

  test("--json prints ids", async () => {
    const made = await makeCompany("Beta", "ben@example.com", "--json");
    const company = JSON.parse(made.stdout) as { id: string };
    expect(company).toMatchObject({ name: "Beta", owner: { email: "ben@example.com" } });
    const key = await runPosthouse([
      "key",
      "create",
      "--company",
      company.id,
      "--as",
      "ben@example.com",
      "--name",
      "x",
      "--json",
    ]);
    expect(JSON.parse(key.stdout)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      token: expect.stringMatching(/^ph_/) as string,
    });
  });

  test("an existing admin becomes the owner of a second company and keeps the password", async () => {
    await makeCompany("Delta", "dee@example.com");
    const second = ["company", "create", "--name", "Delta Two", "--owner-email", "dee@example.com"];
    expect(await runPosthouse(second)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("dee@example.com: an admin of Delta, who") as string,
    });
    const grant = ["operator", "grant", "--email", "dee@example.com"];
    expect((await runPosthouse(grant)).stdout).toContain("an admin of Delta and Delta Two, who");
    await db().update(people).set({ emailProvenAt: null, isOperator: false });
    expect(await runPosthouse(grant)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("dee@example.com isn’t confirmed (an admin of") as string,
    });
    const [person] = await db().select().from(people).where(eq(people.email, "dee@example.com"));
    expect(await passwordMatches(PASSWORD, person!.passwordHash)).toBe(true);
  });

  test("explains an error in one line, without a stack trace", async () => {
    await makeCompany("Gamma", "gil@example.com");
    expect(await makeCompany("Gamma again", "GIL@example.com")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "posthouse: gil@example.com is already an admin on this appliance. Omit the password to make them the owner\n",
    });
    const nobody = ["key", "create", "--company", "Gamma", "--as", "a@b.test", "--name", "x"];
    expect(await runPosthouse(nobody)).toEqual({
      code: 1,
      stdout: "",
      stderr: "posthouse: Gamma has no admin a@b.test\n",
    });
  });
});

describe("settings", () => {
  test("a changed setting appears in the audit log, and in the list with its default", async () => {
    const changed = await runPosthouse(["settings", "set", "hourly_recipients_company", "900"]);
    expect(changed).toEqual({ code: 0, stdout: "hourly_recipients_company is 900\n", stderr: "" });
    const list = await runPosthouse(["settings", "list"]);
    expect(list.stdout).toMatch(/hourly_recipients_company\s+900 .*\(default 450\)/);
    expect(await db().select().from(auditEntries)).toContainEqual(
      expect.objectContaining({
        action: "setting.changed",
        actorKind: "system",
        details: { setting: "hourly_recipients_company", from: 450, to: 900 },
      }),
    );
    const json = await runPosthouse(["settings", "list", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      hourly_recipients_company: 900,
      region: "eu-central",
    });
  });

  test("rejects an unknown name and a value out of bounds", async () => {
    const unknown = await runPosthouse(["settings", "set", "speed", "9"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain('Unknown setting "speed"');
    const wrong = await runPosthouse(["settings", "set", "requests_in_progress", "0"]);
    expect(wrong.stderr).toBe(
      "posthouse: requests_in_progress must be a whole number from 1 to 10000\n",
    );
    expect(wrong.code).toBe(1);
  });
});

test("shows no DNS record for the key in local mode", async () => {
  const { code, stdout, stderr } = await runPosthouse(["receipt", "keys", "--dns"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("Local mode has no public hostname");
});

test("verifies receipts with published keys, and fails for a changed one", async () => {
  const claims = { recipient: "ann@there.test", delivered_at: "2026-11-27T10:00:00Z" };
  const receipt = { ...claims, signature: signReceipt(claims as ReceiptClaims) };
  const [file, keys] = [join(folder, "receipts.json"), join(folder, "keys.json")];
  writeFileSync(file, JSON.stringify([receipt, { ...receipt, recipient: "eve@there.test" }]));
  writeFileSync(keys, JSON.stringify(signingKeys()));
  const { code, stdout } = await runPosthouse(["receipt", "verify", file, "--keys", keys]);
  expect({ code, lines: stdout.trim().split("\n") }).toEqual({
    code: 1,
    lines: [
      "✓ ann@there.test, 2026-11-27T10:00:00Z",
      "✗ ann@there.test, 2026-11-27T10:00:00Z: recipient differs from what was signed",
    ],
  });
});

test("verifies the audit log, and fails for a changed entry", async () => {
  const [company] = await db().insert(companies).values({ name: "Audited Ltd" }).returning();
  const { id } = company!;
  await recordAudit(aContext(id), "domain.added", { name: "a.test" });
  await sealAudit(db());
  const intact = await runPosthouse(["audit", "verify"]);
  expect(intact).toMatchObject({ code: 0, stderr: "" });
  expect(intact.stdout).toMatch(/^Audited Ltd +1 +1 +✓$/m);
  await db().update(auditEntries).set({ actor: "eve" }).where(eq(auditEntries.companyId, id));
  const changed = await runPosthouse(["audit", "verify", "--company", id]);
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain("✗ Entry 1 was changed after it was sealed");
});

test("the ledger of a new database is empty and consistent", async () => {
  const { code, stdout } = await runPosthouse(["ledger", "--json"]);
  expect(code).toBe(0);
  const inOrder = { accepted: 0, unaccounted: 0 };
  expect(JSON.parse(stdout)).toMatchObject({ ...inOrder, mail: inOrder });
  const table = await runPosthouse(["ledger"]);
  expect(table.stdout.split("\n").map((line) => line.trim().split(/\s+/)[0])).toEqual([
    "Emails",
    "accepted",
    "delivered",
    "bounced",
    "failed",
    "queued",
    "scheduled",
    "canceled",
    "suppressed",
    "unaccounted",
    "",
    "Messages",
    "accepted",
    "delivered",
    "bounced",
    "queued",
    "held",
    "dropped",
    "unaccounted",
    "",
  ]);
});

describe("without an appliance", () => {
  const env = { DATABASE_URL: undefined, POSTHOUSE_DATA: join(folder, "nothing") };

  test("a read-only command creates no database and says where it looked", async () => {
    const { code, stderr } = await runPosthouse(["ledger"], env);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `posthouse: There is no database in ${env.POSTHOUSE_DATA}: start the appliance first, or set POSTHOUSE_DATA or DATABASE_URL\n`,
    );
    const doctor = await runPosthouse(["doctor"], env);
    expect(doctor).toMatchObject({ code: 1, stdout: "" });
    expect(doctor.stderr).toContain("No appliance is running on");
  });

  test("a writing command runs the database until it ends", async () => {
    const made = { ...env, POSTHOUSE_DATA: join(folder, "data") };
    expect(await runPosthouse(["migrate", "--json"], made)).toEqual({
      code: 0,
      stdout: '{"migrated":true}\n',
      stderr: "",
    });
    const { code, stdout } = await runPosthouse(["ledger", "--json"], made);
    expect({ code, accepted: (JSON.parse(stdout) as { accepted: number }).accepted }).toEqual({
      code: 0,
      accepted: 0,
    });
  });

  test("moves the database into an empty one, once", async () => {
    const stopped = { ...env, POSTHOUSE_DATA: join(folder, "data") };
    await runPosthouse(["settings", "set", "backup_keep_daily", "9"], stopped);
    const to = await anEmptyDatabase("moved");
    const moved = await runPosthouse(["move-database", "--to", to, "--json"], stopped);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(moved.stdout)).toMatchObject({ recipients: 0 });
    const connection = connect(to, { max: 1 });
    const copied =
      await connection.sql`select value from settings where name = 'backup_keep_daily'`;
    await connection.close();
    expect([...copied]).toEqual([{ value: 9 }]);

    const again = await runPosthouse(["move-database", "--to", to], stopped);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^posthouse: The database at --to already has \d+ tables\./);
  });

  test("names an invalid setting", async () => {
    const { code, stderr } = await runPosthouse(["ledger"], { PORT: "many" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'posthouse: PORT is "many": must be a port number from 1 to 65535\n',
    });
  });
});
