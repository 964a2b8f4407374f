import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { DAV_PATH } from "#server/gateways/calendar-store.ts";
import { startRoundcube, webmailSocket } from "#server/testing/a-webmail.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { type Appliance, applianceEnv, startAppliance } from "#server/testing/start-appliance.ts";

import { cpuMs } from "./cpu.ts";
import { familyMemory } from "./process-memory.ts";
import { median } from "./summary.ts";

// Measures the appliance alone, with webmail, and with webmail and calendars: seconds from start to ready, and memory (PSS) when idle; then what
// requests of a calendar app cost.
const { values: options } = parseArgs({
  options: {
    /** Seconds between the start and the measurement. Webmail's workers end after a minute. */
    idle: { type: "string", default: "75" },
    starts: { type: "string", default: "3" },
    requests: { type: "string", default: "300" },
  },
});

const STATES = {
  alone: [],
  webmail: ["webmail"],
  "webmail and calendars": ["webmail", "calendar"],
};
const PRINCIPAL =
  '<propfind xmlns="DAV:"><prop><current-user-principal/><displayname/></prop></propfind>';

const eventOf = (number: number) =>
  "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Posthouse//EN\r\nBEGIN:VEVENT\r\n" +
  `UID:${number}\r\nDTSTAMP:20261101T080000Z\r\nDTSTART:20261102T090000Z\r\nSUMMARY:Meeting\r\n` +
  "END:VEVENT\r\nEND:VCALENDAR\r\n";

type Companion = { pid: number; stop(): Promise<unknown> };
type Running = { appliance: Appliance; companions: Record<string, Companion> };

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const data = join(folder, "data");
const calendars = join(data, "calendars");
const calendarSocket = join(calendars, "http.sock");
await ensureBuilt();
const env = await applianceEnv(data);
let running: Running | undefined;

try {
  const rows: Record<string, Record<string, number | string>> = {};
  for (const [state, names] of Object.entries(STATES)) {
    const seconds: number[] = [];
    // The first one prepares the data folder.
    for (let started = 0; started <= Number(options.starts); started++) {
      await stop();
      const startedAt = performance.now();
      await start(names, join(folder, `${state} ${started}`));
      seconds.push((performance.now() - startedAt) / 1000);
    }
    await delay(Number(options.idle) * 1000);
    rows[state] = { seconds: median(seconds.slice(1)).toFixed(1), ...memory(running!) };
  }
  console.table(rows);
  console.table(await calendarRequests(running!));
} finally {
  await stop();
  await rm(folder, { recursive: true, force: true });
}

/** Starts everything at the same time, and waits until all of it responds. */
async function start(names: string[], own: string): Promise<void> {
  const url = `http://127.0.0.1:${env.PORT!}`;
  const ports = { imaps: Number(env.IMAPS_PORT), submissions: Number(env.SUBMISSIONS_PORT) };
  await mkdir(own);
  const sockets = {
    ...(names.includes("webmail") && { POSTHOUSE_WEBMAIL: `unix:${webmailSocket(own)}` }),
    ...(names.includes("calendar") && { POSTHOUSE_CALENDAR: `unix:${calendarSocket}` }),
  };
  running = { appliance: startAppliance({ ...env, ...sockets }), companions: {} };
  const { appliance, companions } = running;
  if (names.includes("calendar")) companions.calendar = startRadicale();
  if (names.includes("webmail")) companions.webmail = await startRoundcube(own, { url, ...ports });
  await appliance.says("Posthouse is ready");
  if (names.includes("webmail")) await responds(webmailSocket(own), "/webmail/");
  if (names.includes("calendar")) await responds(calendarSocket, `${DAV_PATH}/`);
}

function startRadicale(): Companion {
  const program = join(import.meta.dirname, "../docker/calendar/start.sh");
  // As the user of the web process, which uses the collections.
  const { uid, gid } = statSync(join(data, "mail"));
  mkdirSync(calendars, { recursive: true });
  chownSync(calendars, uid, gid);
  const child = spawn(program, { env: { ...process.env, CALENDAR_DATA: calendars }, uid, gid });
  const ended = once(child, "exit");
  return { pid: child.pid!, stop: () => (child.kill(), ended) };
}

async function stop(): Promise<void> {
  await running?.appliance.stop();
  for (const companion of Object.values(running?.companions ?? {})) await companion.stop();
  running = undefined;
}

function memory({ appliance, companions }: Running): Record<string, string> {
  const pids = { appliance: { pid: appliance.process.pid! }, ...companions };
  const sizes = Object.entries(pids).map(([name, { pid }]) => [name, familyMemory(pid).total]);
  return Object.fromEntries(sizes.map(([name, size]) => [`${name} MB`, Number(size).toFixed(0)]));
}

/** Time and CPU time of requests one after another, in milliseconds. Each sends the password, as apps do. */
async function calendarRequests({ appliance, companions }: Running) {
  const credentials = `you@${SANDBOX_DOMAIN}:${appliance.secrets().password}`;
  const headers = { authorization: `Basic ${btoa(credentials)}`, depth: "0" };
  const ask = async (method: string, path: string, body: string | null = null) => {
    const answer = await fetch(`http://127.0.0.1:${env.PORT!}${path}`, { method, headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  const principal = await ask("PROPFIND", `${DAV_PATH}/`, PRINCIPAL);
  const home = /<href>([^<]+@[^<]+|[^<]+%40[^<]+)<\/href>/.exec(principal)![1]!;
  const file = (number: number) => `${home}calendar/${number}.ics`;
  const kinds: Record<string, (number: number) => Promise<string>> = {
    "Find the calendars": () => ask("PROPFIND", home, PRINCIPAL),
    "Create an event": (number) => ask("PUT", file(number), eventOf(number)),
    "Read an event": (number) => ask("GET", file(number)),
  };
  const rows: Record<string, Record<string, string>> = {};
  const [ours, theirs] = [appliance.process.pid!, companions.calendar!.pid];
  for (const [kind, run] of Object.entries(kinds)) {
    const before = [performance.now(), cpuMs(ours), cpuMs(theirs)];
    for (let number = 0; number < Number(options.requests); number++) await run(number);
    const after = [performance.now(), cpuMs(ours), cpuMs(theirs)];
    const [time, own, radicale] = after.map((value, i) =>
      ((value - before[i]!) / Number(options.requests)).toFixed(1),
    );
    rows[kind] = { time: time!, "CPU of Posthouse": own!, "CPU of Radicale": radicale! };
  }
  return rows;
}

/** Waits for a server that hasn't started yet. */
async function responds(socketPath: string, path: string): Promise<void> {
  for (;;)
    try {
      await once(request({ socketPath, path, agent: false }).end(), "response");
      return;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["ENOENT", "ECONNREFUSED"].includes(code)) throw error;
      await delay(20);
    }
}
