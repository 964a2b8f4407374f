import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

import type { Upstream } from "#server/config.ts";

import { failed, type Finding, ok } from "./finding.ts";

const ANSWER_TIMEOUT_MS = 5_000;

const PROGRAMS = {
  webmail: { title: "Webmail", path: "/webmail/", setting: "POSTHOUSE_WEBMAIL" },
  calendar: { title: "Calendars", path: "/dav/", setting: "POSTHOUSE_CALENDAR" },
} as const;

/** Checks that webmail or calendars respond, if they are on. Any status below 500 counts: without a user, they reject the request. */
export async function checkUpstream(
  part: keyof typeof PROGRAMS,
  upstream: Upstream | null,
): Promise<Finding> {
  const { title, path, setting } = PROGRAMS[part];
  if (!upstream) return ok(part, `${title}: off`);
  const place =
    "socketPath" in upstream ? upstream.socketPath : `${upstream.host}:${upstream.port}`;
  const answer = await statusOf(upstream, path);
  if (typeof answer === "number" && answer < 500) return ok(part, `Responds at ${place}`);
  return failed(
    part,
    `${title} at ${place}: ${typeof answer === "number" ? `status ${answer}` : answer}`,
    `Run \`docker compose logs ${part}${part === "webmail" ? " webmail-gate" : ""}\`, or \`journalctl -u posthouse-${part}\` without Docker. Mail and mail apps work without it. ${setting} is its address`,
  );
}

async function statusOf(upstream: Upstream, path: string): Promise<number | string> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const asked = request({ ...upstream, path, signal, agent: false }).end();
  try {
    const [{ statusCode }] = (await once(asked, "response")) as [IncomingMessage];
    return statusCode!;
  } catch (error) {
    return signal.aborted ? "no answer" : ((error as NodeJS.ErrnoException).code ?? "no HTTP");
  } finally {
    asked.on("error", () => {}).destroy();
  }
}
