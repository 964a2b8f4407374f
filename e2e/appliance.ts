import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startNodeProcess } from "#server/processes/node-process.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { recreateFromTemplate } from "#server/testing/databases.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";

/** A running web process with its own database and data folder. */
export type Appliance = {
  url: string;
  databaseUrl: string;
  dataFolder: string;
  /** All DNS records that it sees; other lookups return NXDOMAIN. */
  dns: FakeDns;
  stop(): Promise<void>;
};

/** The hostname of a server; without one it would be in local mode, which has no DNS records to publish. */
export const HOSTNAME = "mail.northwind-host.com";

export async function startAppliance({
  hostname = HOSTNAME,
  settings = {},
}: { hostname?: string; settings?: Record<string, string> } = {}): Promise<Appliance> {
  const databaseUrl = await recreateFromTemplate(`posthouse_e2e_${randomBytes(6).toString("hex")}`);
  const dataFolder = await mkdtemp(join(tmpdir(), "posthouse-e2e-data-"));
  const port = await aFreePort();
  const url = `http://localhost:${port}`;
  const dns = await aDnsServer();
  const certificate = join(dataFolder, "trusted.pem");
  await writeFile(certificate, CERTIFICATE);
  const env = {
    ...process.env,
    NODE_ENV: "production" as const,
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    POSTHOUSE_HOSTNAME: hostname,
    POSTHOUSE_ACME: "off",
    POSTHOUSE_BIND: "127.0.0.1",
    POSTHOUSE_DATA: dataFolder,
    // Identity providers of tests listen on loopback, with a self-signed certificate.
    POSTHOUSE_PRIVATE_WEBHOOKS: "127.0.0.1/32",
    NODE_EXTRA_CA_CERTS: certificate,
    POSTHOUSE_DNS: `${dns.address}:${dns.port}`,
    POSTHOUSE_URL: url,
    ...settings,
  };
  const end = new AbortController();
  const web = await startNodeProcess(
    { file: fileOf("server/main.ts"), env, onLine: () => {} },
    end.signal,
  ).catch(async (error: unknown) => {
    await Promise.all([dns.close(), remove(dataFolder)]);
    throw error;
  });
  return {
    url,
    databaseUrl,
    dataFolder,
    dns,
    async stop() {
      end.abort();
      await web.exited;
      await Promise.all([dns.close(), remove(dataFolder)]);
    },
  };
}

/** Retries, because a stopping process may still write to the folder. */
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 10 });
