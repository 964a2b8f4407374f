import { expect, test } from "vitest";

import { readReportAddresses } from "./sent-reports.ts";

test("addresses of mailto URIs are read, with the size they accept", () => {
  expect(
    readReportAddresses(
      "mailto:a@x.test, mailto:b%2Bc@y.test!10m,https://z.test/tls,mailto:bad,MAILTO:d@z.test!500k",
    ),
  ).toEqual([
    { address: "a@x.test", bytesMax: null },
    { address: "b+c@y.test", bytesMax: 10 * 2 ** 20 },
  ]);
  expect(readReportAddresses("MAILTO:d@z.test!500k")).toEqual([
    { address: "d@z.test", bytesMax: 500 * 2 ** 10 },
  ]);
  expect(readReportAddresses("mailto:a@x.test%0d%0aBcc:b@x.test,mailto:%,")).toEqual([]);
});
