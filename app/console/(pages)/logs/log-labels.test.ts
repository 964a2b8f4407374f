import { expect, test } from "vitest";

import { pageForPath, statusLabel } from "./log-labels.ts";

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
])("%s links to %s", (path, href) => {
  expect(pageForPath(path)?.href ?? null).toBe(href);
});

test("labels known and unknown status codes", () => {
  expect(statusLabel(200)).toEqual({ label: "200 OK", tone: "done" });
  expect(statusLabel(418)).toEqual({ label: "418", tone: "failed" });
});
