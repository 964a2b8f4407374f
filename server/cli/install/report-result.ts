import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { Display } from "#server/cli/display.mjs";
import { showFinding } from "#server/cli/doctor.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import type { Config } from "#server/config.ts";
import { isSetUp, setupTokenFile } from "#server/core/operations/companies/set-up.ts";
import { checkCertificates } from "#server/core/operations/system-checks/check-certificates.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import {
  findMissingRecords,
  findOptionalRecords,
  type MissingRecord,
  recordSources,
} from "#server/core/operations/system-checks/server-records.ts";
import type { Db } from "#server/db/client.ts";
import { readNoFollow } from "#server/processes/open-no-follow.ts";

import { showRecords, waitForRecords } from "./missing-records.ts";

/** Maximum wait if an admin answers yes in the terminal. */
const ASKED_WAIT_MS = 24 * 3_600_000;

const TOKEN_TIMEOUT_MS = 20_000;

/** Shows what is left to do: DNS records, the certificate, and the link to set up the first company. */
export async function reportResult(
  config: Config,
  {
    findings,
    display,
    waitMs,
    json,
  }: { findings: Finding[]; display: Display; waitMs: number; json: boolean },
): Promise<void> {
  await withDatabase(async (db) => {
    const sources = await recordSources(config);
    const find = () => findMissingRecords(db, sources);
    let missing = await find();
    const optional = await findOptionalRecords(sources);
    showMissing(display, missing);
    showOptional(display, optional);
    let certificate = await untilCertificate(db, config, hasAddresses(missing));
    showFinding(display, certificate);
    const link = (await isSetUp(db)) ? null : await setUpUrl(config);
    display.line();
    if (link) display.line(`  ${display.bold("Set up")}    ${link}`);
    display.line(`  ${display.bold("Console")}   ${config.baseUrl}/console`);
    display.line(`  ${display.bold("Commands")}  posthouse doctor, posthouse --help`);
    display.line();
    const timeoutMs = missing.length > 0 ? waitMs || (await askToWait(json)) : 0;
    if (timeoutMs > 0) {
      display.line("Waiting for these records. Ctrl-C stops waiting, not Posthouse.");
      missing = await waitForRecords(missing, { find, display, timeoutMs });
      showMissing(display, missing);
      certificate = await untilCertificate(db, config, hasAddresses(missing));
      showFinding(display, certificate);
    }
    if (json)
      console.log(
        JSON.stringify({
          hostname: config.hostname,
          url: config.baseUrl,
          set_up_url: link,
          problems: findings,
          certificate,
          missing_records: missing,
          optional_records: optional,
        }),
      );
  });
}

const hasAddresses = (missing: MissingRecord[]) =>
  !missing.some(({ type }) => type === "A" || type === "AAAA");

function showMissing(display: Display, missing: MissingRecord[]): void {
  display.line();
  if (missing.length === 0) {
    display.line(`${display.green("✓")} All DNS records of this server are published`);
    return;
  }
  display.warning("DNS records to publish for this server:");
  showRecords(display, missing);
}

function showOptional(display: Display, records: MissingRecord[]): void {
  if (records.length === 0) return;
  display.line("Optional:");
  showRecords(display, records);
}

/** The service creates the token at the end of its start. Created here, it would belong to root. */
async function setUpUrl({ baseUrl, dataFolder }: Config): Promise<string | null> {
  const deadline = performance.now() + TOKEN_TIMEOUT_MS;
  for (;;) {
    const token = readToken(dataFolder);
    if (token) return `${baseUrl}/console/set-up#${token}`;
    if (performance.now() > deadline) return null;
    await sleep(200);
  }
}

function readToken(dataFolder: string): string {
  try {
    return readNoFollow(setupTokenFile(dataFolder));
  } catch {
    // The token doesn't exist yet.
    return "";
  }
}

async function askToWait(json: boolean): Promise<number> {
  if (json || !process.stdin.isTTY) return 0;
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await dialog.question("Wait until they are published? [y/N] ");
    return /^y/i.test(answer.trim()) ? ASKED_WAIT_MS : 0;
  } finally {
    dialog.close();
  }
}

/** The worker looks every ten seconds, and an authority needs less than a minute. */
const TIMEOUT_MS = 90_000;

const POLL_MS = 1_000;

/**
 * The finding about the hostname's certificate. Waits for the first certificate if one can be issued.
 *
 * @param isPublished whether DNS has the hostname's addresses, without which no authority issues one
 */
async function untilCertificate(db: Db, config: Config, isPublished: boolean): Promise<Finding> {
  const canIssue = isPublished && config.acme !== null && config.tls === null;
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [finding] = await checkCertificates(db, config, new Date());
    if (finding!.state === "ok" || !canIssue || performance.now() > deadline) return finding!;
    await sleep(POLL_MS);
  }
}
