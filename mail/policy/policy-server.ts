import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import type { Logger } from "pino";
import { z } from "zod";

import {
  countDovecotAttempt,
  type DovecotAttempt,
  findAccount,
  recordDovecotSignIn,
} from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { isKnownNetwork, sourceNetwork } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { isOutOfSpace, UncountedSignIns } from "./uncounted-sign-ins.ts";
import { SignInSlots } from "./sign-in-slots.ts";

export type PolicyServer = {
  port: number;
  /** Dovecot sends it with each request. */
  key: string;
  /** Marks attempts as counted by this server. */
  id: string;
  stop(): Promise<void>;
};

type Server = { db: Db; key: string; id: string; turns: SignInSlots; uncounted: UncountedSignIns };

/** The attributes of `auth_policy_request_attributes`. */
const request = z.object({
  login: z.string(),
  password: z.string(),
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
 * While it is slow or down, the password query doesn't find the attempt, so sign-in fails temporarily (`passwordQuery` in
 * mail/dovecot/sql-conf.ts).
 */
export async function startPolicyServer({
  db,
  log,
}: {
  db: Db;
  log: Logger;
}): Promise<PolicyServer> {
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const id = randomUUID();
  const uncounted = new UncountedSignIns(db);
  const own: Server = { db, key, id, turns: new SignInSlots(), uncounted };
  const server = createServer((incoming, response) => {
    void answer(incoming, own).then(
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
    id,
    async stop() {
      uncounted.stop();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  own: Server,
): Promise<{ status: number; body: Verdict }> {
  if (!isKey(incoming.headers.authorization, own.key)) return { status: 401, body: PASS };
  const parsed = request.safeParse(parse(await boundedText(incoming)));
  // Fail closed.
  if (!parsed.success) return { status: 200, body: refused("Bad request") };
  // The appliance itself, on a socket in its data folder.
  if (parsed.data.remote === "") return { status: 200, body: PASS };
  const isReport = incoming.url?.includes("command=report") === true;
  const body = isReport
    ? await handleReport(own, parsed.data)
    : await checkAttempt(own, parsed.data);
  return { status: 200, body };
}

const toAttempt = async ({ db, id }: Server, request: PolicyRequest): Promise<DovecotAttempt> => ({
  account: await findAccount(db, request.login),
  password: request.password,
  clientAddress: request.remote,
  checkKey: `${id}/${request.session}`,
});

async function checkAttempt(own: Server, told: PolicyRequest): Promise<Verdict> {
  const { db, turns } = own;
  const attempt = await toAttempt(own, told);
  const isKnown = await isKnownNetwork(db, attempt.account, told.remote);
  if (!isKnown) await turns.acquire(sourceNetwork(told.remote), told.session);
  const refusal = await countDovecotAttempt(db, attempt).catch((error: unknown) => {
    if (isOutOfSpace(error)) return own.uncounted.count(attempt);
    throw error;
  });
  if (refusal === null) return PASS;
  turns.release(told.session);
  return refused(refusal);
}

async function handleReport(own: Server, told: PolicyRequest): Promise<Verdict> {
  const { db, turns } = own;
  const result = told.success ? "succeeded" : "failed";
  count("posthouse_sign_ins_total", { service: serviceName(told.protocol), result });
  turns.release(told.session);
  if (told.success)
    await recordDovecotSignIn(db, await toAttempt(own, told), {
      credential: told.credential,
      service: told.protocol,
    });
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
