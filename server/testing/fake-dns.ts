import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket as TcpSocket } from "node:net";

import {
  type Answer,
  AUTHENTIC_DATA,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  streamDecode,
  streamEncode,
  TRUNCATED_RESPONSE,
} from "dns-packet";

const RCODE = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const UDP_BYTES_MAX = 1232;
/** A realistic TTL, so that a cache would show. */
const TTL_S = 300;

/** Instead of records: the server returns SERVFAIL or REFUSED, or doesn't respond. */
type Silence = "SERVFAIL" | "REFUSED" | "TIMEOUT";
type RecordType = "A" | "AAAA" | "MX" | "CNAME" | "NS" | "PTR" | "TLSA" | "SOA";
type NameRecords = Partial<Record<RecordType, string[] | Silence>> & {
  /** A record as its strings (`["v=DKIM1; ", "p=…"]`), or as one text that is split as needed. */
  TXT?: (string | string[])[] | Silence;
};

/**
 * Names in lowercase, without the trailing dot. Records as in a zone file: `{ MX: ["10 mx.example.test"]
 * }`, the null MX is `"0 ."`. Other names don't exist, unless a wildcard (`*.example.test`) matches.
 */
export type Zones = Record<string, NameRecords | Silence>;

export type FakeDns = {
  address: string;
  port: number;
  /** Names whose records and denials are signed, like a validating resolver reports them. */
  secure: Set<string>;
  /** Can be changed at any time and applies from the next query. */
  records: Zones;
  /** `"MX example.test"`, in order. */
  questions: string[];
  close(): Promise<void>;
};

/**
 * A DNS server on loopback, UDP and TCP on one port: a free one, unless it must share the port with another
 * server, on its own address (127.0.0.2, …).
 */
export async function aDnsServer(
  records: Zones = {},
  { address = "127.0.0.1", port: wanted = 0 }: { address?: string; port?: number } = {},
): Promise<FakeDns> {
  const questions: string[] = [];
  const secure = new Set<string>();
  const reply = (packet: Packet) => answer({ records, secure, questions }, packet);

  const { tcp, udp, port } = await listenOnBoth(address, wanted);
  const sockets = serveTcp(tcp, reply);
  serveUdp(udp, reply);
  return {
    address,
    port,
    records,
    secure,
    questions,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      udp.close();
      tcp.close();
      await Promise.all([once(udp, "close"), once(tcp, "close")]);
    },
  };
}

async function listenOnBoth(
  address: string,
  wanted: number,
): Promise<{ tcp: Server; udp: Socket; port: number }> {
  for (;;) {
    const udp = createSocket("udp4");
    udp.bind(wanted, address);
    await once(udp, "listening");
    const { port } = udp.address();
    const tcp = createServer();
    tcp.listen(port, address);
    const taken = await once(tcp, "listening").then(
      () => false,
      () => true,
    );
    if (!taken) return { tcp, udp, port };
    udp.close();
  }
}

function serveUdp(udp: Socket, reply: (packet: Packet) => Packet | null) {
  udp.on("message", (bytes, from) => {
    const response = reply(decode(bytes));
    if (!response) return;
    const whole = encode(response);
    const fits = whole.length <= UDP_BYTES_MAX;
    const truncated = { ...response, answers: [], flags: response.flags! | TRUNCATED_RESPONSE };
    udp.send(fits ? whole : encode(truncated), from.port, from.address);
  });
}

function serveTcp(tcp: Server, reply: (packet: Packet) => Packet | null) {
  const sockets = new Set<TcpSocket>();
  tcp.on("connection", (socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const response = reply(streamDecode(received));
        received = received.subarray(2 + received.readUInt16BE(0));
        if (response) socket.write(streamEncode(response));
      }
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

type Knowledge = Pick<FakeDns, "records" | "secure" | "questions">;

function answer({ records, secure, questions }: Knowledge, packet: Packet): Packet | null {
  const question = packet.questions?.[0];
  if (!question) return null;
  questions.push(`${question.type} ${question.name}`);
  const found = lookUp(records, question, question.name.toLowerCase());
  if (found === "TIMEOUT") return null;
  const rcode = Array.isArray(found) ? RCODE.NOERROR : RCODE[found];
  const answers = Array.isArray(found) ? found : [];
  const names = [question.name, ...answers.map(({ name }) => name)];
  const isSecure = names.every((name) => secure.has(name.toLowerCase()));
  return {
    type: "response",
    id: packet.id!,
    flags: AUTHORITATIVE_ANSWER | rcode | (isSecure ? AUTHENTIC_DATA : 0),
    questions: [question],
    answers,
  };
}

function lookUp(records: Zones, question: Question, name: string): Answer[] | Silence | "NXDOMAIN" {
  const owner = records[name] ?? records[name.replace(/^[^.]+/, "*")];
  if (!owner) return "NXDOMAIN";
  if (typeof owner === "string") return owner;
  const alias = question.type === "CNAME" ? undefined : owner.CNAME;
  if (Array.isArray(alias) && alias[0]) {
    const target = lookUp(records, question, alias[0]);
    const link: Answer = { type: "CNAME", name, ttl: TTL_S, data: alias[0] };
    return Array.isArray(target) ? [link, ...target] : target;
  }
  const texts = owner[question.type as RecordType] ?? [];
  return typeof texts === "string"
    ? texts
    : texts.map((text) => readRecord(question.type as RecordType | "TXT", name, text));
}

function readRecord(type: RecordType | "TXT", name: string, text: string | string[]): Answer {
  // Each string of a record has at most 255 bytes (RFC 1035 §3.3).
  if (typeof text !== "string") return { type: "TXT", name, ttl: TTL_S, data: text };
  switch (type) {
    case "MX": {
      const [preference, exchange] = text.split(" ");
      return {
        type,
        name,
        ttl: TTL_S,
        data: { preference: Number(preference), exchange: exchange! },
      };
    }
    case "TLSA": {
      const [usage, selector, matchingType, hex] = text.split(" ");
      const numbers = {
        usage: Number(usage),
        selector: Number(selector),
        matchingType: Number(matchingType),
      };
      return {
        type,
        name,
        ttl: TTL_S,
        data: { ...numbers, certificate: Buffer.from(hex!, "hex") },
      };
    }
    case "SOA":
      return { type, name, ttl: TTL_S, data: { mname: text, rname: text } };
    case "TXT":
      return { type, name, ttl: TTL_S, data: text.match(/.{1,255}/gs) ?? [""] };
    default:
      return { type, name, ttl: TTL_S, data: text };
  }
}
