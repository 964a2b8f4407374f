import type { IncomingMessage } from "node:http";

import { findAccountUser } from "#server/core/access/sessions/account-sessions.ts";
import {
  appleProfile,
  type ProfileOwner,
} from "#server/core/mailboxes/client-settings/apple-profile.ts";
import {
  autoconfigXml,
  type AutodiscoverError,
  autodiscoverErrorXml,
  autodiscoverXml,
  OUTLOOK_SCHEMA,
  readAutodiscover,
  type AllowedProtocols,
  findMailAddress,
  findMailDomain,
  readAllowedProtocols,
} from "#server/core/mailboxes/client-settings/client-settings.ts";
import { isFromAuthority, loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import { cutOff, type Exchange, type WebReply } from "./exchange.ts";

const NO_DOMAIN: WebReply = {
  status: 404,
  type: "text/plain",
  body: "This server doesn't handle mail for that domain\n",
};

/** Without an address, the Host header names the domain. A port after it is ignored. */
const HOST = /^(?:autoconfig\.)?([a-z0-9._-]{1,253}?)\.?(?::\d*)?$/i;

/**
 * Thunderbird's autoconfig (`/mail/config-v1.1.xml`, also below `/.well-known/autoconfig`): 404 for a domain that no
 * company has. Doesn't reveal whether a mailbox exists.
 */
export async function autoconfig(exchange: Exchange): Promise<WebReply> {
  const domain = await autoconfigDomain(exchange);
  if (!domain) return NO_DOMAIN;
  return {
    status: 200,
    type: "text/xml",
    body: autoconfigXml(domain),
    headers: { "cache-control": "public, max-age=300" },
  };
}

async function autoconfigDomain(exchange: Exchange) {
  const address = queryOf(exchange).get("emailaddress");
  if (address !== undefined) return findMailAddress(db(), address);
  const [, name] = HOST.exec(exchange.request.headers.host ?? "") ?? [];
  return name === undefined ? null : findMailDomain(db(), name);
}

/** Outlook's own requests have a few hundred bytes. */
const AUTODISCOVER_BYTES_MAX = 16_384;

/**
 * Outlook's Autodiscover ("POX"). Outlook uses GET to find a host with a valid certificate: requests to any other name
 * are redirected to the appliance's hostname.
 */
export async function autodiscover(exchange: Exchange): Promise<WebReply | null> {
  if (exchange.request.method !== "POST") return autodiscoverHost(exchange);
  const body = await readText(exchange.request);
  if (body === null) {
    cutOff(exchange);
    return null;
  }
  const { address, schema } = readAutodiscover(body);
  if (address === "") return autodiscoverFailure("invalid_request", 200);
  if (schema !== "" && schema.toLowerCase() !== OUTLOOK_SCHEMA)
    return autodiscoverFailure("unsupported_schema", 200);
  const found = await findMailAddress(db(), address);
  if (!found) return autodiscoverFailure("unknown_address", 404);
  return { status: 200, type: "text/xml", body: autodiscoverXml(found) };
}

function autodiscoverHost({ request }: Exchange): WebReply {
  const { baseUrl } = config();
  if (request.headers.host?.toLowerCase() === new URL(baseUrl).host)
    return autodiscoverFailure("invalid_request", 200);
  return { status: 302, headers: { location: `${baseUrl}/autodiscover/autodiscover.xml` } };
}

const autodiscoverFailure = (error: AutodiscoverError, status: number): WebReply => ({
  status,
  type: "text/xml",
  body: autodiscoverErrorXml(error, new Date()),
});

/** Returns null if the body is too long. */
async function readText(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > AUTODISCOVER_BYTES_MAX) return null;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= AUTODISCOVER_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData);
      resolve(null);
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.once("error", reject);
    request.once("close", () =>
      reject(new Error("The request ended before its body was complete")),
    );
  });
}

/** The only protocol that Posthouse offers in Autodiscover v2. */
const PROTOCOL = "AutodiscoverV1";

/** Autodiscover v2, which points to v1. The address is in the path or in `Email`. */
export async function autodiscoverJson(exchange: Exchange, pathAddress: string): Promise<WebReply> {
  const query = queryOf(exchange);
  const protocol = query.get("protocol");
  const address = query.get("email") ?? decoded(pathAddress);
  if (!protocol) return missingParameter("Protocol");
  if (address === "") return missingParameter("Email");
  if (protocol.toLowerCase() !== PROTOCOL.toLowerCase())
    return json(400, {
      ErrorCode: "InvalidProtocol",
      ErrorMessage: `The given protocol value is invalid. Supported values are '${PROTOCOL}'`,
    });
  if (!(await findMailAddress(db(), address)))
    return json(404, { ErrorCode: "UserNotFound", ErrorMessage: "The given user is not found" });
  return json(200, {
    Protocol: PROTOCOL,
    Url: `${config().baseUrl}/autodiscover/autodiscover.xml`,
  });
}

const missingParameter = (parameter: string) =>
  json(400, {
    ErrorCode: "MandatoryParameterMissing",
    ErrorMessage: `A valid value must be provided for the query parameter '${parameter}'`,
  });

const json = (status: number, value: Record<string, string>): WebReply => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

/** Decodes an address; malformed percent-encoding matches no mailbox. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "?";
  }
}

/** `/apple.mobileconfig?email=…`: the profile for Apple's mail apps, for any address of a company's domain. */
export async function domainProfile(exchange: Exchange): Promise<WebReply> {
  const found = await findMailAddress(db(), queryOf(exchange).get("email") ?? "");
  return found ? profileReply({ ...found, name: null }) : NO_DOMAIN;
}

/** `/account/apple.mobileconfig`: the profile for the signed-in mailbox user. */
export async function accountProfile({ request }: Exchange): Promise<WebReply> {
  const user = await findAccountUser(db(), request.headers.cookie ?? "");
  if (user) return profileReply(user, await readAllowedProtocols(db(), user.address));
  const location = "/account/sign-in?next=%2Faccount%2Fset-up";
  return { status: 302, headers: { location } };
}

async function profileReply(owner: ProfileOwner, allowed?: AllowedProtocols): Promise<WebReply> {
  const profile = appleProfile(owner, allowed);
  if (profile === null)
    return { status: 403, type: "text/plain", body: "Your company does not allow mail apps\n" };
  return {
    status: 200,
    type: "application/x-apple-aspen-config",
    body: (await signed(profile)) ?? profile,
    headers: { "content-disposition": `attachment; filename="mail.mobileconfig"` },
  };
}

/** Signs with the trusted certificate; a self-signed one would only cause a warning. */
async function signed(profile: string): Promise<Buffer | null> {
  const now = new Date();
  const certificate = await loadCertificate(config(), now);
  if (!isFromAuthority(certificate)) return null;
  const { signProfile } = await import("#server/core/mailboxes/client-settings/sign-profile.ts");
  return signProfile(profile, certificate, now);
}

/** Parses the query, with names in lower case: mail apps spell them differently. */
function queryOf({ query }: Exchange): Map<string, string> {
  return new Map(
    [...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]),
  );
}
