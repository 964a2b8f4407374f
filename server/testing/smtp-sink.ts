import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";
import { actByLocalPart, type SinkScript } from "./smtp-sink-script.ts";
import { SinkSession } from "./smtp-sink-session.ts";

type SinkMessage = {
  from: string;
  /** What followed the address in MAIL FROM. */
  parameters: string;
  recipients: string[];
  secure: boolean;
  session: number;
  /** The message, without dot-stuffing. */
  raw: Buffer;
};

export type SinkSettings = {
  /** LMTP: LHLO, and a reply for each recipient (RFC 2033). */
  lmtp: boolean;
  pipelining: boolean;
  eightBit: boolean;
  /** The SIZE that EHLO announces; null for none. */
  size: number | null;
  smtputf8: boolean;
  dsn: boolean;
  ehloRefused: boolean;
  auth: { user: string; pass: string; mechanism: "PLAIN" | "LOGIN" } | null;
  /**
   * STARTTLS with a self-signed certificate, or with bytes in clear after its 220, or without TLS after it;
   * `implicit` uses TLS from the first byte.
   */
  tls: "none" | "offered" | "injecting" | "broken" | "implicit";
  certificate: { key: string; cert: string };
  /** Delay before every reply, unless the script sets its own. */
  replyDelayMs: number;
  /** Delays reading, to simulate distance. */
  roundTripMs: number;
  /** False for benchmarks: messages are counted, not stored. */
  keep: boolean;
  script: SinkScript;
  /** Where to listen: a Unix socket path, or a loopback address with a free port. */
  path: string | null;
  host: string;
  port: number;
};

/** What the sessions of a sink record. */
export type SinkRecords = {
  script: SinkScript;
  messages: SinkMessage[];
  commands: string[];
  violations: string[];
  store(message: Omit<SinkMessage, "raw">, raw: () => Buffer): void;
};

export type SmtpSink = {
  host: string;
  port: number;
  /** Each message accepted with 250, in order. */
  messages: SinkMessage[];
  accepted(): number;
  /** The number of messages for this address. */
  received(address: string): number;
  /** Every command line of every session. */
  commands: string[];
  /** Connections ever opened, open now, and the most at the same time. */
  connections: { opened: number; open: number; most: number };
  /** Where each connection came from. */
  clients: (string | undefined)[];
  /** Can be replaced at any time. */
  setScript(script: SinkScript): void;
  /** Closes all connections, like a server that stops. */
  disconnectAll(): void;
  /** @throws Error if a client ever sent what RFC 5321 forbids, such as a bare CR or LF, or a line that starts with a dot without dot-stuffing */
  close(): Promise<void>;
};

const SETTINGS: SinkSettings = {
  lmtp: false,
  pipelining: true,
  eightBit: true,
  size: null,
  smtputf8: false,
  dsn: false,
  ehloRefused: false,
  auth: null,
  tls: "none",
  certificate: { key: PRIVATE_KEY, cert: CERTIFICATE },
  replyDelayMs: 0,
  roundTripMs: 0,
  keep: true,
  script: actByLocalPart,
  path: null,
  host: "127.0.0.1",
  port: 0,
};

/** An external mail server that stores what it receives and behaves as its script says. */
export async function anSmtpSink(options: Partial<SinkSettings> = {}): Promise<SmtpSink> {
  const settings = { ...SETTINGS, ...options };
  const { records, accepted, received } = keepRecords(settings);
  const connections = { opened: 0, open: 0, most: 0 };
  const clients: (string | undefined)[] = [];
  const sockets = new Set<Socket>();

  const server =
    settings.tls === "implicit"
      ? createTlsServer(settings.certificate, onConnection)
      : createServer(onConnection);
  function onConnection(socket: Socket) {
    sockets.add(socket);
    connections.opened++;
    clients.push(socket.remoteAddress);
    connections.most = Math.max(connections.most, ++connections.open);
    socket.on("close", () => {
      sockets.delete(socket);
      connections.open--;
    });
    new SinkSession(socket, connections.opened, settings, records);
  }
  const port = await listen(server, settings);

  const disconnectAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    server.close();
    disconnectAll();
    await once(server, "close");
    if (records.violations.length > 0) throw new Error(records.violations.join("; "));
  };
  let closing: Promise<void> | undefined;
  return {
    host: settings.host,
    port,
    messages: records.messages,
    accepted,
    received,
    commands: records.commands,
    connections,
    clients,
    setScript: (script) => (records.script = script),
    disconnectAll,
    close: () => (closing ??= close()),
  };
}

function keepRecords({ script, keep }: SinkSettings) {
  const counts = new Map<string, number>();
  let accepted = 0;
  const records: SinkRecords = {
    script,
    messages: [],
    commands: [],
    violations: [],
    store(message, raw) {
      accepted++;
      if (!keep) return;
      for (const address of message.recipients) counts.set(address, (counts.get(address) ?? 0) + 1);
      records.messages.push({ ...message, raw: raw() });
    },
  };
  return {
    records,
    accepted: () => accepted,
    received: (address: string) => counts.get(address) ?? 0,
  };
}

async function listen(server: Server, { path, host, port }: SinkSettings): Promise<number> {
  if (path === null) server.listen(port, host);
  else server.listen(path);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
