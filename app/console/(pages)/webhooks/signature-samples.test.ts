import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, expect, test } from "vitest";

import { samples } from "./signature-samples.tsx";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"type":"email.sent","data":{"subject":"Grüße"}}';
const ID = "msg_0123456789abcdef0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "posthouse-samples-"));

afterAll(() => rmSync(folder, { recursive: true }));

const at = (time: Date) => ({
  "webhook-id": ID,
  "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
  "webhook-signature": `v1,AAAA ${new Webhook(SECRET).sign(ID, time, BODY)}`,
});

const codeOf = (language: string) => samples.find((sample) => sample.language === language)!.code;
const env = { ...process.env, WEBHOOK_SECRET: SECRET };

test("the shell sample prints the signature", () => {
  const now = new Date();
  writeFileSync(join(folder, "body.json"), BODY);
  const code = codeOf("Shell")
    .replace("msg_…", ID)
    .replace("1772622671", at(now)["webhook-timestamp"]);
  const printed = execFileSync("sh", ["-c", code], { cwd: folder, env, encoding: "utf8" });
  expect(printed).toBe(new Webhook(SECRET).sign(ID, now, BODY));
});

test("the Python sample accepts only genuine and recent events", () => {
  const [check] = codeOf("Python").split("@app.post");
  const flask =
    "import sys, types; sys.modules['flask'] = types.SimpleNamespace(Flask=print, abort=0, request=0)";
  const cases = [
    [at(new Date()), BODY],
    [at(new Date()), BODY.replace("sent", "read")],
    [at(new Date(Date.now() - 400_000)), BODY],
  ];
  const script = `import json; print([is_valid(h, b.encode()) for h, b in json.loads(${JSON.stringify(JSON.stringify(cases))})])`;
  const code = `${flask}\n${check}\n${script}`;
  const printed = execFileSync("python3", ["-c", code], { env, encoding: "utf8" });
  expect(printed.trim().split("\n").at(-1)).toBe("[True, False, False]");
});

test.each([
  ["Node.js", "standardwebhooks", Webhook],
  ["Svix", "svix", SvixWebhook],
])("the %s sample's package verifies the signature", (language, name, Verifier) => {
  expect(codeOf(language)).toContain(`from "${name}"`);
  const verifier = new Verifier(SECRET);
  const headers = at(new Date());
  expect(() => verifier.verify(BODY, headers)).not.toThrow();
  expect(() => verifier.verify(BODY.replace("sent", "read"), headers)).toThrow();
});
