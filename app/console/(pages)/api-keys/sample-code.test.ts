import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { callSamples, sendingSamples } from "./sample-code.ts";

const run = promisify(execFile);
const email = {
  from: `Hello <hello@example.org>`,
  to: "ann@example.com",
  subject: `It's "quoted" \\ and ünlike`,
  text: "It works.\n",
};
const server = createServer();
const heard: { authorization: string | undefined; url: string | undefined; body: unknown }[] = [];
let baseUrl: string;
let folder: string;

beforeAll(async () => {
  // Beside the packages, so that the code finds the SDK.
  folder = await mkdtemp(join(process.cwd(), "node_modules", ".sample-"));
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      heard.push({ authorization: request.headers.authorization, url: request.url, body });
      response.setHeader("content-type", "application/json").end(`{"id":"taken"}`);
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

test.each(["curl", "Node.js", "Python"])("%s does what it says as it runs", async (language) => {
  for (const token of [undefined, "ph_in_the_code"])
    for (const path of ["/emails", "/suppressions"] as const) {
      heard.length = 0;
      const samples =
        path === "/emails"
          ? sendingSamples(baseUrl, email, token)
          : callSamples(baseUrl, path, email, token);
      const { code } = samples.find((each) => each.language === language)!;
      const file = join(folder, `${language}.mjs`);
      await writeFile(file, code);
      const env = { ...process.env, POSTHOUSE_API_KEY: "ph_in_the_environment" };
      const { stdout } = await run(...programs[language]!(file), { env });
      expect(stdout).toContain("taken");
      const authorization = `Bearer ${token ?? env.POSTHOUSE_API_KEY}`;
      expect(heard).toEqual([{ authorization, url: path, body: email }]);
    }
});
