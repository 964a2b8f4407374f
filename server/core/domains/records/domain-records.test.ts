import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { DnsFinding, DomainRecordKind } from "#drizzle/schema/index.ts";

import { domainRecords, readRecord, type RecordSources } from "./domain-records.ts";
import { mergeDmarc, readDkim, readDmarc } from "./txt-records.ts";

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

const KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxyz+/abc0123456789QIDAQAB";
const SHORT_KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const OURS = {
  hostname: "mail.host.test",
  ownership: "svc-verify=abc123",
  dkimKeys: {
    dkim: { selector: "ph1", algorithm: "rsa" as const, publicKey: KEY },
    dkim_ed25519: { selector: "ph2", algorithm: "ed25519" as const, publicKey: SHORT_KEY },
  },
  mtaStsId: "20260101",
};

const found = (records: string[][]): DnsFinding => ({
  server: "ns1.test",
  address: "192.0.2.1",
  kind: "found",
  records,
  cname: null,
  reason: null,
});
const read = (record: DomainRecordKind, ...texts: (string | string[])[]) =>
  readRecord(record, found(texts.map((text) => (typeof text === "string" ? [text] : text))), OURS);

describe("A record is valid", () => {
  test.each<[DomainRecordKind, (string | string[])[], "yes" | "no"]>([
    ["ownership", ["svc-verify=abc123"], "yes"],
    ["ownership", ["other", "svc-verify=abc123"], "yes"],
    ["ownership", [['"svc-verify=', 'abc123" ']], "yes"],
    ["ownership", ["svc-verify=abc1234"], "no"],
    ["ownership", ["svc-verify=ABC123"], "no"],
    ["spf", ["v=spf1 a:mail.host.test ~all"], "yes"],
    ["spf", ["google-site-verification=x", "V=SPF1 a:mail.host.test -all"], "yes"],
    ["spf", ["v=spf1 -all a:mail.host.test"], "no"],
    ["spf", ["v=spf1 a:mail.host.test ~all", "v=spf1 -all"], "no"],
    ["spf", ["v=spf10 a:mail.host.test ~all"], "no"],
    ["dkim", [`v=DKIM1; k=rsa; p=${KEY}`], "yes"],
    ["dkim", [["v=DKIM1; k=rsa; p=", KEY.slice(0, 20), KEY.slice(20)]], "yes"],
    ["dkim", [`v=DKIM1; k=rsa; p=${KEY.slice(0, 30)} ${KEY.slice(30)};`], "yes"],
    ["dkim", [`p=${KEY}`], "yes"],
    ["dkim", ["v=DKIM1; p="], "no"],
    ["dkim_ed25519", [`v=DKIM1; k=ed25519; p=${SHORT_KEY}`], "yes"],
    ["dkim_ed25519", [`v=DKIM1; p=${SHORT_KEY}`], "no"],
    ["dkim_ed25519", [`v=DKIM1; k=rsa; p=${KEY}`], "no"],
    ["dkim_next", [`v=DKIM1; k=rsa; p=${KEY}`], "no"],
    ["dmarc", ["v=DMARC1; p=none"], "yes"],
    ["dmarc", ["v=DMARC1;p=reject;rua=mailto:a@b.test"], "yes"],
    ["dmarc", ["v=DMARC1; rua=mailto:a@b.test"], "yes"],
    ["dmarc", ["v=DMARC1; p=none", "v=DMARC1; p=none"], "no"],
    ["dmarc", ["v=DMARC1"], "no"],
    ["dmarc", ["v=DMARC1;; p=reject"], "yes"],
    ["dmarc", ["v=DMARC10; p=none"], "no"],
    ["dmarc", ["p=none; v=DMARC1"], "no"],
    ["dmarc", ["v=spf1 -all", "v=DMARC1; p=none"], "yes"],
    ["mx", [["10", "MAIL.Host.test."]], "yes"],
    [
      "mx",
      [
        ["10", "mx.other.test"],
        ["20", "mail.host.test"],
      ],
      "yes",
    ],
    ["mx", [["10", "mail.host.test.example.com"]], "no"],
    ["mx", [["0", ""]], "no"],
    ["return_path_mx", [["10", "MAIL.Host.test."]], "yes"],
    [
      "return_path_mx",
      [
        ["10", "mail.host.test"],
        ["20", "mx.other.test"],
      ],
      "yes",
    ],
    [
      "return_path_mx",
      [
        ["10", "mail.host.test"],
        ["10", "mx.other.test"],
      ],
      "no",
    ],
    ["return_path_mx", [["10", "mx.other.test"]], "no"],
    ["tracking", [["MAIL.Host.test."]], "yes"],
    ["tracking", [["mail.host.test.example.com"]], "no"],
    ["return_path_spf", ["v=spf1 a:mail.host.test -all"], "yes"],
    ["return_path_spf", ["v=spf1 -all"], "no"],
    ["mta_sts", ["v=STSv1; id=20260101;"], "yes"],
    ["mta_sts", ["v=STSv1; id=20250101"], "no"],
    ["tls_rpt", ["v=TLSRPTv1; rua=mailto:a@b.test"], "yes"],
    ["tls_rpt", ["v=TLSRPTv1"], "no"],
  ])("%s %j: %s", (record, texts, expected) => {
    expect(read(record, ...texts)).toBe(expected);
  });

  test("uses the SPF evaluation if there is one", () => {
    const spf = { error: null, lookups: 3, hostAddresses: [] };
    for (const authorizes of ["yes", "no", "open"] as const) {
      const finding = { ...found([["v=spf1 include:x.test -all"]]), spf: { ...spf, authorizes } };
      expect(readRecord("spf", finding, OURS)).toBe(authorizes);
    }
  });
});

