import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createDAVClient } from "tsdav";
import { vi } from "vitest";

import type { Mailbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";
import { programFile } from "#server/processes/program-file.ts";
import { createWebServer } from "#server/web/create-web-server.ts";

import { send } from "./http-client.ts";
import { PLAIN_HTTP, saying } from "./plain-http.ts";

/** Starts Radicale as its image does, with collections in the data folder. */
export async function aCalendarServer(
  dataFolder: string,
  environment: Record<string, string> = {},
) {
  const data = join(dataFolder, "calendars");
  const child: ChildProcess = spawn(programFile("docker/calendar/start.sh"), {
    env: { ...process.env, CALENDAR_DATA: data, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const socketPath = join(data, "http.sock");
  await vi.waitFor(() => {
    if (!existsSync(socketPath)) throw new Error("Radicale hasn't started");
  });
  return {
    socketPath,
    ended: once(child, "exit"),
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** The password of mailboxes that the factory creates. */
const PASSWORD = "test password";

export const basic = (address: string, password = PASSWORD) =>
  `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;

export type DavRequest = {
  as: Mailbox;
  password?: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Radicale behind this process's web server, with a data folder of its own. */
export async function aCalendarFront() {
  // In memory if there is room, since Radicale flushes each event to disk.
  const memory = await freeBytesAt("/dev/shm").catch(() => 0);
  const parent = memory > 2 * DISK_RESERVE_BYTES ? "/dev/shm" : tmpdir();
  const folder = await mkdtemp(join(parent, "posthouse-test-calendar-"));
  config().dataFolder = folder;
  const radicale = await aCalendarServer(folder);
  config().calendar = { socketPath: radicale.socketPath };
  const front = createWebServer(PLAIN_HTTP, { api: saying("api"), pages: saying("pages") });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  return {
    folder,
    port,
    ask: (method: string, path: string, { as, password, headers = {}, body }: DavRequest) =>
      send(port, method, path, {
        headers: { authorization: basic(as.address, password), ...headers },
        ...(body !== undefined && { body }),
      }),
    client: (type: "caldav" | "carddav", { address }: Mailbox) =>
      createDAVClient({
        serverUrl: `http://127.0.0.1:${port}`,
        credentials: { username: address, password: PASSWORD },
        authMethod: "Basic",
        defaultAccountType: type,
      }),
    async stop() {
      front.close();
      front.closeAllConnections();
      await radicale.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The status of a PUT that replaces an event: 201 from Radicale 3.1, 204 from 3.5. */
export const REPLACED = [201, 204];

/** The path of a mailbox's calendars and address books. */
export const davHome = ({ store }: Mailbox) => `/dav/${store.split("/").toReversed().join("@")}`;

/** An event in November 2026, with further lines. */
export const anEvent = (uid: string, summary: string, ...lines: string[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Test//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20261101T080000Z",
    "DTSTART:20261102T090000Z",
    "DTEND:20261102T100000Z",
    `SUMMARY:${summary}`,
    ...lines,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
