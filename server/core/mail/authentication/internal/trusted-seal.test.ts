import type { ARCData } from "mailauth";
import { expect, test } from "vitest";

import { type ArcSet, findTrustedPass, readArcSets } from "./trusted-seal.ts";

const field = (parsed: object, original = "") => ({ original: Buffer.from(original), parsed });

test.each([
  [{ h: { value: "Subject:From" } }, true],
  [{ h: { value: "subject:to" } }, false],
  [{ h: { value: "from" }, l: { value: 3 } }, false],
  [{}, false],
])("tells whether a signature covers From and the whole body: %j", (signature, covers) => {
  const chain = [{ "arc-message-signature": field(signature) }];
  const [set] = readArcSets({ chain } as unknown as ARCData);
  expect(set!.coversContent).toBe(covers);
});

test("a trusted forwarder's pass counts only if every signature since covers the content", () => {
  const pass = { sealer: "list.test", keyName: "s1._domainkey.list.test", coversContent: true };
  const sets: ArcSet[] = [
    { ...pass, instance: 1, dmarc: "pass", from: "there.test" },
    { ...pass, instance: 2, dmarc: "fail", from: "there.test" },
  ];
  const find = (...chain: ArcSet[]) =>
    findTrustedPass(chain, { trustedSealers: ["list.test"], isAligned: () => true });
  expect(find(...sets)).toBe(sets[0]);
  for (const at of [0, 1])
    expect(find(...sets.with(at, { ...sets[at]!, coversContent: false }))).toBeNull();
});