describe("A DKIM record", () => {
  test.each([
    [`v=DKIM1; k=rsa; p=${KEY}`, "ours"],
    [`v=DKIM1; t=y; h=sha1:sha256; s=email; p=${KEY}`, "ours"],
    ["v=DKIM1; k=rsa; p=", "revoked"],
    [`v=DKIM1; k=rsa; p=${KEY.slice(0, 40)}`, "truncated"],
    ["v=DKIM1; p=MIIBother", "other_key"],
    [`v=DKIM1; k=ed25519; p=${KEY}`, "unusable"],
    [`v=DKIM1; h=sha1; p=${KEY}`, "unusable"],
    [`v=DKIM1; s=web; p=${KEY}`, "unusable"],
    [`k=rsa; p=${KEY}; v=DKIM1`, "not_dkim"],
    [`"v=DKIM1; p=${KEY}"`, "not_dkim"],
    ["v=spf1 -all", "not_dkim"],
    [`v=DKIM1; p=${KEY}; p=${KEY}`, "not_dkim"],
  ])("%s: %s", (text, expected) => {
    expect(readDkim(text, OURS.dkimKeys.dkim)).toBe(expected);
  });

  test("matches however it is split and whatever white space the key contains", () => {
    const space = fc.constantFrom("", "", "", " ", "\t", "\r\n ");
    fc.assert(
      fc.property(fc.array(space, { minLength: KEY.length, maxLength: KEY.length }), (spaces) => {
        const key = [...spaces].map((gap, at) => gap + KEY[at]!).join("");
        expect(readDkim(`v=DKIM1 ;k=rsa ; p = ${key} ;`, OURS.dkimKeys.dkim)).toBe("ours");
      }),
    );
  });
});

test("reads a DMARC record's policy and report addresses", () => {
  expect(readDmarc("v=DMARC1; p=Quarantine; rua=mailto:a@b.test!10m, https://c.test")).toEqual({
    policy: "quarantine",
    reportUris: ["mailto:a@b.test!10m", "https://c.test"],
  });
  expect(readDmarc("v=DMARC1; p=maybe; rua=mailto:a@b.test")?.policy).toBe("none");
});

test("never throws, whatever is published", () => {
  const kinds: DomainRecordKind[] = ["ownership", "spf", "dkim", "dmarc", "mta_sts", "tls_rpt"];
  const text = fc.oneof(
    fc.string(),
    fc.string().map((rest) => `v=spf1 ${rest}`),
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(fc.array(text)), (kind, records) => {
      expect(["yes", "no"]).toContain(readRecord(kind, found(records), OURS));
    }),
  );
});

test("evaluates the longest texts quickly", () => {
  const kinds: DomainRecordKind[] = ["ownership", "spf", "dkim", "dmarc", "mta_sts", "tls_rpt"];
  const fillers = [" ", '"', ";", "=", "a", "v=DMARC1;", "v=spf1 ", "/1", "rua= "];
  for (const kind of kinds)
    for (const start of ["", "v=spf1 ", "v=DMARC1;", "v=DKIM1;"])
      for (const filler of fillers)
        readRecord(kind, found([[`${start}${filler.repeat(60_000 / filler.length)}x`]]), OURS);
});
