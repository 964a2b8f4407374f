import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { DnsFinding, DomainRecordKind, SpfReading } from "#drizzle/schema/index.ts";
import { domainRecords } from "#server/core/domains/records/domain-records.ts";

import type { RecordCase } from "./case.ts";
import { diagnose } from "./diagnose.ts";
import { misplacedNames, noProbes } from "#server/core/domains/doctor/probe.ts";
import { findProvider } from "#server/core/domains/doctor/providers.ts";

const DOMAIN = "shop.example.com";
const HOST = "mail.host.net";
const KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA".repeat(8);
const NEXT_KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEB".repeat(8);
const SHORT_KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const NEXT_SHORT_KEY = "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
const KEYS = {
  dkim: { selector: "ph1", algorithm: "rsa", publicKey: KEY },
  dkim_ed25519: { selector: "ph2", algorithm: "ed25519", publicKey: SHORT_KEY },
  dkim_next: { selector: "ph3", algorithm: "rsa", publicKey: NEXT_KEY },
  dkim_ed25519_next: { selector: "ph4", algorithm: "ed25519", publicKey: NEXT_SHORT_KEY },
} as const;
const SERVERS = ["ns1.dns.net", "ns2.dns.net"];
const OURS: Record<DomainRecordKind, string> = {
  ownership: "svc-verify=abc",
  spf: `v=spf1 a:${HOST} ~all`,
  dkim: `v=DKIM1; k=rsa; p=${KEY}`,
  dmarc: `v=DMARC1; p=none; rua=mailto:reports@${HOST}`,
  mx: HOST,
  mta_sts: "v=STSv1; id=01ab",
  tls_rpt: `v=TLSRPTv1; rua=mailto:reports@${HOST}`,
  dkim_ed25519: `v=DKIM1; k=ed25519; p=${SHORT_KEY}`,
  dkim_next: `v=DKIM1; k=rsa; p=${NEXT_KEY}`,
  dkim_ed25519_next: `v=DKIM1; k=ed25519; p=${NEXT_SHORT_KEY}`,
  return_path_mx: HOST,
  tracking: HOST,
  return_path_spf: `v=spf1 a:${HOST} ~all`,
};

type Answer = (string | string[])[] | Partial<DnsFinding>;
type Answers = Partial<Record<DomainRecordKind, Answer>>;
type Scene = {
  /** Both servers' answers for a record; other records have their expected value. */
  says?: Answers;
  /** The second server's answer, if it differs. */
  second?: Answers;
  resolver?: Answers;
  spf?: Partial<SpfReading>;
  servers?: string[];
  elsewhere?: Record<string, Answer>;
  wildcard?: Answer;
  hosts?: Record<string, { addresses: string[]; isAlias: boolean }>;
  provider?: string;
  unproven?: boolean;
};

function finding(answer: Answer, server: string): DnsFinding {
  const empty = { server, address: null, cname: null, reason: null, records: [] };
  if (!Array.isArray(answer))
    return { ...empty, kind: answer.reason ? "failed" : "no_name", ...answer };
  const records = answer.map((one) => (typeof one === "string" ? [one] : one));
  return { ...empty, kind: records.length > 0 ? "found" : "no_name", records };
}

/** The findings for a correct domain, except for what `scene` changes. */
function told(scene: Scene) {
  const provable = {
    name: DOMAIN,
    ownershipToken: "abc",
    trackingSubdomain: null,
    ownershipProvenAt: scene.unproven ? null : "2026-01-01",
  };
  const sources = {
    dkimKeys: KEYS,
    hostname: HOST,
    mtaStsId: "01ab",
  };
  const kinds = domainRecords(provable, { ...sources, findings: [] }).map(({ record }) => record);
  const answersOf = (kind: DomainRecordKind): DnsFinding[] => {
    const right: Answer = OURS[kind] === HOST ? [["10", HOST]] : [OURS[kind]];
    const one = scene.says?.[kind] ?? right;
    const other = scene.second?.[kind] ?? one;
    const servers = scene.servers ?? SERVERS;
    return [
      ...servers.map((server, at) => finding(at === 0 ? one : other, server)),
      finding(scene.resolver?.[kind] ?? one, "resolver"),
    ].map((answer) =>
      kind === "spf" && answer.kind === "found" && scene.spf
        ? {
            ...answer,
            spf: { authorizes: "no", error: null, lookups: 1, hostAddresses: [], ...scene.spf },
          }
        : answer,
    );
  };
  const findings = kinds.map((record) => {
    const answers = answersOf(record);
    const isRight = scene.says?.[record] === undefined || scene.spf?.authorizes === "yes";
    return { record, answers, isVerified: isRight };
  });
  const cases = domainRecords(provable, { ...sources, findings }).map((record): RecordCase => ({
    record,
    domain: DOMAIN,
    zone: "example.com",
    answers: findings.find(({ record: kind }) => kind === record.record)!.answers,
    expectation: { hostname: HOST, ownership: OURS.ownership, dkimKeys: KEYS, mtaStsId: "01ab" },
    probes: {
      ...noProbes(),
      elsewhere: new Map(
        Object.entries(scene.elsewhere ?? {}).map(([at, answer]) => [at, [finding(answer, "ns1")]]),
      ),
      wildcard: scene.wildcard ? [finding(scene.wildcard, "ns1")] : [],
      hosts: new Map(Object.entries(scene.hosts ?? {})),
      negativeTtl: 3600,
    },
    provider: findProvider([scene.provider ?? ""]),
    domainServers: scene.servers?.length === 0 ? [] : SERVERS,
    isAuthenticated: scene.says?.dkim === undefined,
  }));
  return diagnose(cases);
}
const codes = (scene: Scene) => told(scene).map(({ record, code }) => `${record ?? "all"} ${code}`);

