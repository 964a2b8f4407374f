import { expect, test } from "vitest";

import { explainFailure } from "./explain-failure.ts";

test.each([
  ["ENOTFOUND", "Its host name does not exist in DNS."],
  [
    "tls",
    "No TLS connection came about: its server does not speak TLS on that port, or only old versions.",
  ],
  ["bad_answer", "What it answered is not HTTP, or the head of its answer is too big."],
  ["timeout", "It did not answer within 10 seconds."],
  ["HTTP 418", "It answered HTTP 418. Only a status from 200 to 299 counts as delivered."],
  ["HTTP 503", "It answered that it has a problem of its own (HTTP 503)."],
  ["EPROTO", "The connection to it failed (EPROTO)."],
])("%s reads: %s", (error, words) => {
  expect(explainFailure(error)).toBe(words);
});

test("a redirect is explained", () => {
  expect(explainFailure("HTTP 301")).toContain("redirects are not followed");
});
