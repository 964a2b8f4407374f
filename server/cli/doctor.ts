import { config, type Config } from "#server/config.ts";
import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { CHECKS, runCheck } from "#server/core/operations/system-checks/checks.ts";
import {
  failed,
  type Finding,
  ok,
  unknown,
} from "#server/core/operations/system-checks/finding.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { connect, type Db } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { reachDatabase } from "#server/postgres/run-embedded.ts";

import { Display, terminalText } from "./display.mjs";
import { CommandError, ShownFailure } from "./failures.ts";
import { findDatabase } from "./running-appliance.ts";
import { findObstacle, selfCheck } from "./self-check.ts";

/**
 * Checks every part of the running appliance, sends an email through it, and prints each finding with advice.
 *
 * @throws ShownFailure if a check failed
 */
export async function examine({ json }: { json: boolean }): Promise<void> {
  const settings = config();
  const url = await databaseOf(settings);
  const display = new Display(json ? process.stderr : process.stdout);
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    findings.push(finding);
    showFinding(display, finding);
  };
  await reachDatabase(url);
  const connection = connect(url, { max: 2 });
  try {
    for (const finding of await checkParts(connection.db, settings)) report(finding);
    if (settings.roles.has("web") && settings.roles.has("mail"))
      report(await sendThrough(connection.db, settings, display));
  } finally {
    await connection.close();
  }
  if (json) console.log(JSON.stringify(findings.map(forScripts)));
  if (findings.some(({ state }) => state === "failed")) throw new ShownFailure();
}

async function databaseOf({ databaseUrl, dataFolder }: Config): Promise<string> {
  const url = databaseUrl ?? (await findDatabase(dataFolder));
  if (url) return url;
  throw new CommandError(
    `No appliance is running on ${dataFolder}. Start it, or set POSTHOUSE_DATA to its data folder`,
  );
}

async function checkParts(db: Db, settings: Config): Promise<Finding[]> {
  const around = { db, config: settings, resolver: createResolver(settings) };
  const found = await Promise.all(CHECKS.map((check) => runCheck(check, around)));
  return found.flat();
}

const RELEASE_ADVICE = "Release it under Queue in the console, then run `posthouse doctor` again";

/** Sends an email end to end. In server mode nothing can sign in to the sandbox company. */
async function sendThrough(db: Db, settings: Config, display: Display): Promise<Finding> {
  try {
    // Creating the sandbox seals secrets.
    await requireInstanceKey(db);
    const sandbox = await ensureSandbox(db, { canSignIn: settings.localMode });
    const obstacle = await findObstacle(db, sandbox);
    if (obstacle) return unknown("self-check", `Skipped because ${obstacle}`, RELEASE_ADVICE);
    await selfCheck(db, settings, sandbox, display);
    return ok(
      "self-check",
      "an email was sent through the API, signed and delivered to its mailbox",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(
      "self-check",
      reason,
      "Fix the problems above first, then check the logs named in this message",
    );
  }
}

/** Maps states to the names that scripts expect: an unknown result is a warning. */
function forScripts({ state, ...finding }: Finding) {
  const names = { ok: "ok", warning: "warning", unknown: "warning", failed: "problem" };
  return { ...finding, state: names[state] };
}

/** Shows a finding and its advice on one line. */
export function showFinding(display: Display, { part, state, found, advice }: Finding): void {
  const text = terminalText(`${part}: ${found}${advice ? `. ${advice}` : ""}`);
  if (state === "ok") display.line(`${display.green("✓")} ${text}`);
  else if (state !== "failed") display.warning(text);
  else display.failure(text);
}