describe("The doctor", () => {
  test("finds no problems in a correct domain, before and after ownership verification", () => {
    expect(codes({})).toEqual([]);
    expect(codes({ unproven: true })).toEqual([]);
    expect(codes({ says: { mta_sts: [], tls_rpt: [] } })).toEqual([]);
    const unused = { dkim_ed25519: [], return_path_mx: [], return_path_spf: [] };
    expect(codes({ says: unused })).toEqual([]);
  });

  test("doesn't take the records of the domain for those of its return path", () => {
    const elsewhere = { [`MX ${DOMAIN}`]: [["10", HOST]], [`TXT ${DOMAIN}`]: [OURS.spf] };
    expect(codes({ says: { return_path_mx: [], return_path_spf: [] }, elsewhere })).toEqual([]);
  });

  test.each<[string, Scene, string[]]>([
    ["nothing is there", { says: { dkim: [] } }, ["dkim not_found"]],
    ["no proof is there", { unproven: true, says: { ownership: [] } }, ["ownership not_found"]],
    [
      "the proof of another",
      { unproven: true, says: { ownership: ["svc-verify=xyz"] } },
      ["ownership different_value"],
    ],
    [
      "the domain is there twice",
      {
        says: { dmarc: [] },
        elsewhere: { [`TXT _dmarc.${DOMAIN}.example.com`]: [OURS.dmarc] },
      },
      ["dmarc domain_twice"],
    ],
    [
      "it stands at the domain itself",
      { says: { dkim: [] }, elsewhere: { [`TXT ${DOMAIN}`]: ["other", OURS.dkim] } },
      ["dkim wrong_host"],
    ],
    [
      "the selector stands without _domainkey",
      { says: { dkim: [] }, elsewhere: { [`TXT ph1.${DOMAIN}`]: [OURS.dkim] } },
      ["dkim wrong_host"],
    ],
    [
      "the registered domain has a DMARC record of its own",
      { says: { dmarc: [] }, elsewhere: { "TXT _dmarc.example.com": [OURS.dmarc] } },
      ["dmarc not_found"],
    ],
    ["quotes inside", { says: { dkim: [`"${OURS.dkim}"`] } }, ["dkim quotes_in_value"]],
    ["quotes inside SPF", { says: { spf: ["other", `"${OURS.spf}"`] } }, ["spf quotes_in_value"]],
    [
      "a space lost in SPF",
      { says: { spf: [["v=spf1 mx", `a:${HOST}`, "~all"]] } },
      ["spf split_lost_space"],
    ],
    [
      "an alias",
      { says: { dmarc: { kind: "no_data", cname: "x.dmarc.net" } } },
      ["dmarc alias_in_the_way"],
    ],
    [
      "a wildcard",
      { says: { dkim: ["catch all"] }, wildcard: ["catch all"] },
      ["dkim wildcard_answers"],
    ],
    [
      "two SPF records",
      { says: { spf: ["v=spf1 mx -all", "v=spf1 include:x.net ~all"] } },
      ["spf spf_several"],
    ],
    [
      "an SPF record without us",
      { says: { spf: ["v=spf1 mx -all"] }, spf: {} },
      ["spf spf_not_authorized"],
    ],
    [
      "no end",
      { says: { spf: ["v=spf1 mx"] }, spf: {} },
      ["spf spf_not_authorized", "spf spf_no_end"],
    ],
    [
      "everybody",
      { says: { spf: ["v=spf1 +all"] }, spf: { authorizes: "yes" } },
      ["spf spf_allows_all"],
    ],
    [
      "too many look-ups",
      { says: { spf: ["v=spf1 include:a.net -all"] }, spf: { lookups: 12, error: "x" } },
      ["spf spf_lookups"],
    ],
    [
      "a wrong word",
      { says: { spf: [`v=spf1 ip:1.2.3.4 a:${HOST} -all`] }, spf: {} },
      ["spf spf_syntax"],
    ],
    [
      "an include that fails",
      { says: { spf: ["v=spf1 include:a.net -all"] }, spf: { authorizes: "open" } },
      ["spf spf_unanswered"],
    ],
    [
      "void look-ups",
      { says: { spf: ["v=spf1 a:x.net -all"] }, spf: { error: "Too many void" } },
      ["spf spf_error"],
    ],
    ["a revoked key", { says: { dkim: ["v=DKIM1; p="] } }, ["dkim dkim_revoked"]],
    ["a cut key", { says: { dkim: [OURS.dkim.slice(0, 255)] } }, ["dkim dkim_truncated"]],
    ["another key", { says: { dkim: ["v=DKIM1; p=MIIBother"] } }, ["dkim dkim_other_key"]],
    ["an unusable key", { says: { dkim: [`${OURS.dkim}; h=sha1`] } }, ["dkim dkim_unusable"]],
    ["no key at all", { says: { dkim: ["hello"] } }, ["dkim different_value"]],
    [
      "two DMARC records",
      { says: { dmarc: [OURS.dmarc, "v=DMARC1; p=reject"] } },
      ["dmarc dmarc_several"],
    ],
    [
      "an unreadable DMARC record",
      { says: { dmarc: ["v=DMARC1; none"] } },
      ["dmarc dmarc_invalid"],
    ],
    ["reports elsewhere", { says: { dmarc: ["v=DMARC1; p=none"] } }, ["dmarc dmarc_no_reports"]],
    [
      "reports that the appliance's domain has not agreed to",
      { elsewhere: { [`TXT ${DOMAIN}._report._dmarc.${HOST}`]: [] } },
      ["dmarc dmarc_reports_not_allowed"],
    ],
    [
      "reports that it has agreed to",
      { elsewhere: { [`TXT ${DOMAIN}._report._dmarc.${HOST}`]: ["v=DMARC1;"] } },
      [],
    ],
    [
      "a policy before DKIM",
      { says: { dkim: [], dmarc: [OURS.dmarc.replace("none", "reject")] } },
      ["dkim not_found", "dmarc dmarc_too_strict"],
    ],
    ["mail elsewhere", { says: { mx: [["1", "mx.other.net"]] } }, ["mx mx_elsewhere"]],
    ["no mail", { says: { mx: [["0", ""]] } }, ["mx mx_null"]],
    [
      "mail also elsewhere",
      {
        says: {
          mx: [
            ["10", HOST],
            ["20", "mx.other.net"],
          ],
        },
      },
      ["mx mx_other_provider"],
    ],
    ["an address as MX", { says: { mx: [["10", "192.0.2.1"]] } }, ["mx mx_is_address"]],
    [
      "an MX with the domain added",
      { says: { mx: [["10", `${HOST}.example.com`]] } },
      ["mx mx_domain_added"],
    ],
    [
      "an alias as MX",
      {
        says: { mx: [["10", `mx.${DOMAIN}`]] },
        hosts: { [`mx.${DOMAIN}`]: { addresses: ["192.0.2.1"], isAlias: true } },
      },
      ["mx mx_is_alias"],
    ],
    [
      "a proxy before the MX",
      {
        says: { mx: [["10", `mx.${DOMAIN}`]] },
        hosts: { [`mx.${DOMAIN}`]: { addresses: ["104.16.1.1"], isAlias: false } },
      },
      ["mx mx_proxied"],
    ],
    [
      "a proxy before the appliance",
      { hosts: { [HOST]: { addresses: ["2606:4700::1"], isAlias: false } } },
      ["mx mx_proxied"],
    ],
    [
      "MX as text",
      { says: { mx: [], spf: [OURS.spf, `${HOST}.`] }, spf: { authorizes: "yes" } },
      ["mx wrong_type"],
    ],
    ["the next key isn't there yet", { says: { dkim_next: [] } }, ["dkim_next not_found"]],
    [
      "an Ed25519 key published as RSA",
      { says: { dkim_ed25519: [OURS.dkim_ed25519.replace("ed25519", "rsa")] } },
      ["dkim_ed25519 dkim_unusable"],
    ],
    [
      "a return path that leads elsewhere",
      { says: { return_path_mx: [["10", "feedback.other.net"]] } },
      ["return_path_mx different_value"],
    ],
    ["a server that lags", { second: { dkim: [] } }, ["dkim server_behind"]],
    ["an old copy", { resolver: { dkim: [] } }, ["dkim old_copy"]],
  ])("%s", (_, scene, expected) => {
    expect(codes(scene)).toEqual(expected);
  });

  test("recognizes that _domainkey is delegated to other servers", () => {
    const problems = told({ says: { dkim: [] } });
    expect(problems).toHaveLength(1);
    const away = diagnose([
      {
        ...caseOf(problems),
        answers: [finding([], "ns.elsewhere.net"), finding([], "resolver")],
      },
    ]);
    expect(away).toMatchObject([{ code: "delegated_away", found: "NS ns.elsewhere.net" }]);
  });

  const silence = (reason: string) =>
    Object.fromEntries(
      Object.keys(OURS)
        .filter((kind) => kind !== "ownership")
        .map((kind) => [kind, { reason }]),
    );
  test("reports problems with the name servers", () => {
    expect(codes({ says: silence("TIMEOUT") })).toEqual(["all servers_silent"]);
    expect(codes({ resolver: silence("SERVFAIL") })).toEqual(["all dnssec_broken"]);
    expect(codes({ servers: [], resolver: silence("SERVFAIL") })).toEqual(["all no_answer"]);
    expect(codes({ second: silence("REFUSED") })).toEqual(["all server_lame"]);
    const nothing = Object.fromEntries(Object.keys(silence("")).map((kind) => [kind, []]));
    expect(codes({ servers: [], says: nothing })[0]).toBe("all unknown_domain");
  });

  test("describes what to enter at the domain's provider", () => {
    const step = (provider: string) => told({ provider, says: { dmarc: [] } })[0]!.steps[0];
    expect(step("gina.ns.cloudflare.com")).toBe(
      `At Cloudflare, add a TXT record with the host _dmarc.shop (most forms append .example.com automatically) and the value ${OURS.dmarc}.`,
    );
    expect(step("ns-12.awsdns-34.co.uk")).toContain(`the value "${OURS.dmarc}"`);
    expect(step("ns.inwx.de")).toContain(`for _dmarc.${DOMAIN} with the value`);
    const mx = told({ provider: "dns1.ovh.net", says: { mx: [] } })[0]!.steps[0];
    expect(mx).toContain("add an MX record with the host");
    expect(mx).toContain(`the mail server ${HOST}. and the priority 10`);
  });

  test("never fails, and explains every record that does not count", () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.values(OURS)),
      fc.string().map((rest) => `v=spf1 ${rest}`),
      fc.string().map((rest) => `v=DMARC1; ${rest}`),
      fc.string().map((rest) => `v=DKIM1; ${rest}`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("spf", "dkim", "dmarc"),
        fc.array(fc.array(text)),
        (kind, records) => {
          const answer = records.length === 2 ? [...records, []] : records;
          const problems = told({ says: { [kind]: answer } });
          for (const { title, explanation, steps } of problems)
            expect([title, explanation, ...steps].every((words) => words.length > 5)).toBe(true);
        },
      ),
    );
  });
});

function caseOf(problems: ReturnType<typeof told>): RecordCase {
  return {
    record: {
      record: "dkim",
      name: `ph1._domainkey.${DOMAIN}`,
      type: "TXT",
      value: problems[0]!.expected!,
      isVerified: false,
      isRequired: true,
    },
    domain: DOMAIN,
    zone: "example.com",
    answers: [],
    probes: noProbes(),
    provider: null,
    expectation: { hostname: HOST, ownership: "", dkimKeys: KEYS, mtaStsId: "" },
    domainServers: SERVERS,
    isAuthenticated: false,
  };
}

test("lists the hosts where a record is published by mistake", () => {
  const at = (name: string, domain = "example.com") => misplacedNames(domain, { name });
  expect(at("_dmarc.example.com")).toEqual([
    "_dmarc.example.com.example.com",
    "example.com",
    "dmarc.example.com",
  ]);
  expect(at("s1._domainkey.example.com")).toContain("s1.example.com");
  expect(at("example.com")).toEqual(["example.com.example.com"]);
  expect(at("_dmarc.shop.example.com", "shop.example.com")).toContain("_dmarc.example.com");
});
