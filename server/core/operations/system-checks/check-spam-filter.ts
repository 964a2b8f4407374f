import { existsSync } from "node:fs";

import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { type OutgoingScans, outgoingScans } from "#server/core/access/companies/outgoing-scan.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { rspamdUrl } from "#server/core/mail/spam/rspamd.ts";
import type { Db } from "#server/db/client.ts";
import {
  countLearned,
  INSTALL_RSPAMD,
  learnMessage,
  pingRspamd,
  RSPAMD_BINARY,
  RspamdError,
} from "#server/gateways/rspamd.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "spam";
const AWAIT_RSPAMD =
  `It needs up to a minute to start. If it doesn't, install Debian's package with \`${INSTALL_RSPAMD}\`, ` +
  "then look at `posthouse logs --process mail`";
/** How to turn rspamd on. Images include it, so it needn't be installed there. */
const turnOnRspamd = (binary: string) =>
  `Run ${existsSync(binary) ? "" : `\`${INSTALL_RSPAMD}\` and `}\`posthouse settings set rspamd_url own\``;

const ONLY_AUTHENTICATED = "Incoming mail is checked with SPF, DKIM and DMARC only";

/**
 * Made-up words, so that learning them doesn't affect any verdict. rspamd learns the message once and then
 * reports it as known.
 */
const PROBE = Buffer.from(
  [
    "From: posthouse@posthouse.localhost",
    "Message-ID: <learning-check@posthouse.localhost>",
    "Subject: qorvel tamspire",
    "",
    "qorvel tamspire bluntrik osmevar pelidon fraskut immelvo drostan wuvrick selbanto",
    "ghirpel umbracost vindlefra korpantu ezzimar holvustre nabrickol",
    "",
  ].join("\r\n"),
);

function withoutScan({ minimum, chosen }: OutgoingScans): string {
  if (minimum !== "off") return ". Outgoing mail isn't scanned";
  if (chosen.size === 0) return "";
  return `. Outgoing mail of ${pluralize(chosen.size, "company", "companies")} isn't scanned`;
}

/**
 * Checks that rspamd scans and learns. Never `failed`, since mail is delivered without it too.
 */
export async function checkSpamFilter(
  db: Db,
  { roles }: Pick<Config, "roles">,
  binary = RSPAMD_BINARY,
): Promise<Finding> {
  const settings = await readSettings(db);
  const url = rspamdUrl(settings);
  const notScanned = withoutScan(await outgoingScans(db));
  if (url === null) {
    const found = `rspamd is off. ${ONLY_AUTHENTICATED}${notScanned}`;
    return notScanned ? warning(PART, found, turnOnRspamd(binary)) : ok(PART, found);
  }
  const isOwn = settings.rspamd_url === "own";
  if (isOwn && !roles.has("mail"))
    return ok(PART, "Each mail host runs its own rspamd. `posthouse doctor` there checks it");
  const name = isOwn ? "Posthouse's own rspamd" : `rspamd at ${url}`;
  let version: string;
  try {
    version = await pingRspamd(url);
  } catch {
    return warning(
      PART,
      `${name} does not respond. ${ONLY_AUTHENTICATED}${notScanned}`,
      isOwn
        ? AWAIT_RSPAMD
        : `${turnOnRspamd(binary)} to get spam scores, quarantine and learning from Junk`,
    );
  }
  const found = `rspamd ${version} scans incoming mail`;
  const problem = await learningProblem(url);
  if (problem !== null)
    return warning(
      PART,
      `${found} but learns nothing from Junk: ${problem}`,
      `${turnOnRspamd(binary)}, or configure a statistics backend in this rspamd`,
    );
  const { spam, ham } = await countLearned(url).catch(() => ({ spam: 0, ham: 0 }));
  return ok(PART, `${found} and learns (${spam} spam and ${ham} ham so far)`);
}

async function learningProblem(url: string): Promise<string | null> {
  try {
    const learned = await learnMessage(url, "ham", PROBE);
    return learned === "declined" ? "it declined a test message" : null;
  } catch (error) {
    if (error instanceof RspamdError) return error.message;
    throw error;
  }
}
