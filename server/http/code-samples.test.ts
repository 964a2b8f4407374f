import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";
import { z } from "zod";

import { codeSamples } from "./code-samples.ts";
import { defineEndpoint } from "./endpoint.ts";

const endpoint = defineEndpoint("POST", "/things/{id}", {
  summary: "Create a thing",
  permission: "full_access",
  privilege: null,
  response: z.object({}),
  refusals: [],
  handle: () => Promise.resolve({}),
});
const TEXT = 'it\'s "50 $off" `now` \\ \n<b>';
const samples = codeSamples(
  endpoint,
  {
    params: { id: "a b" },
    headers: { "X-Note": "it's" },
    body: { text: TEXT, on: true, none: null, list: [1, "x"] },
    answer: {},
  },
  "https://mail.example",
);
const sourceOf = (label: string) => samples.find((sample) => sample.label === label)!.source;

test("the shell passes the URL, the key from the environment and the body to curl unchanged", () => {
  const source = sourceOf("curl").replace(/^curl/, "printf '%s\\0'");
  const args = execFileSync("sh", ["-c", source], {
    env: { ...process.env, POSTHOUSE_API_KEY: "ph_x" },
    encoding: "utf8",
  }).split("\0");
  expect(args).toContain("https://mail.example/things/a%20b");
  expect(args).toContain("Authorization: Bearer ph_x");
  expect(args).toContain("X-Note: it's");
  expect(JSON.parse(args[args.indexOf("-d") + 1]!)).toMatchObject({ text: TEXT, on: true });
});

test("JavaScript sends the same request", () => {
  const stub =
    "globalThis.fetch = (...sent) => (process.stdout.write(JSON.stringify(sent)), { json: () => null }); console.log = () => null;";
  const sent = execFileSync(
    process.execPath,
    ["--input-type=module", "-e", stub + sourceOf("Node.js")],
    { env: { ...process.env, POSTHOUSE_API_KEY: "ph_x" }, encoding: "utf8" },
  );
  const [url, options] = JSON.parse(sent) as [string, { headers: object; body: string }];
  expect(url).toBe("https://mail.example/things/a%20b");
  expect(options.headers).toMatchObject({ Authorization: "Bearer ph_x", "X-Note": "it's" });
  expect(JSON.parse(options.body)).toEqual({ text: TEXT, on: true, none: null, list: [1, "x"] });
});

test("other languages write text, true and null in their own way", () => {
  expect(sourceOf("Python")).toContain(`"on": True,\n        "none": None`);
  expect(sourceOf("Python")).toContain(`"text": ${JSON.stringify(TEXT)}`);
  expect(sourceOf("PHP")).toContain(`"text" => 'it\\'s "50 $off" \`now\` \\\\ \n<b>'`);
  expect(sourceOf("Go")).toContain("\\u0060now\\u0060");
});
