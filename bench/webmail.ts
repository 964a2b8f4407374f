import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request, type RequestOptions } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { DAV_PATH, davHeaders } from "#server/gateways/calendar-store.ts";
import { startRoundcube, webmailSocket } from "#server/testing/a-webmail.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { type Appliance, applianceEnv, startAppliance } from "#server/testing/start-appliance.ts";

import { familyMemory } from "./process-memory.ts";
import { median } from "./summary.ts";

// Measures the appliance alone, with webmail, and with webmail and calendars: seconds from start to ready, and memory (PSS) when idle. Then
// requests of a calendar app through the web process, beside the same requests to Radicale itself.
const { values: options } = parseArgs({
  options: {
    /** Seconds between the start and the measurement. Webmail's workers end after a minute. */
    idle: { type: "string", default: "75" },
    starts: { type: "string", default: "3" },
    requests: { type: "string", default: "500" },
  },
});
const STATES = {
  alone: [],
  webmail: ["webmail"],
  "webmail and calendars": ["webmail", "calendar"],
};
const USER = "you@posthouse.localhost";
const EVENT = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:bench", "BEGIN:VEVENT", "UID:a"]
  .concat("DTSTAMP:20261101T080000Z", "DTSTART:20261102T090000Z", "SUMMARY:Meeting")
  .concat("END:VEVENT", "END:VCALENDAR", "")
  .join("\r\n");

type Companion = { pid: number; stop(): Promise<unknown> };
type Running = { appliance: Appliance; companions: Record<string, Companion> };

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const data = join(folder, "data");
const calendars = join(data, "calendars");
const calendarSocket = join(calendars, "http.sock");
const agent = new Agent({ keepAlive: true });
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
  await compareRequests(running!.appliance);
} finally {
  await stop();
  agent.destroy();
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
  const responds = (socketPath: string, path: string) => ask({ socketPath, path });
  if (names.includes("webmail")) await responds(webmailSocket(own), "/webmail/");
  if (names.includes("calendar")) await responds(calendarSocket, `${DAV_PATH}/`);
}

function startRadicale(): Companion {
  const program = join(import.meta.dirname, "../docker/calendar/start.sh");
  const child = spawn(program, { env: { ...process.env, CALENDAR_DATA: calendars } });
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

/** Waits for a server that hasn't started yet. */
async function ask(asked: RequestOptions, body = ""): Promise<string> {
  for (;;)
    try {
      const [answer] = (await once(request({ ...asked, agent }).end(body), "response")) as [
        IncomingMessage,
      ];
      return await text(answer);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["ENOENT", "ECONNREFUSED"].includes(code)) throw error;
      await delay(20);
    }
}

async function compareRequests({ secrets }: Appliance): Promise<void> {
  const credentials = Buffer.from(`${USER}:${secrets().password}`).toString("base64");
  const front = { port: Number(env.PORT), headers: { authorization: `Basic ${credentials}` } };
  const principal = "<propfind xmlns='DAV:'><prop><current-user-principal/></prop></propfind>";
  const found = await ask({ ...front, path: `${DAV_PATH}/`, method: "PROPFIND" }, principal);
  const home = /<href>(\/dav\/[^<]+)<\/href>/.exec(found.split("current-user-principal")[1]!)![1]!;
  const radicale = {
    socketPath: calendarSocket,
    headers: davHeaders(decodeURIComponent(home.split("/")[2]!)),
  };
  const path = `${home}calendar/a.ics`;
  for (const [method, body] of Object.entries({ PUT: EVENT, GET: "", PROPFIND: "" })) {
    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < Number(options.requests); i++)
      for (const [place, server] of [front, radicale].entries()) {
        const begin = performance.now();
        await ask({ ...server, path, method }, body);
        times[place]!.push(performance.now() - begin);
      }
    const [through, direct] = [median(times[0]), median(times[1])];
    const ratio = (through / direct).toFixed(2);
    console.log(`${method}: ${through.toFixed(2)} ms, Radicale ${direct.toFixed(2)} ms: ${ratio}`);
  }
}
