import { once } from "node:events";
import {
  type AddressInfo,
  createConnection,
  createServer,
  type Server,
  type Socket,
} from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, test, vi } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import {
  aMailboxSender,
  plain,
  submissionListeners,
} from "#server/testing/a-submission-listener.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { lockMessages, untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

import { ConnectionLifetimes, type LifetimeLimits } from "./connections.ts";

const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function aServer(life: LifetimeLimits, address = "127.0.0.1") {
  const lives = new ConnectionLifetimes(life);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}).resume();
    accepted.push(socket);
    lives.limit(socket);
  }).listen(0, address);
  await once(server, "listening");
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const connect = async () => {
    const socket = createConnection(port, "127.0.0.1").resume();
    sockets.push(socket.on("error", () => {}));
    await once(socket, "connect");
    return socket;
  };
  return { lives, accepted, connect };
}

test("received bytes extend a connection's lifetime; an idle one ends", async () => {
  const { connect } = await aServer({ lifetimeMs: 200, bytesPerSecondMin: 100 });
  const [busy, idle] = [await connect(), await connect()];
  busy.write("x".repeat(100 * 60));
  await once(idle, "close");
  expect(busy.destroyed).toBe(false);
});

test.each([
  ["an IPv4 listener", "127.0.0.1"],
  ["a listener for IPv4 and IPv6", "::"],
])("a connection to %s isn't closed before the reply to its message", async (_, address) => {
  const life = { lifetimeMs: 100, bytesPerSecondMin: 100 };
  const { lives, accepted, connect } = await aServer(life, address);
  const socket = await connect();
  let heard = "";
  socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  await vi.waitFor(() => expect(accepted).toHaveLength(1));
  // As smtp-server writes the client's address.
  const session = { remoteAddress: "127.0.0.1", remotePort: accepted[0]!.remotePort };
  await lives.whileReplying(session, () => sleep(400));
  accepted[0]!.write("250 Taken\r\n");

  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
  expect(heard).toBe("250 Taken\r\n");
});

const anMxListener = mxListeners();
const aSubmissionListener = submissionListeners();
let unlock = () => {};
afterEach(() => unlock());

const CONTENT = "C\\ From: {sender}\\r\\nSubject: Hello\\r\\n\\r\\nHello\\r\\n.\\r\\n";
const MESSAGE = (recipient: string) =>
  [
    "C: MAIL FROM:<{sender}>",
    "S: 250",
    `C: RCPT TO:<${recipient}>`,
    "S: 250",
    "C: DATA",
    "S: 354",
    CONTENT,
    "S: 250",
    "S: 421",
    "END",
  ].join("\n");

/** Stops the listener while `text` waits for its reply and another session is idle. */
async function stopDuring(
  listener: { port: number; stop: () => Promise<void> },
  text: string,
  sender: string,
): Promise<void> {
  unlock = await lockMessages();
  const idle = smtpDialog(listener.port, "S: 220\nC: EHLO app.test\nS: 250\nS: 421\nEND");
  const talking = smtpDialog(listener.port, text, { sender });
  await untilBlocked();
  const stopped = listener.stop();
  // The idle session must end first: until then the other one can't.
  await idle;
  unlock();
  await talking;
  await stopped;
}

test("the MX listener stops after it has replied to a received message", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { address: member } = await aMailbox(domain);
  const group = await aGroup(domain, { posting: "anyone", members: [member] });
  const text = ["S: 220", "C: EHLO mx.there.test", "S: 250", MESSAGE(group.address)].join("\n");
  await stopDuring(await anMxListener(), text, "ann@there.test");
  expect(await db().$count(messages)).toBe(1);
});

test("the submission listener stops after it has replied to a received message", async () => {
  const { address } = await aMailboxSender();
  const before = await db().$count(messages);
  const text = [
    "S: 220",
    "C: EHLO app.test",
    "S: 250",
    "C: STARTTLS",
    "S: 220",
    "TLS",
    "C: EHLO app.test",
    "S: 250",
    `C: AUTH PLAIN ${plain(address)}`,
    "S: 235",
    MESSAGE("ann@there.test"),
  ].join("\n");
  await stopDuring(await aSubmissionListener(), text, address);
  expect(await db().$count(messages)).toBe(before + 1);
});
