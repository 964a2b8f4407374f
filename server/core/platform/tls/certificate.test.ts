import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect as connectTls, createServer } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadCertificate, loadSelfSigned, watchCertificate } from "./certificate.ts";

const now = new Date();
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

let dataFolder: string;
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "posthouse-tls-"));
});
afterEach(() => rm(dataFolder, { recursive: true, force: true }));

const selfSigned = (hostname = "mail.example.test", at = now) =>
  loadSelfSigned({ dataFolder, hostname, now: at });

/** Another appliance's pair, in place of one from a CA. */
async function aPair(hostname: string, at = now) {
  const folder = await mkdtemp(join(dataFolder, "pair-"));
  return loadSelfSigned({ dataFolder: folder, hostname, now: at });
}

async function aPairOfFiles(pair: { certificate: string; key: string }) {
  const tls = { certFile: join(dataFolder, "cert.pem"), keyFile: join(dataFolder, "key.pem") };
  await writeFile(tls.certFile, pair.certificate);
  await writeFile(tls.keyFile, pair.key);
  return { dataFolder, hostname: "mail.example.test", tls };
}

test("creates a self-signed certificate for the hostname and localhost that is valid for 825 days", async () => {
  const pair = await selfSigned();
  const certificate = new X509Certificate(pair.certificate);
  for (const name of ["mail.example.test", "localhost", "posthouse.localhost"])
    expect(certificate.checkHost(name)).toBe(name);
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  const validDays =
    (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;
  expect(validDays).toBeCloseTo(825, 3);
});

test("a client that trusts the self-signed certificate accepts the connection", async () => {
  const { certificate, key } = await selfSigned();
  const server = createServer({ cert: certificate, key }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connectTls({ host: "127.0.0.1", port, servername: "localhost", ca: certificate });
  await once(client, "secureConnect");
  expect(client.authorized).toBe(true);
  client.destroy();
  server.close();
});

test("keeps the certificate until 30 days before it expires or the hostname changes", async () => {
  const first = await selfSigned();
  expect((await stat(join(dataFolder, "tls/self-signed.pem"))).mode & 0o777).toBe(0o600);
  expect(await selfSigned("mail.example.test", inDays(794))).toEqual(first);
  expect(await selfSigned("mail.example.test", inDays(796))).not.toEqual(first);

  const renewed = await selfSigned("other.example.test");
  expect(new X509Certificate(renewed.certificate).checkHost("other.example.test")).toBeDefined();
  expect(await readdir(join(dataFolder, "tls"))).toEqual(["self-signed.pem"]);
});

test("a damaged self-signed certificate is reported, not replaced", async () => {
  await selfSigned();
  const file = join(dataFolder, "tls/self-signed.pem");
  await writeFile(file, "-----BEGIN CERTIFICATE-----\nnonsense\n");
  await expect(selfSigned()).rejects.toThrow(`${file} is damaged`);
  expect(await readFile(file, "utf8")).toContain("nonsense");
});

test("processes that start at once all get the same certificate", async () => {
  const pairs = await Promise.all(Array.from({ length: 10 }, () => selfSigned()));
  expect(new Set(pairs.map((pair) => pair.key)).size).toBe(1);
});

test("uses the configured pair and reports each way it can be invalid", async () => {
  const pair = await aPair("mail.example.test");
  expect(await loadCertificate(await aPairOfFiles(pair), now)).toEqual(pair);

  const load = async (broken: { certificate: string; key: string }) =>
    loadCertificate(await aPairOfFiles(broken), now);
  const other = await aPair("mail.example.test");
  await expect(load({ ...pair, key: other.key })).rejects.toThrow(/KEY .* is not the private key/);
  await expect(load({ ...pair, key: "secret" })).rejects.toThrow(
    /KEY .* doesn't contain a PEM private key/,
  );
  await expect(load({ ...pair, certificate: "" })).rejects.toThrow(
    /CERT .* doesn't contain a PEM cert/,
  );
  await expect(load(await aPair("old.test", inDays(-900)))).rejects.toThrow(/CERT .* expired on/);
  await expect(load(await aPair("new.test", inDays(9)))).rejects.toThrow(/not valid before/);
  await rm(join(dataFolder, "key.pem"));
  const settings = { certFile: join(dataFolder, "cert.pem"), keyFile: join(dataFolder, "gone") };
  await expect(
    loadCertificate({ dataFolder, hostname: "a.test", tls: settings }, now),
  ).rejects.toThrow(/POSTHOUSE_TLS_KEY \(.*gone\) can't be read: there is no such file/);
});

test("uses a replaced pair once both files match", async () => {
  const first = await aPair("mail.example.test");
  const next = await aPair("mail.example.test");
  const settings = await aPairOfFiles(first);
  const onChange = vi.fn(() => Promise.resolve());
  const onProblem = vi.fn();
  const stop = watchCertificate(settings, { current: first, onChange, onProblem, checkEveryMs: 5 });
  try {
    await writeFile(settings.tls.certFile, next.certificate);
    await vi.waitFor(() =>
      expect(String(onProblem.mock.lastCall?.[0])).toMatch(/is not the private key/),
    );
    expect(onChange.mock.calls).toEqual([]);
    await writeFile(settings.tls.keyFile, next.key);
    await vi.waitFor(() => expect(onChange.mock.calls).toEqual([[next]]));
  } finally {
    stop();
  }
});
