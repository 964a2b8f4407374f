import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, vi } from "vitest";

import { aSmallDisk, type SmallDisk, testWithSmallDisk } from "#server/testing/a-small-disk.ts";
import { send } from "#server/testing/http-client.ts";
import { imapSignIn } from "#server/testing/imap-dialog.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  aReadyAppliance,
} from "#server/testing/start-appliance.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const ADDRESS = "you@posthouse.localhost";
const folder = mkdtempSync(join(tmpdir(), "posthouse-full-"));
let disk: SmallDisk;
let appliance: Appliance;

beforeAll(async () => {
  disk = await aSmallDisk(folder, "1g");
  appliance = await aReadyAppliance(await applianceEnv(disk.path));
});
afterAll(async () => {
  await appliance.stop();
  await disk[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function workerPid(): Promise<number | null> {
  const pids = await descendantsOf(appliance.process.pid!);
  const isWorker = (pid: number) => commandOf(pid).includes("worker/main.");
  return pids.find(isWorker) ?? null;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const isRunning = () =>
  appliance.process.exitCode === null && appliance.process.signalCode === null;

const call = (
  method: string,
  path: string,
  { body, ...headers }: { body?: object } & Record<string, unknown> = {},
) =>
  send(Number(appliance.env.PORT), method, path, {
    headers: {
      "content-type": "application/json",
      origin: `http://localhost:${appliance.env.PORT!}`,
      host: `localhost:${appliance.env.PORT!}`,
      ...(headers as Record<string, string>),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Fills the disk, leaving the appliance only the space that its files have. */
async function fillDisk(): Promise<{ free(): void }> {
  const { blocks, bfree, bsize } = statfsSync(disk.path);
  // The appliance writes meanwhile, and a file system can't be made smaller than its content.
  await disk.resize((blocks - bfree) * bsize + 32 * 1024 * 1024);
  const filler = disk.fill();
  expect(disk.freeBytes()).toBeLessThan(1024 * 1024);
  return filler;
}

testWithSmallDisk(
  "below the disk reserve, the start warns and skips the self-check, and the doctor names the disk",
  async () => {
    expect(appliance.output()).toMatch(
      /Disk: [01]\.\d+ GB free under .+\. Free up disk space: below 1\.25 GB no mail is accepted/,
    );
    expect(appliance.output()).not.toContain("Send an email through the REST API");

    const { code, stdout } = await runPosthouse(["doctor", "--json"], appliance.env);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          part: "disk",
          state: "problem",
          found: expect.stringMatching(/^[01]\.\d+ GB free under /) as string,
          advice: expect.stringContaining("no mail is accepted") as string,
        }),
        expect.objectContaining({ part: "web", state: "ok" }),
      ]),
    );
  },
);

testWithSmallDisk(
  "with a full disk, the console and the API stay readable, and sending explains why it fails",
  async () => {
    const { apiKey, password } = appliance.secrets();
    const signedIn = await call("POST", "/console/api/sessions/signIn", {
      body: { email: ADDRESS, password },
    });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers["set-cookie"]!.map((one) => one.split(";")[0]!).join("; ");
    const authorization = `Bearer ${apiKey}`;
    const filler = await fillDisk();

    for (const path of ["/console/emails", "/console/mailboxes"])
      expect(await call("GET", path, { cookie })).toMatchObject({
        status: 200,
        text: expect.stringContaining("<html") as string,
      });
    for (const name of ["sessions/getMe", "overview/get", "emails/list", "mailboxes/list"])
      expect(await call("GET", `/console/api/${name}`, { cookie })).toMatchObject({ status: 200 });
    expect(await call("GET", "/emails", { authorization })).toMatchObject({ status: 200 });

    const email = { from: ADDRESS, to: ADDRESS, subject: "Hi", text: "Hello" };
    const refused = await call("POST", "/emails", { authorization, body: email });
    expect(refused.status).toBe(500);
    const [id] = /[0-9a-f-]{36}/.exec(refused.text)!;
    expect((await call("GET", `/emails/${id}/events`, { authorization })).text).toContain(
      "Insufficient storage: the server's disk is nearly full",
    );
    // Doesn't fit into the space that Postgres has left.
    const body = { ...email, text: "x".repeat(20_000_000) };
    const failed = await call("POST", "/emails", { authorization, body });
    expect(JSON.parse(failed.text)).toMatchObject({ statusCode: 500, name: "application_error" });
    filler.free();
    await disk.resize("8g");
  },
);

testWithSmallDisk(
  "a full disk and a closed output stop neither the supervisor nor reading mail; a stopped worker is replaced",
  async () => {
    const filler = await fillDisk();
    appliance.process.stdout!.destroy();
    appliance.process.stderr!.destroy();

    const stopped = (await workerPid())!;
    process.kill(stopped, "SIGSTOP");
    await vi.waitFor(
      async () => {
        const pid = await workerPid();
        expect(pid).not.toBeNull();
        expect(pid).not.toBe(stopped);
      },
      { timeout: 60_000, interval: 500 },
    );
    expect(isRunning()).toBe(true);
    const { password } = appliance.secrets();
    expect(await imapSignIn(Number(appliance.env.IMAPS_PORT), ADDRESS, { password })).toMatch(
      /^OK /,
    );

    filler.free();
    await disk.resize("8g");
    expect(isRunning()).toBe(true);
  },
);
