import { setTimeout as sleep } from "node:timers/promises";

import { ImapFlow } from "imapflow";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";

import type { Config } from "#server/config.ts";
import { readHolds } from "#server/core/operations/queue/holds.ts";
import { type Sandbox, sandboxResolver } from "#server/core/operations/sandbox/sandbox.ts";
import { localAddress, localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { loadCertificate, loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import type { Db } from "#server/db/client.ts";

import type { Display } from "./display.mjs";

const TIMEOUT_MS = 30_000;

export type SelfCheck = {
  db: Db;
  config: Config;
  sandbox: Sandbox;
  /** Root of the API on this machine. */
  apiUrl: string;
  subject: string;
  /** Aborts what a step waits for. */
  signal: AbortSignal;
};

/**
 * Returns why the sandbox company's mail can't be delivered even if every part works, such as a hold after a restore; null if
 * it can.
 */
export async function findObstacle(db: Db, sandbox: Sandbox): Promise<string | null> {
  const holds = await readHolds(db);
  if (!holds.covers(sandbox.companyId, sandbox.domain)) return null;
  return "outgoing mail of the sandbox company is on hold";
}

/**
 * Tests this appliance end to end: sends an email through the REST API, waits for its delivery, reads it over
 * IMAP and verifies its DKIM signature. Shows each step with its duration.
 *
 * @throws Error that names the failed part and where to look, within 30 s
 */
export async function selfCheck(
  db: Db,
  config: Config,
  sandbox: Sandbox,
  display: Display,
): Promise<void> {
  const check: SelfCheck = {
    db,
    config,
    sandbox,
    apiUrl: `http://${localUrlHost(config.bind)}:${config.ports.web}`,
    subject: `Self-check of ${new Date().toISOString()}`,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  let id = "";
  let message: Buffer = Buffer.alloc(0);
  await display.step(
    "Send an email through the REST API",
    async () => (id = await sendEmail(check)),
  );
  await display.step("Wait for email.delivered", () => awaitDelivery(check, id));
  await display.step("Read it over IMAP", async () => {
    message = await readOverImap(check);
    return `${message.length} bytes`;
  });
  await display.step("Verify its DKIM signature", () => verifySignature(check, message));
}

/** Sends an email to the sandbox mailbox through the API. Returns its id. */
async function sendEmail(check: SelfCheck): Promise<string> {
  const { sandbox, subject } = check;
  const answer = await callApi(check, "POST", "/emails", {
    from: `Posthouse <self-check@${sandbox.domain}>`,
    to: sandbox.mailbox.address,
    subject,
    text: "Posthouse sent this email to its own test mailbox to check that sending and receiving work.",
    html: "<p>Posthouse sent this email to its own test mailbox to check that sending and receiving work.</p>",
  });
  if (typeof answer.id !== "string")
    throw new Error("the API's response has no id: see `posthouse logs --process web`");
  return answer.id;
}

const LOOK_EVERY_MS = 150;

type Event = { type: string; message?: string | null; reason?: string | null };

/**
 * Polls the email's history until its recipient has an outcome.
 *
 * @throws Error if the outcome isn't `email.delivered` or doesn't come in time
 */
async function awaitDelivery(check: SelfCheck, id: string): Promise<void> {
  let last: Event | undefined;
  while (!check.signal.aborted) {
    const { data } = await callApi(check, "GET", `/emails/${id}/events?limit=100`);
    const events = data as Event[];
    last = events.at(-1);
    if (events.some(({ type }) => type === "email.delivered")) return;
    const failure = events.find(({ type }) => /^email\.(bounced|failed|suppressed)$/.test(type));
    if (failure) throw new Error(`${describe(failure)}: see \`posthouse logs\``);
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(
    `not delivered in time (last event: ${last ? describe(last) : "none"}). Check that the worker is running, and see \`posthouse logs --process worker\``,
  );
}

const describe = ({ type, message, reason }: Event): string =>
  [type, message ?? reason].filter(Boolean).join(", ");

/**
 * Calls the REST API with the sandbox company's key.
 *
 * @throws Error with the API's message unless it answers 200
 */
async function callApi(
  { apiUrl, sandbox, signal }: SelfCheck,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    signal,
    headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`web does not respond at ${apiUrl}: see \`posthouse logs --process web\``, {
      cause: error,
    });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Record<string, unknown>;
  throw new Error(
    `${method} ${path.split("?")[0]!} returned ${response.status} ${text.slice(0, 300)}: see \`posthouse logs --process web\``,
  );
}

/**
 * Reads the email from the sandbox mailbox over IMAP with TLS, and deletes the emails of earlier checks.
 *
 * @returns the message's bytes
 * @throws Error if Dovecot fails or the message isn't there
 */
export async function readOverImap(check: SelfCheck): Promise<Buffer> {
  const client = await openMailbox(check);
  const close = () => client.close();
  check.signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    const lock = await client.getMailboxLock("INBOX");
    try {
      return await fetchAndTidy(client, check.subject);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw new Error(`${reasonOf(error)}: see \`posthouse logs --process mail\``, { cause: error });
  } finally {
    check.signal.removeEventListener("abort", close);
    close();
  }
}

async function openMailbox({ config, sandbox }: SelfCheck): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: localAddress(config.bind),
    port: config.ports.imaps,
    secure: true,
    servername: config.hostname,
    tls: { ca: await trustedCertificates(config), allowPartialTrustChain: true },
    auth: { user: sandbox.mailbox.address, pass: sandbox.mailbox.password },
    logger: false,
  });
  // Errors also reject the call in progress; without a listener they would end the process.
  client.on("error", () => {});
  return client;
}

/**
 * The configured certificate only: it may come from the operator's own CA. Without one, the self-signed one too:
 * Dovecot presents it for a few seconds after the first certificate was issued.
 */
async function trustedCertificates(config: Config): Promise<string[]> {
  const now = new Date();
  const { certificate } = await loadCertificate(config, now);
  if (config.tls) return [certificate];
  return [certificate, (await loadSelfSigned({ ...config, now })).certificate];
}

async function fetchAndTidy(client: ImapFlow, subject: string): Promise<Buffer> {
  const found = await client.search({ subject }, { uid: true });
  const uid = found ? found.at(-1) : undefined;
  const message = uid ? await client.fetchOne(String(uid), { source: true }, { uid: true }) : false;
  if (!uid || !message || !message.source)
    throw new Error("the message was delivered but is not in the mailbox");
  const checks = await client.search({ subject: "Self-check of" }, { uid: true });
  const earlier = (checks || []).filter((each) => each !== uid);
  if (earlier.length > 0) await client.messageDelete(earlier.join(","), { uid: true });
  return message.source;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("responseText" in error && typeof error.responseText === "string")
    return `IMAP: ${error.responseText}`;
  return error.message || "IMAP does not respond";
}

/**
 * Verifies the sandbox domain's DKIM signature on a message (RFC 6376).
 *
 * @returns the selector that signed it
 * @throws Error if it is missing or invalid
 */
async function verifySignature({ db, sandbox }: SelfCheck, message: Buffer): Promise<string> {
  const { results } = await dkimVerify(message, { resolver: sandboxResolver(db) });
  const ours = results.filter(({ signingDomain }) => signingDomain === sandbox.domain);
  const good = ours.find(({ status }) => status.result === "pass");
  if (good) return `selector ${good.selector}`;
  const found = ours.map(({ status }) => `${status.result} ${status.comment ?? ""}`.trim());
  throw new Error(
    `${found.join(", ") || `no signature of ${sandbox.domain}`}: see \`posthouse logs --process worker\`, and keys/instance.key in the data folder`,
  );
}
