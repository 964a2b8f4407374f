import { z } from "zod";

import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { parseJson } from "#server/universal/parse-json.ts";

/** A DNS provider that can apply the template to a zone. */
export type ConnectProvider = {
  /** For display. */
  name: string;
  zone: string;
  /** Without a trailing slash. */
  urlSyncUX: string;
};

/** How providers are reached. */
export type ConnectGateways = { http: OutgoingHttp; resolver: Pick<Resolver, "txt"> };

const TIMEOUT_MS = 4_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/** A URL that paths are appended to. */
const UrlPrefix = z
  .url({ protocol: /^https$/ })
  .max(500)
  .refine((text) => !/[?#@]/.test(text))
  .transform((text) => text.replace(/\/+$/, ""));

const Name = z.string().trim().min(1).max(100);

const Settings = z.looseObject({
  providerName: Name,
  providerDisplayName: Name.optional().catch(undefined),
  urlSyncUX: UrlPrefix,
  urlAPI: UrlPrefix,
  crit: z.array(z.string()).default([]),
});

/** The properties that a provider may list in `crit`. */
const KNOWN = ["providerId", "nameServers", ...Object.keys(Settings.shape)];

/**
 * Finds the provider that hosts a domain's zone and has the template. Null if it doesn't support Domain Connect, can't be
 * reached, or violates the standard.
 *
 * @param names the domain and its parents, longest first; only the zone itself has the record
 * @param templatePath below the provider's API
 */
export async function discoverProvider(
  { http, resolver }: ConnectGateways,
  names: string[],
  templatePath: string,
): Promise<ConnectProvider | null> {
  for (const zone of names) {
    const answer = await resolver.txt(`_domainconnect.${zone}`);
    const prefix = answer.kind === "found" && answer.records.find(isPrefix);
    const settings = prefix ? await readSettings(http, prefix, zone) : null;
    if (!settings) continue;
    const template = await get(http, settings.urlAPI + templatePath);
    if (template === null) return null;
    const { providerName, providerDisplayName: name = providerName, urlSyncUX } = settings;
    return { name, zone, urlSyncUX };
  }
  return null;
}

/** The record has a host and an optional port and path, without a scheme. */
const isPrefix = (text: string) =>
  /^[a-z0-9.-]+(:\d{1,5})?(\/[\w.~/-]*)?$/i.test(text) && URL.canParse(`https://${text}`);

async function readSettings(http: OutgoingHttp, prefix: string, zone: string) {
  const text = await get(http, `https://${prefix.replace(/\/+$/, "")}/v2/${zone}/settings`);
  const { success, data } = Settings.safeParse(readJson(text));
  if (!success) return null;
  const hasUnknown = data.crit.some((name) => name in data && !KNOWN.includes(name));
  return hasUnknown ? null : data;
}

function readJson(text: string | null): unknown {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return null;
  }
}

/** The body of a successful answer, otherwise null. */
async function get(http: OutgoingHttp, url: string): Promise<string | null> {
  try {
    const { status, body } = await http.request({
      ...{ url, method: "GET", headers: { accept: "application/json" } },
      ...{ timeoutMs: TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX },
    });
    return status >= 200 && status < 300 ? body.toString("utf8") : null;
  } catch (error) {
    if (error instanceof OutgoingFailure) return null;
    throw error;
  }
}
