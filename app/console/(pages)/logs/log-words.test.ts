import { expect, test } from "vitest";

import { fromLocal, pageOfPath, statusInWords, toLocal } from "./log-words.ts";

const ID = "0190a0b0-1111-7222-8333-444455556666";

test.each([
  [`/emails/${ID}`, `/console/emails/${ID}`],
  [`/emails/${ID}/cancel`, `/console/emails/${ID}`],
  [`/domains/${ID}/verify`, `/console/domains/${ID}`],
  [`/mailboxes/ann%40example.org/aliases`, `/console/mailboxes/ann@example.org`],
  [`/groups/all@example.org`, `/console/groups/all@example.org`],
  ["/emails", null],
  ["/emails/batch", null],
  ["/emails/metrics", null],
  [`/x/emails/${ID}`, null],
])("%s leads to %s", (path, href) => {
  expect(pageOfPath(path)?.href ?? null).toBe(href);
});

test("a status has a word and a meaning", () => {
  expect(statusInWords(200)).toEqual({ word: "200 OK", meaning: "done" });
  expect(statusInWords(418)).toEqual({ word: "418", meaning: "failed" });
});

test("moments go into fields of local time and back", () => {
  const moment = "2026-03-04T10:15:00.000Z";
  expect(fromLocal(toLocal(moment))).toBe(moment);
  expect([toLocal(undefined), toLocal("soon"), fromLocal("")]).toEqual(["", "", ""]);
});
