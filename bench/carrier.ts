/**
 * Measures how fast the carrier sends to a sink in a separate process, next to nodemailer's pooled transport:
 * `node bench/carrier.ts [messages] [connections] [round trip in ms]`. The two alternate in three rounds.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { createTransport } from "nodemailer";

import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";
import { anSmtpSink } from "#server/testing/smtp-sink.ts";
import { OutboundCarrier } from "#worker/delivery/carrier/carrier.ts";

const ROUNDS = 3;
const [count = 10_000, connections = 50, roundTripMs = 0] = process.argv.slice(2).map(Number);
const line = "The quick brown fox jumps over the lazy dog, again and again and on.\r\n";
const message = Buffer.from(`Subject: Bench\r\n\r\n${line.repeat(Math.ceil(4096 / line.length))}`);
const envelope = { from: "bounce@here.test", to: "ann@there.test" };

async function runSink() {
  const sink = await anSmtpSink({ keep: false, roundTripMs: Number(process.argv[3]) });
  process.send?.(sink.port);
  process.on("message", () => process.send?.(sink.accepted()));
  await once(process, "disconnect");
  await sink.close();
}

async function runBench() {
  const sink = fork(fileURLToPath(import.meta.url), ["sink", String(roundTripMs)]);
  const [port] = (await once(sink, "message")) as [number];
  const dns = await aDnsServer({ "there.test": { A: ["127.0.0.1"] } });
  const contestants = { carrier: await ours(port, dns), nodemailer: theirs(port) };
  const results = { carrier: [] as Result[], nodemailer: [] as Result[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const name of ["carrier", "nodemailer"] as const) {
      const result = await measure(contestants[name].send);
      results[name].push(result);
      console.log(`${name.padEnd(10)} ${format(result)}`);
    }
  sink.send("count");
  const [accepted] = (await once(sink, "message")) as [number];
  const [own, other] = [mean(results.carrier), mean(results.nodemailer)];
  const rate = (own.perSecond / other.perSecond).toFixed(2);
  const cpu = (own.cpuMs / other.cpuMs).toFixed(2);
  console.log(`carrier to nodemailer: ${rate} x the rate, ${cpu} x the CPU per message`);
  console.log(`the sink accepted ${accepted} of ${2 * ROUNDS * count + 1}`);
  await contestants.carrier.close();
  contestants.nodemailer.close();
  await dns.close();
  sink.disconnect();
}

type Send = () => Promise<void>;
type Result = { perSecond: number; cpuMs: number };

async function ours(port: number, dns: { address: string; port: number }) {
  const carrier = new OutboundCarrier({
    hostname: "here.test",
    resolver: createResolver({ dnsServers: [dns] }),
    outboundPort: port,
    connectionsMax: connections,
    connectionsPerHostMax: connections,
    allowPrivateHosts: true,
  });
  const send = async () => {
    const [outcome] = await carrier.deliver({
      route: { kind: "mx", domain: "there.test" },
      envelopeFrom: envelope.from,
      recipients: [envelope.to],
      message,
    });
    if (outcome?.result !== "delivered") throw new Error(outcome?.message);
  };
  await send();
  return { send, close: () => carrier.close() };
}

function theirs(port: number) {
  const pool = { pool: true, maxConnections: connections, maxMessages: 100 } as const;
  const transport = createTransport({ ...pool, host: "127.0.0.1", port, ignoreTLS: true });
  const send = async () => {
    await transport.sendMail({ envelope, raw: message });
  };
  return { send, close: () => transport.close() };
}

/** Keeps ten messages in flight per connection, like a pump. */
async function measure(send: Send): Promise<Result> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await send();
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: connections * 10 }, lane));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuMs: (user + system) / 1000 / count };
}

function mean(results: Result[]): Result {
  const sum = (pick: (result: Result) => number) =>
    results.reduce((all, one) => all + pick(one), 0);
  return {
    perSecond: sum(({ perSecond }) => perSecond) / results.length,
    cpuMs: sum(({ cpuMs }) => cpuMs) / results.length,
  };
}

const format = ({ perSecond, cpuMs }: Result): string =>
  `${perSecond.toFixed(0).padStart(6)} messages/s ${cpuMs.toFixed(3)} ms CPU each`;

if (process.argv[2] === "sink") await runSink();
else await runBench();
