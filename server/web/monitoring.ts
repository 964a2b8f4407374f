import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import ipaddr from "ipaddr.js";

import { config } from "#server/config.ts";
import {
  collectMetrics,
  metricsWithoutDatabase,
} from "#server/core/operations/monitoring/collect-metrics.ts";
import { findUnresponsiveComponents } from "#server/core/platform/processes/processes.ts";
import { pool } from "#server/db/pool.ts";

import { peerAddress } from "./caller-address.ts";
import type { Exchange, WebReply } from "./exchange.ts";

/** Short, since health checks have timeouts of their own. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Shorter than Prometheus' default scrape timeout. */
const COLLECT_TIMEOUT_MS = 8_000;

/** What proxies add. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/** `/healthz`: this process is up. */
export const liveness = (): WebReply => healthReply(200, "ok");

/** `/readyz`: the database is reachable, and all other processes of this machine's roles respond. */
export async function readiness(): Promise<WebReply> {
  const tooLate = sleep(DATABASE_TIMEOUT_MS, null, { ref: false });
  const looking = findUnresponsiveComponents(pool().db, othersHere()).catch(() => null);
  const silent = await Promise.race([looking, tooLate]);
  if (silent === null) return healthReply(503, "database unreachable");
  if (silent.length === 0) return healthReply(200, "ok");
  return healthReply(503, silent.map((part) => `${part} does not respond`).join("\n"));
}

/** This process is responding, so its own heartbeat doesn't matter. */
const othersHere = () => config().roles.difference(new Set(["web"]));

const healthReply = (status: number, text: string): WebReply => ({
  status,
  type: "text/plain",
  body: `${text}\n`,
});

/**
 * `/metrics` in the text format of Prometheus: for this machine, and for others with the token in
 * POSTHOUSE_METRICS_TOKEN.
 */
export async function metrics({ request }: Exchange): Promise<WebReply> {
  if (!isAllowed(request, config().metricsToken))
    return {
      status: 401,
      type: METRICS_TYPE,
      body: REFUSED,
      headers: { "www-authenticate": "Bearer" },
    };
  return { status: 200, type: METRICS_TYPE, body: await collectInTime() };
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const REFUSED =
  "Metrics need a token, except from this machine. Set POSTHOUSE_METRICS_TOKEN and send it as `Authorization: Bearer …`\n";

/**
 * A request from loopback counts as this machine's only if no proxy forwarded it.
 *
 * @param token null: only this machine
 */
export function isAllowed(request: IncomingMessage, token: string | null): boolean {
  const [, given] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (given !== undefined) return token !== null && isSame(given, token);
  if (ipaddr.parse(peerAddress(request.socket)).range() !== "loopback") return false;
  return FORWARDING_HEADERS.every((name) => request.headers[name] === undefined);
}

const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash("sha256").update(text).digest();

async function collectInTime(): Promise<string> {
  const tooLate = new AbortController();
  const timeout = sleep(COLLECT_TIMEOUT_MS, null, { ref: false, signal: tooLate.signal }).then(
    () => null,
    () => null,
  );
  const text = await Promise.race([collectMetrics(pool().db).catch(() => null), timeout]);
  tooLate.abort();
  return text ?? metricsWithoutDatabase();
}
