import { expect, test } from "vitest";

import { explainFailure } from "./explain-failure.ts";

test.each([
  ["ENOTFOUND", "The hostname does not exist in DNS."],
  [
    "tls",
    "The TLS handshake failed: the server doesn’t support TLS on this port, or only outdated versions.",
  ],
  ["bad_answer", "The response is not valid HTTP, or its headers are too large."],
  ["timeout", "The endpoint did not respond within 10 seconds."],
  [
    "HTTP 418",
    "The endpoint responded with HTTP 418. Only a status from 200 to 299 counts as delivered.",
  ],
  ["HTTP 503", "The endpoint failed with a server error (HTTP 503)."],
  ["EPROTO", "The connection failed: EPROTO."],
])("explains %s as %s", (error, words) => {
  expect(explainFailure(error)).toBe(words);
});

test("explains a redirect", () => {
  expect(explainFailure("HTTP 301")).toContain("redirects are not followed");
});
