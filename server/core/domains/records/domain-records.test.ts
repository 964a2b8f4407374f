import { describe, expect, test } from "vitest";

import type { DnsFinding, DomainRecordKind } from "#drizzle/schema/index.ts";

import { domainRecords, type RecordSources } from "./domain-records.ts";
import { mergeDmarc } from "./txt-records.ts";

const finding = (texts: string[], more: Partial<DnsFinding> = {}): DnsFinding => ({
  server: "ns1.test",
  address: "192.0.2.1",
  kind: "found",
  cname: null,
  reason: null,
  records: texts.map((text) => [text]),
  ...more,
});

const KEYS = {
  dkim: { selector: "ph1-00", algorithm: "rsa", publicKey: "MIIB" },
  dkim_ed25519: { selector: "ph2-00", algorithm: "ed25519", publicKey: "11qY" },
  dkim_next: { selector: "ph1-01", algorithm: "rsa", publicKey: "MIIB2" },
} as const;

function recordsAfterProof(
  answers: Partial<Record<DomainRecordKind, DnsFinding[]>> = {},
  more: Partial<RecordSources> = {},
) {
  const domain = {
    name: "example.test",
    ownershipToken: "abc",
    ownershipProvenAt: "2026-01-01",
    trackingSubdomain: "links",
  };
  const findings = Object.entries(answers).map(([record, answers]) => ({
    record: record as DomainRecordKind,
    answers,
    isVerified: record === "mx",
  }));
  return domainRecords(domain, {
    dkimKeys: KEYS,
    findings,
    hostname: "mail.host.test",
    mtaStsId: "01ab",
    ...more,
  });
}
const valueOf = (record: DomainRecordKind, answers: DnsFinding[]) =>
  recordsAfterProof({ [record]: answers }).find((entry) => entry.record === record)!.value;

describe("The records to publish", () => {
  test("start with the ownership record before verification, so that all can be published at once", () => {
    const domain = {
      name: "example.test",
      ownershipToken: "abc",
      ownershipProvenAt: null,
      trackingSubdomain: null,
    };
    const sources = { dkimKeys: KEYS, findings: [], hostname: "mail.host.test", mtaStsId: "01ab" };
    const [proof, ...others] = domainRecords(domain, sources);
    expect(proof).toEqual({
      record: "ownership",
      name: "_svc-verify.example.test",
      type: "TXT",
      value: "svc-verify=abc",
      isVerified: false,
      isRequired: true,
    });
    expect(others).toEqual(domainRecords({ ...domain, ownershipProvenAt: "2026-01-01" }, sources));
  });

  test("are SPF, DKIM, DMARC, MX, the tracking host, the return path, MTA-STS and TLS-RPT afterwards", () => {
    const records = recordsAfterProof({ mx: [] });
    expect(
      records.map(({ record, name, type, value }) => `${record}: ${name} ${type} ${value}`),
    ).toEqual([
      "spf: example.test TXT v=spf1 a:mail.host.test ~all",
      "dkim: ph1-00._domainkey.example.test TXT v=DKIM1; k=rsa; p=MIIB",
      "dkim_ed25519: ph2-00._domainkey.example.test TXT v=DKIM1; k=ed25519; p=11qY",
      "dkim_next: ph1-01._domainkey.example.test TXT v=DKIM1; k=rsa; p=MIIB2",
      "dmarc: _dmarc.example.test TXT v=DMARC1; p=none; rua=mailto:reports@mail.host.test",
      "mx: example.test MX mail.host.test",
      "tracking: links.example.test CNAME mail.host.test",
      "return_path_mx: bounces.example.test MX mail.host.test",
      "return_path_spf: bounces.example.test TXT v=spf1 a:mail.host.test ~all",
      "mta_sts: _mta-sts.example.test TXT v=STSv1; id=01ab",
      "tls_rpt: _smtp._tls.example.test TXT v=TLSRPTv1; rua=mailto:reports@mail.host.test",
    ]);
    expect(records.filter(({ isRequired }) => isRequired).map(({ record }) => record)).toEqual([
      "spf",
      "dkim",
    ]);
    expect(records.filter(({ isVerified }) => isVerified)).toMatchObject([
      { record: "mx", priority: 10 },
    ]);
  });

  test("have an empty DKIM value while the key is being generated", () => {
    expect(recordsAfterProof({}, { dkimKeys: {} })[1]).toMatchObject({
      record: "dkim",
      name: "_domainkey.example.test",
      value: "",
    });
  });

  test("extend the existing SPF record, as published by the zone's servers, not the resolver", () => {
    expect(
      valueOf("spf", [
        finding([], { kind: "failed", reason: "TIMEOUT" }),
        finding(["hello", "v=spf1 mx -all"]),
        finding(["v=spf1 old -all"], { server: "resolver" }),
      ]),
    ).toBe("v=spf1 mx a:mail.host.test -all");
  });

  test("extend the SPF record that already allows this server if the zone's servers disagree", () => {
    const spf = { authorizes: "yes" as const, error: null, lookups: 1, hostAddresses: [] };
    expect(
      valueOf("spf", [finding(["v=spf1 -all"]), finding(["v=spf1 include:x.test -all"], { spf })]),
    ).toBe("v=spf1 include:x.test -all");
  });

  test("keep the existing DMARC record", () => {
    expect(valueOf("dmarc", [finding(["v=DMARC1; p=reject"])])).toBe(
      "v=DMARC1; p=reject; rua=mailto:reports@mail.host.test",
    );
  });
});

describe("The DMARC record to publish", () => {
  const ours = "mailto:reports@h.test";
  test.each([
    [[], `v=DMARC1; p=none; rua=${ours}`],
    [["v=spf1 -all"], `v=DMARC1; p=none; rua=${ours}`],
    [["v=DMARC1; p=none;"], `v=DMARC1; p=none; rua=${ours}`],
    [["v=DMARC1; p=reject; sp=none"], `v=DMARC1; p=reject; sp=none; rua=${ours}`],
    [["v=DMARC1;rua=mailto:a@b.test ;p=none"], `v=DMARC1;rua=mailto:a@b.test,${ours} ;p=none`],
    [["v=DMARC1; p=none; rua=; pct=50"], `v=DMARC1; p=none; pct=50; rua=${ours}`],
    [[`v=DMARC1; p=none; rua=${ours}!10m`], `v=DMARC1; p=none; rua=${ours}!10m`],
    // Receivers ignore unknown tags, so they don't change the policy.
    [["v=DMARC1; p=reject;; pct=50"], `v=DMARC1; p=reject;; pct=50; rua=${ours}`],
    [["v=DMARC1; p=reject; strict"], `v=DMARC1; p=reject; strict; rua=${ours}`],
    [["v=DMARC1; p=reject; p=none"], `v=DMARC1; p=reject; p=none; rua=${ours}`],
    // Receivers ignore both.
    [["v=DMARC1; p=none", "v=DMARC1; p=reject"], `v=DMARC1; p=none; rua=${ours}`],
  ])("if %j exists", (existing, expected) => {
    expect(mergeDmarc(existing, "reports@h.test")).toBe(expected);
  });
});
