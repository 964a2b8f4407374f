import { isIP } from "node:net";

import type { DMARCResult } from "mailauth";
import { getDomain } from "tldts";

import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { addressDomain, readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { programFile } from "#server/processes/program-file.ts";

import { boundedResolve, type Resolve } from "./caching-resolver.ts";
import { selectSignatures } from "./internal/select-signatures.ts";
import { findTrustedPass, isTrustedKeyUnavailable } from "./internal/trusted-seal.ts";
import type { DkimSignature, KeyAnswer, VerifiedSignatures } from "./internal/verify-signatures.ts";

export type SmtpClient = {
  /** Return path; "" for the null sender. */
  sender: string;
  /** The client's EHLO name. */
  helo: string;
  clientAddress: string;
};

/** The authentication results of an incoming message, in the terms of RFC 8601. */
export type Verdict = Signatures & {
  spf: SpfResult;
  dmarc: DmarcResult;
  /** The address in From; null if there is none, several or an invalid one. */
  from: string | null;
  /**
   * SPF or DKIM passed in alignment with the domain of `from` (DMARC), whether or not it has a policy, here or at a
   * trusted forwarder.
   */
  isFromVerified: boolean;
  /** The return path is authentic, so it can get a bounce. */
  isSenderVerified: boolean;
  /** A DNS lookup failed, so a later check may come out differently. */
  isUncertain: boolean;
  /** Our Authentication-Results field, folded and terminated by CRLF. */
  header: string;
};

/**
 * Checks SPF, DKIM, DMARC and ARC of a message (RFC 7208, 6376, 7489, 8617) with a limited number of DNS lookups,
 * for at most 20 seconds. DNS failures yield `temperror`. Signatures are verified in a thread.
 *
 * @param trustedSealers domains of forwarders whose ARC seals can turn a DMARC failure into a pass
 * @throws VerificationTimeout if verifying the signatures takes too long
 */
export async function verifyMessage(
  { message, ...origin }: SmtpClient & { message: Message },
  {
    resolver,
    hostname,
    trustedSealers,
  }: { resolver: Pick<Resolver, "resolve">; hostname: string; trustedSealers: string[] },
): Promise<Verdict> {
  const resolve = boundedResolve(resolver);
  const { from, fromDomain } = message.header;
  const [spf, signatures] = await Promise.all([
    checkSpf(origin, { resolve, hostname }),
    checkSignatures(message, resolve),
  ]);
  const { dkim, arc } = signatures;
  const checked = await checkDmarc(fromDomain, { spf, dkim, resolve });
  const dmarc = overrideFailure(checked, arc, trustedSealers);
  const verdict = { ...signatures, spf, dmarc, from };
  const isFromVerified = dmarc.isAligned;
  return {
    ...verdict,
    isFromVerified,
    isSenderVerified: isSenderVerified(origin.sender, { spf, from, isFromVerified }),
    isUncertain:
      [spf, dmarc, ...dkim.signatures].some(({ result }) => result === "temperror") ||
      (arc.result === "fail" &&
        (await isTrustedKeyUnavailable(arc.sets, { trustedSealers, resolve }))),
    header: authenticationResults(hostname, verdict),
  };
}

function isSenderVerified(
  sender: string,
  { spf, from, isFromVerified }: Pick<Verdict, "spf" | "from" | "isFromVerified">,
): boolean {
  if (sender === "") return false;
  if (spf.result === "pass") return true;
  return (
    isFromVerified && from !== null && addressDomain(from) === addressDomain(sender).toLowerCase()
  );
}

export type SpfResult = {
  result: "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror";
  /** The domain that was checked: that of the return path, or EHLO for the null sender. */
  domain: string | null;
  identity: "mailfrom" | "helo";
};

const RESULTS = ["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"] as const;

/** Replaces underscores: mailauth considers a return path's domain with one invalid. */
const UNDERSCORE = "5f5f5f";

/** Checks whether the domain of the return path allows this address to send (RFC 7208). */
export async function checkSpf(
  { sender, helo, clientAddress }: SmtpClient,
  { resolve, hostname }: { resolve: Resolve; hostname: string },
): Promise<SpfResult> {
  const identity = sender === "" ? "helo" : "mailfrom";
  const domain = readSenderDomain(sender === "" ? helo : sender.slice(sender.lastIndexOf("@") + 1));
  if (!domain || isIP(clientAddress) === 0) return { result: "none", domain, identity };
  const { spf } = await import("mailauth/lib/spf/index.js");
  const hides = domain.includes("_");
  const { status } = await spf({
    sender: `${sender === "" ? "postmaster" : sender.slice(0, sender.lastIndexOf("@"))}@${
      hides ? domain.replaceAll("_", UNDERSCORE) : domain
    }`,
    ip: clientAddress,
    helo: readSenderDomain(helo) ?? domain,
    mta: hostname,
    resolver: hides ? (name, type) => resolve(name.replaceAll(UNDERSCORE, "_"), type) : resolve,
  });
  const result = RESULTS.find((known) => known === status.result) ?? "temperror";
  return { result, domain, identity };
}

type DmarcResult = {
  result: "pass" | "fail" | "none" | "temperror" | "permerror";
  /** The policy for mail that fails, of the domain or its parent; one step weaker in test mode. Null without a record. */
  policy: "none" | "quarantine" | "reject" | null;
  /** The domain of From. */
  domain: string | null;
  /** SPF or a DKIM signature passed for the domain of From, with or without a DMARC record, or there is an override. */
  isAligned: boolean;
  /** The seal of a trusted forwarder that turned a failure into a pass. */
  override: { sealer: string; instance: number } | null;
  /** For the report that the domain asks for; null if it doesn't. */
  reporting: {
    /** The domain with the record: that of From or its organizational domain. */
    domain: string;
    isSpfAligned: boolean;
    isDkimAligned: boolean;
  } | null;
};

const POLICIES = ["none", "quarantine", "reject"] as const;

/**
 * Checks DMARC (RFC 7489): SPF or DKIM must pass for the domain of From, or for one with the same organizational
 * domain unless the record demands strict alignment.
 */
async function checkDmarc(
  domain: string | null,
  { spf, dkim, resolve }: { spf: SpfResult; dkim: Signatures["dkim"]; resolve: Resolve },
): Promise<DmarcResult> {
  if (domain === null)
    return {
      result: "none",
      policy: null,
      domain,
      isAligned: false,
      override: null,
      reporting: null,
    };
  const record = await findRecord(domain, resolve);
  const isSpfAligned =
    spf.result === "pass" && isAlignedWith(domain, spf.domain, record.isSpfStrict);
  const isDkimAligned = dkim.signatures.some(
    (one) => one.result === "pass" && isAlignedWith(domain, one.domain, record.isDkimStrict),
  );
  const isAligned = isSpfAligned || isDkimAligned;
  const { status, policy, reporter } = record;
  const result = status === "found" ? (isAligned ? "pass" : "fail") : status;
  const reporting = reporter === null ? null : { domain: reporter, isSpfAligned, isDkimAligned };
  return { result, policy, domain, isAligned, override: null, reporting };
}

/**
 * Lets a message that fails DMARC pass if it did so for a trusted forwarder, as a valid ARC chain proves
 * (RFC 8617, 7.2.1). Forwarding breaks SPF, and mailing lists break DKIM.
 */
function overrideFailure(
  dmarc: DmarcResult,
  arc: Signatures["arc"],
  trustedSealers: string[],
): DmarcResult {
  const { result, domain } = dmarc;
  if (result !== "fail" || domain === null || arc.result !== "pass") return dmarc;
  const isAligned = (from: string) => isAlignedWith(domain, from, false);
  const seal = findTrustedPass(arc.sets, { trustedSealers, isAligned });
  if (seal === null) return dmarc;
  const override = { sealer: seal.sealer!, instance: seal.instance };
  return { ...dmarc, result: "pass", isAligned: true, override };
}

type DmarcRecord = {
  status: "found" | "none" | "temperror";
  policy: DmarcResult["policy"];
  isSpfStrict: boolean;
  isDkimStrict: boolean;
  /** The domain with the record, if that asks for reports by email. */
  reporter: string | null;
};

async function findRecord(domain: string, resolve: Resolve): Promise<DmarcRecord> {
  // Only use mailauth to find the record. Its DNS tree walk (RFC 9989, 4.10) ends at the organizational domain of the
  // Public Suffix List, which alignment follows too: one lookup less for each message.
  const resolver: Resolve = (name, type) =>
    organizationalDomain(name.replace(/^_dmarc\./, "")) === null
      ? Promise.reject(Object.assign(new Error("Public suffix"), { code: "ENODATA" }))
      : resolve(name, type);
  const { dmarc } = await import("mailauth/lib/dmarc/index.js");
  const found = await dmarc({ headerFrom: [`x@${domain}`], resolver });
  const none = { policy: null, isSpfStrict: false, isDkimStrict: false, reporter: null };
  if (!found || found.status.result === "none") return { status: "none", ...none };
  if (found.status.result === "temperror") return { status: "temperror", ...none };
  const { spf, dkim } = found.alignment;
  return {
    status: "found",
    policy: effectivePolicy(found),
    isSpfStrict: spf.strict,
    isDkimStrict: dkim.strict,
    reporter: asksForReports(found.rr) ? (found.policyDomain ?? null) : null,
  };
}

const asksForReports = (record: string | undefined) =>
  /;\s*rua\s*=[^;]*mailto:/i.test(record ?? "");

/** Test mode weakens the policy by one step: mailauth knows `t=y` (RFC 9989), but not the `pct=0` of RFC 7489. */
function effectivePolicy({
  policy,
  testMode,
  rr,
}: Pick<DMARCResult, "policy" | "testMode" | "rr">): DmarcResult["policy"] {
  const at = Math.max(
    0,
    POLICIES.findIndex((known) => known === policy),
  );
  const isTried = !testMode && /;\s*pct\s*=\s*0+\s*(;|$)/i.test(rr ?? "");
  return POLICIES[isTried ? Math.max(0, at - 1) : at]!;
}

function isAlignedWith(domain: string, other: string | null, isStrict: boolean): boolean {
  if (other === null) return false;
  if (isStrict || domain === other) return domain === other;
  const organization = organizationalDomain(domain);
  return organization !== null && organization === organizationalDomain(other);
}

const organizationalDomain = (domain: string) => getDomain(domain, { allowPrivateDomains: true });

/**
 * The Authentication-Results field of a verdict (RFC 8601), folded and terminated by CRLF. Its values were parsed
 * strictly; no text of the message is copied into it.
 */
function authenticationResults(
  hostname: string,
  { spf, dkim, dmarc, arc }: Pick<Verdict, "spf" | "dkim" | "dmarc" | "arc">,
): string {
  const signatures = dkim.signatures.map(
    ({ result, domain, selector, algorithm, mark }) =>
      `dkim=${result} header.d=${domain}` +
      property("header.s", selector) +
      property("header.a", algorithm) +
      (mark === "" ? "" : ` header.b="${mark}"`),
  );
  const reason = dmarc.override
    ? ` reason="arc=pass as[${dmarc.override.instance}].d=${dmarc.override.sealer}"`
    : "";
  const policy = dmarc.policy === null ? "" : ` (p=${dmarc.policy})`;
  return `${[
    `Authentication-Results: ${hostname}`,
    `spf=${spf.result}${property(`smtp.${spf.identity}`, spf.domain)}`,
    ...(signatures.length > 0 ? signatures : ["dkim=none"]),
    `dmarc=${dmarc.result}${reason}${policy}${property("header.from", dmarc.domain)}`,
    `arc=${arc.result}`,
  ].join(";\r\n\t")}\r\n`;
}

const property = (name: string, value: string | null) => (value ? ` ${name}=${value}` : "");

type Signatures = {
  /** `pass` if a signature of any domain passes. */
  dkim: { result: DkimSignature["result"] | "none"; signatures: DkimSignature[] };
  /** `sets` are as their sealers wrote them, whatever the result. */
  arc: VerifiedSignatures["arc"];
};

/** Verifying a message's signatures took too long or too much memory. A retry may succeed. */
export class VerificationTimeout extends Error {}

type Details = { keys: Map<string, KeyAnswer>; checksArc: boolean };

// Two, so that a message that takes long doesn't hold up the others.
const threads = new ParserThread<VerifiedSignatures | null, Details>(
  programFile("server/core/mail/authentication/internal/verifier-worker.ts"),
  // The largest message of short lines takes longer, any other one a few seconds.
  { timeoutMs: 20_000, onExceeded: () => null, threads: 2 },
);

/**
 * Checks the DKIM signatures and the ARC chain of a message (RFC 6376, 8617) in a thread, since it is untrusted and
 * the hash of a large body takes a good part of a second.
 *
 * @throws VerificationTimeout
 */
async function checkSignatures(message: Message, resolve: Resolve): Promise<Signatures> {
  const { hasSignatures, arcFields, isChainTooLong, keyNames } = selectSignatures(message);
  const unchecked = { result: isChainTooLong ? "fail" : "none", sets: [] } as const;
  if (!hasSignatures && arcFields === 0)
    return { dkim: { result: "none", signatures: [] }, arc: { ...unchecked, sets: [] } };
  const keys = await lookUpKeys(keyNames, resolve);
  const details = { keys, checksArc: arcFields > 0 };
  const verified = await threads.parse(message.raw, { details });
  if (verified === null) throw new VerificationTimeout("Verifying the signatures took too long");
  const { signatures, arc } = verified;
  return {
    dkim: { result: overallResult(signatures), signatures },
    arc: isChainTooLong ? { ...unchecked, sets: [] } : arc,
  };
}

/** Looks up keys ahead, so that the thread never waits for DNS and its deadline limits computing time only. */
async function lookUpKeys(names: string[], resolve: Resolve): Promise<Map<string, KeyAnswer>> {
  const lookUp = async (name: string): Promise<[string, KeyAnswer]> => {
    try {
      return [name, { records: await resolve(name, "TXT") }];
    } catch (error) {
      return [name, { code: String((error as { code?: unknown }).code) }];
    }
  };
  return new Map(await Promise.all(names.map(lookUp)));
}

const overallResult = (signatures: DkimSignature[]): Signatures["dkim"]["result"] =>
  (["pass", "temperror"] as const).find((word) =>
    signatures.some(({ result }) => result === word),
  ) ??
  signatures[0]?.result ??
  "none";
