import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { once } from "node:events";

import { afterAll, beforeAll, expect, test } from "vitest";

import { type Certificate, loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { send } from "#server/testing/http-client.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

/** Includes time for a production build. */
const BUILD_TIMEOUT_MS = 400_000;

let folder: string;
let web: WebProcess;
let first: Certificate;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tls-"));
  first = await install();
  web = await startWebProcess({
    env: {
      POSTHOUSE_TLS_CERT: join(folder, "cert.pem"),
      POSTHOUSE_TLS_KEY: join(folder, "key.pem"),
    },
  });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await web.stop();
  await rm(folder, { recursive: true });
});

/** Replaces the operator's certificate and key with a new pair. */
async function install(): Promise<Certificate> {
  await rm(join(folder, "tls"), { recursive: true, force: true });
  const pair = await loadSelfSigned({ dataFolder: folder, hostname: "mail.test", now: new Date() });
  await writeFile(join(folder, "cert.pem"), pair.certificate);
  await writeFile(join(folder, "key.pem"), pair.key);
  return pair;
}

async function shown(ca: string): Promise<TLSSocket> {
  const socket = connect({ port: web.port, host: "127.0.0.1", servername: "mail.test", ca });
  await once(socket, "secureConnect");
  return socket;
}

test("the API answers over HTTP and HTTPS on one port, and serves a renewed certificate without a restart", async () => {
  expect((await send(web.port, "GET", "/healthz")).status).toBe(200);
  const socket = await shown(first.certificate);
  socket.write("GET /healthz HTTP/1.1\r\nhost: mail.test\r\nconnection: close\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);

  const renewed = await install();
  await web.logged(({ msg }) => msg === "a new certificate is in use");
  (await shown(renewed.certificate)).destroy();
  await expect(shown(first.certificate)).rejects.toThrow(/self-signed|self signed/);
});
