import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import type { Logger } from "pino";
import { z } from "zod";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";
import {
  countDovecotAttempt,
  type DovecotAttempt,
  recordDovecotSignIn,
} from "#server/core/mailboxes/sign-in/record-dovecot-attempt.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { isKnownNetwork } from "#server/core/access/sign-in/networks.ts";
import { sourceNetwork } from "#server/core/access/sign-in/source-network.ts";
import { normalizeAccount } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { SignInSlots } from "./sign-in-slots.ts";

export type PolicyServer = {
  port: number;
  /** Dovecot sends it with each request. */
  key: string;
  /** Nonce for the password hashes in requests. Survives restarts. */
  hashNonce: string;
  stop(): Promise<void>;
};

/** The attributes of `auth_policy_request_attributes`. */
const request = z.object({
  login: z.string(),
  pwhash: z.string(),
  remote: z.string(),
  protocol: z.string(),
  session: z.string(),
  credential: z.string().default(""),
  success: z.boolean().default(false),
});

type PolicyRequest = z.infer<typeof request>;

const BODY_BYTES_MAX = 64 * 1024;
const KEY_BYTES = 32;

type Verdict = { status: 0 | -1; msg: string };
const PASS: Verdict = { status: 0, msg: "" };

/**
 * Connects Dovecot to the sign-in throttle: Dovecot asks before it checks a password, and reports the result. Listens
 * on loopback and requires the key.
 *
 * While it is down, Dovecot allows attempts, with its own delay after each wrong password.
 */
export async function startPolicyServer({
  db,
  log,
}: {
  db: Db;
  log: Logger;
}): Promise<PolicyServer> {
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const turns = new SignInSlots();
  const server = createServer((incoming, response) => {
    void answer(incoming, { db, key, turns }).then(
      ({ status, body }) => {
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify(body));
      },
      (error: unknown) => {
        log.error({ err: error }, "could not count a sign-in attempt");
        response.writeHead(500).end();
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    key,
    hashNonce: createHmac("sha256", instanceKey()).update("dovecot policy nonce").digest("hex"),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  { db, key, turns }: { db: Db; key: string; turns: SignInSlots },
): Promise<{ status: number; body: Verdict }> {
  if (!isKey(incoming.headers.authorization, key)) return { status: 401, body: PASS };
  const parsed = request.safeParse(parse(await boundedText(incoming)));
  // Fail closed.
  if (!parsed.success) return { status: 200, body: refused("Bad request") };
  // The appliance itself, on a socket in its data folder.
  if (parsed.data.remote === "") return { status: 200, body: PASS };
  const isReport = incoming.url?.includes("command=report") === true;
  const body = isReport
    ? await handleReport(db, turns, parsed.data)
    : await checkAttempt(db, turns, parsed.data);
  return { status: 200, body };
}

const toAttempt = ({ login, pwhash, remote }: PolicyRequest): DovecotAttempt => ({
  login,
  passwordMark: pwhash,
  clientAddress: remote,
});

async function checkAttempt(db: Db, turns: SignInSlots, told: PolicyRequest): Promise<Verdict> {
  const isKnown = await isKnownNetwork(db, normalizeAccount(told.login), told.remote);
  if (!isKnown) await turns.acquire(sourceNetwork(told.remote), told.session);
  const refusal = await countDovecotAttempt(db, toAttempt(told));
  if (refusal === null) return PASS;
  turns.release(told.session);
  return refused(refusal);
}

async function handleReport(db: Db, turns: SignInSlots, told: PolicyRequest): Promise<Verdict> {
  const result = told.success ? "succeeded" : "failed";
  count("posthouse_sign_ins_total", { service: serviceName(told.protocol), result });
  if (told.success)
    await recordDovecotSignIn(db, toAttempt(told), {
      credential: told.credential,
      service: told.protocol,
    });
  turns.release(told.session);
  return PASS;
}

/** One of a fixed set, since each is a time series. */
const serviceName = (protocol: string) =>
  ["imap", "pop3", "sieve", "lmtp"].includes(protocol) ? protocol : "other";

const refused = (msg: string): Verdict => ({ status: -1, msg });

async function boundedText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("Dovecot's request is larger than expected");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function isKey(header: string | undefined, key: string): boolean {
  const given = Buffer.from(header ?? "");
  const expected = Buffer.from(`Bearer ${key}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
