import { Message } from "#server/core/shared/mime/message.ts";
import { expect, test } from "vitest";

import { receivedField, addTraceFields } from "./trace-fields.ts";

const HOST = "mail.here.test";
const trace = (header: string, ours: string[] = []) =>
  addTraceFields(
    new Message(Buffer.from(`${header}\r\nbody \xff\r\n`, "latin1")),
    HOST,
    ours,
  ).raw.toString("latin1");

test.each([
  ["ours", `Authentication-Results: ${HOST}; spf=pass\r\n`],
  ["odd case", `aUTHENTICATION-rESULTS: MAIL.here.TEST; spf=pass\r\n`],
  ["folded", `Authentication-Results:\r\n\t${HOST}\r\n\t;\r\n spf=pass\r\n`],
  ["a space before the colon", `Authentication-Results : ${HOST}; spf=pass\r\n`],
  ["a comment before", `Authentication-Results: (a; b) ${HOST} 1; spf=pass\r\n`],
  ["quoted", `Authentication-Results: "mail.\\here.test"; spf=pass\r\n`],
  ["a line that is no field", `Authentication-Results: ${HOST}; spf=pass\r\nno field\r\n`],
  ["Junk", `X-Posthouse-Junk: no\r\n`],
  ["odd Junk", `x-posthouse-JUNK : yes\r\n`],
  ["folded Spam", `X-Posthouse-Spam: -100\r\n\tBAYES_HAM\r\n`],
  ["anything of that name", `X-Posthouse-: x\r\n`],
])("removes a forged field: %s", (_, field) => {
  expect(trace(`To: a\r\n${field}From: b\r\n`)).toBe("To: a\r\nFrom: b\r\n\r\nbody \xff\r\n");
  expect(trace(field)).toBe("\r\nbody \xff\r\n");
});

test.each([
  "Authentication-Results: mx.there.test; spf=pass\r\n",
  "ARC-Authentication-Results: i=1; mail.here.test; spf=pass\r\n",
  "X-Posthouse: x\r\n",
  "Subject: Authentication-Results: mail.here.test\r\n\tX-Posthouse-Junk: yes\r\n",
  "odd line\r\n",
  "",
])("keeps all other fields: %j", (header) => {
  expect(trace(header)).toBe(`${header}\r\nbody \xff\r\n`);
});

test("ignores fields in the body", () => {
  const whole = "To: a\r\n\r\nX-Posthouse-Junk: yes\r\n";
  expect(addTraceFields(new Message(Buffer.from(whole)), HOST, []).raw.toString()).toBe(whole);
});

test("a message without a body keeps its header", () => {
  expect(
    addTraceFields(new Message(Buffer.from("To: a\r\nX-Posthouse-Junk: x")), HOST, [
      "A: b\r\n",
    ]).raw.toString(),
  ).toBe("A: b\r\nTo: a\r\n");
  expect(addTraceFields(new Message(Buffer.from("")), HOST, ["A: b\r\n"]).raw.toString()).toBe(
    "A: b\r\n",
  );
});

test("our fields come first, including Received", () => {
  const hop = {
    helo: "mx.there.test",
    clientAddress: "192.0.2.1",
    hostname: HOST,
    protocol: "ESMTPS",
    id: "abc",
    recipient: "ann@here.test",
    now: new Date("2026-11-21T10:00:00Z"),
  };
  expect(trace("To: a\r\n", [receivedField(hop), "X-Posthouse-Junk: yes\r\n"])).toBe(
    "Received: from mx.there.test ([192.0.2.1])\r\n\tby mail.here.test with ESMTPS id abc\r\n\tfor <ann@here.test>;\r\n\tSat, 21 Nov 2026 10:00:00 +0000\r\nX-Posthouse-Junk: yes\r\nTo: a\r\n\r\nbody \xff\r\n",
  );
  const odd = { ...hop, helo: "x (y) by z;", clientAddress: "2001:db8::1", recipient: null };
  expect(receivedField(odd)).toMatch(
    /^Received: from unknown \(\[IPv6:2001:db8::1\]\)\r\n\tby [^\r]+ id abc;\r\n/,
  );
});
