import type { ARCData } from "mailauth";
import { expect, test } from "vitest";

import { readArcSets } from "./trusted-seal.ts";

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
