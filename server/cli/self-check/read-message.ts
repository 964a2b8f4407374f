import { ImapFlow } from "imapflow";

import type { Config } from "#server/config.ts";
import { localAddress } from "#server/core/operations/system-checks/local-address.ts";
import { loadCertificate, loadSelfSigned } from "#server/core/platform/tls/certificate.ts";

import type { Check } from "./self-check.ts";

/**
 * Reads the email from the sandbox mailbox over IMAP with TLS, and deletes the emails of earlier checks.
 *
 * @returns the message's bytes
 * @throws Error if Dovecot fails or the message isn't there
 */
export async function readMessage(check: Check): Promise<Buffer> {
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

async function openMailbox({ config, sandbox }: Check): Promise<ImapFlow> {
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
