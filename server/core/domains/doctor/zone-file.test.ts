import { expect, test } from "vitest";

import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

import { formatZoneFile, quotedStrings } from "./zone-file.ts";

test.each([
  ["v=spf1 ~all", `"v=spf1 ~all"`],
  ["x".repeat(300), `"${"x".repeat(255)}" "${"x".repeat(45)}"`],
  [`say "no" \\`, `"say \\"no\\" \\\\"`],
  // Would start a new line.
  ['v=spf1\nevil. IN A 192.0.2.1\n" ~all', `"v=spf1\\010evil. IN A 192.0.2.1\\010\\" ~all"`],
  ["\xff\x7f\0\ufffd", `"\\255\\127\\000\\239\\191\\189"`],
])("writes the value %j to a zone file", (value, expected) => {
  expect(quotedStrings(value)).toBe(expected);
});

test("adds the host of the MTA-STS policy if there is a policy", () => {
  const state = { isVerified: true, isRequired: false };
  const mx = { record: "mx", name: "acme.test", type: "MX", value: "mail.host.test", ...state };
  const policy = {
    record: "mta_sts",
    name: "_mta-sts.acme.test",
    type: "TXT",
    value: "v=STSv1; id=01ab",
    ...state,
  };
  expect(formatZoneFile([mx] as DomainRecord[])).toBe("acme.test. IN MX 10 mail.host.test.\n");
  expect(formatZoneFile([mx, policy] as DomainRecord[])).toMatch(
    /^mta-sts\.acme\.test\. IN CNAME mail\.host\.test\.$/m,
  );
});
