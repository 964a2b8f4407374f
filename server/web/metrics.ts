import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import ipaddr from "ipaddr.js";

import { config } from "#server/config.ts";
import {
  collectMetrics,
  metricsWithoutDatabase,
} from "#server/core/operations/monitoring/collect-metrics.ts";
import { pool } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { peerAddress } from "./caller-address.ts";

const logger = createLogger("metrics");

/** Shorter than Prometheus' default scrape timeout. */
const COLLECT_TIMEOUT_MS = 8_000;

/** What proxies add. `front` replaces x-forwarded-for, so look at the headers as received. */
const FORWARDING_HEADERS = new Set(["x-forwarded-for", "forwarded", "via", "x-real-ip"]);

/**
 * Answers `/metrics` in the text format of Prometheus: to this machine, and to others with the token in
 * POSTHOUSE_METRICS_TOKEN. Returns whether it handled the request.
 */
export function answerMetrics(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url?.split("?", 1)[0] !== "/metrics") return false;
  if (!isAllowed(request, config().metricsToken)) {
    response.setHeader("www-authenticate", "Bearer");
    write(response, 401, REFUSED);
  } else if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    write(response, 405, "Method not allowed\n");
  } else
    collectInTime().then(
      (text) => write(response, 200, text),
      (err: unknown) => {
        logger.error({ err }, "failed to format metrics");
        write(response, 500, "Internal error\n");
      },
    );
  return true;
}

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
  return !request.rawHeaders.some(
    (name, at) => at % 2 === 0 && FORWARDING_HEADERS.has(name.toLowerCase()),
  );
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

function write(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
    })
    .end(text);
}
