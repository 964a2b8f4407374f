import { expect, test } from "vitest";

import { mailParameters, rcptParameters } from "./envelope.ts";

const none = { envelopeId: null, returnFull: true, recipients: new Map() };

test("a message without requests has no parameters", () => {
  expect(mailParameters(none)).toBe("");
  expect(rcptParameters(none, "ann@there.test")).toBe("");
});

test("RET and ENVID are relayed, in xtext", () => {
  const request = { ...none, returnFull: false, envelopeId: "a+b=c d~1" };
  expect(mailParameters(request)).toBe(" RET=HDRS ENVID=a+2Bb+3Dc+20d~1");
});

test.each([
  [["never"], null, " NOTIFY=NEVER"],
  [
    ["success", "failure"],
    "rfc822;Ann+x@there.test",
    " NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;Ann+2Bx@there.test",
  ],
  [null, "rfc822;ann@there.test", " ORCPT=rfc822;ann@there.test"],
  [[], "ann@there.test", ""],
  [null, "utf-8;j\u00fcrgen@there.test", ""],
  [null, "rfc822;a@b\r\nRCPT TO:<eve@there.test>", ""],
  [null, `rfc822;${"+".repeat(200)}@there.test`, ""],
])("NOTIFY %j and ORCPT %j: %s", (notify, originalRecipient, expected) => {
  const recipients = new Map([["ann@there.test", { notify, originalRecipient }]]);
  expect(rcptParameters({ ...none, recipients }, "ann@there.test")).toBe(expected);
});

test("an identifier that can't be encoded is left out", () => {
  for (const envelopeId of ["a\r\nb", "\u00fc", "", "+".repeat(40)])
    expect(mailParameters({ ...none, envelopeId })).toBe("");
});
