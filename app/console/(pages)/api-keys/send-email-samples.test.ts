import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { requestSamples, sendEmailSamples } from "./send-email-samples.tsx";

const run = promisify(execFile);

const email = {
  from: `Hello <hello@example.org>`,
  to: "ann@example.com",
  subject: `It's "quoted" \\ and ünlike`,
  text: "It works.\n",
};

const server = createServer();

const received: { authorization: string | undefined; url: string | undefined; body: unknown }[] =
  [];

let baseUrl: string;
let folder: string;

beforeAll(async () => {
  // Inside node_modules, so that the code finds the SDK.
  folder = await mkdtemp(join(process.cwd(), "node_modules", ".sample-"));
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      received.push({ authorization: request.headers.authorization, url: request.url, body });
      response.setHeader("content-type", "application/json").end(`{"id":"accepted"}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const programs: Record<string, (file: string) => [string, string[]]> = {
  curl: (file) => ["sh", [file]],
  "Node.js": (file) => [process.execPath, [file]],
  Python: (file) => ["python3", [file]],
};

test.each(["curl", "Node.js", "Python"])(
  "the %s sample runs and makes the right request",
  async (language) => {
    for (const token of [undefined, "ph_in_the_code"])
      for (const path of ["/emails", "/suppressions"] as const) {
        received.length = 0;
        const samples =
          path === "/emails"
            ? sendEmailSamples(baseUrl, email, token)
            : requestSamples(baseUrl, path, email, token);
        const { code } = samples.find((sample) => sample.language === language)!;
        const file = join(folder, `${language}.mjs`);
        await writeFile(file, code);
        const env = { ...process.env, POSTHOUSE_API_KEY: "ph_in_the_environment" };
        const { stdout } = await run(...programs[language]!(file), { env });
        expect(stdout).toContain("accepted");
        const authorization = `Bearer ${token ?? env.POSTHOUSE_API_KEY}`;
        expect(received).toEqual([{ authorization, url: path, body: email }]);
      }
  },
);
