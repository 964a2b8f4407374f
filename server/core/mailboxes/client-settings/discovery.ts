import { Parser } from "htmlparser2";

import { config } from "#server/config.ts";
import { escapeMarkup } from "#server/core/shared/text.ts";

import {
  type ClientSettings,
  clientSettings,
  type MailAddress,
  type MailDomain,
  type MailServer,
} from "./client-settings.ts";

const SOCKET_TYPES = { implicit: "SSL", starttls: "STARTTLS" } as const;

/**
 * Settings for Thunderbird and compatible apps (Mozilla's autoconfig, clientConfig 1.1). The app fills in the
 * address.
 */
export function autoconfigXml({ domain, companyName }: MailDomain): string {
  const settings: ClientSettings = clientSettings();
  const incoming = [
    ...settings.imap.map((server) => serverXml("incomingServer", "imap", server)),
    ...settings.pop3.map((server) => serverXml("incomingServer", "pop3", server)),
  ];
  const outgoing = settings.smtp.map((server) => serverXml("outgoingServer", "smtp", server));
  return `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="${escapeMarkup(domain)}">
    <domain>${escapeMarkup(domain)}</domain>
    <displayName>${escapeMarkup(companyName)}</displayName>
    <displayShortName>${escapeMarkup(companyName)}</displayShortName>
${[...incoming, ...outgoing].join("")}    <documentation url="${escapeMarkup(config().baseUrl)}/account/connect">
      <descr lang="en">How to connect mail apps</descr>
    </documentation>
  </emailProvider>
</clientConfig>
`;
}

function serverXml(element: string, type: string, { host, port, tls }: MailServer): string {
  return `    <${element} type="${type}">
      <hostname>${escapeMarkup(host)}</hostname>
      <port>${port}</port>
      <socketType>${SOCKET_TYPES[tls]}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </${element}>
`;
}

const RESPONSE = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";

export const OUTLOOK_SCHEMA =
  "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

/** Codes from [MS-OXDSCLI] §2.2.4.1.1.2.4. */
const ERRORS = {
  invalid_request: { code: 600, message: "Invalid Request" },
  unsupported_schema: { code: 601, message: "Requested schema version not supported" },
  unknown_address: { code: 500, message: "The email address can't be found." },
} as const;

export type AutodiscoverError = keyof typeof ERRORS;

/** Settings for Outlook ([MS-OXDSCLI], "POX"). */
export function autodiscoverXml({ address, companyName }: MailAddress): string {
  const { imap, pop3, smtp } = clientSettings();
  const protocols = [
    ...imap.slice(0, 1).map((server) => protocolXml("IMAP", server, address)),
    ...pop3.slice(0, 1).map((server) => protocolXml("POP3", server, address)),
    ...smtp.slice(0, 1).map((server) => protocolXml("SMTP", server, address)),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
  <Response xmlns="${OUTLOOK_SCHEMA}">
    <User>
      <DisplayName>${escapeMarkup(companyName)}</DisplayName>
    </User>
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${protocols.join("")}    </Account>
  </Response>
</Autodiscover>
`;
}

function protocolXml(type: string, { host, port, tls }: MailServer, address: string): string {
  return `      <Protocol>
        <Type>${type}</Type>
        <Server>${escapeMarkup(host)}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        <LoginName>${escapeMarkup(address)}</LoginName>
        <SPA>off</SPA>
        <SSL>${tls === "implicit" ? "on" : "off"}</SSL>
        <Encryption>${tls === "implicit" ? "SSL" : "TLS"}</Encryption>
        <AuthRequired>on</AuthRequired>${type === "SMTP" ? "\n        <UsePOPAuth>off</UsePOPAuth>\n        <SMTPLast>off</SMTPLast>" : ""}
      </Protocol>
`;
}

export function autodiscoverErrorXml(error: AutodiscoverError, now: Date): string {
  const { code, message } = ERRORS[error];
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
  <Response>
    <Error Time="${now.toISOString().slice(11, 23)}" Id="0">
      <ErrorCode>${code}</ErrorCode>
      <Message>${escapeMarkup(message)}</Message>
      <DebugData />
    </Error>
  </Response>
</Autodiscover>
`;
}

/** Longer than any real request's. */
const TEXT_MAX = 400;

/** "" for what Outlook left out. */
export type AutodiscoverRequest = { address: string; schema: string };

/**
 * Parses an autodiscover request ([MS-OXDSCLI] §2.2.3). Ignores namespace prefixes. Resolves only XML's five
 * entities and numeric ones, and never fetches anything.
 */
export function readAutodiscover(xml: string): AutodiscoverRequest {
  const read: AutodiscoverRequest = { address: "", schema: "" };
  const fields: Record<string, keyof AutodiscoverRequest> = {
    emailaddress: "address",
    acceptableresponseschema: "schema",
  };
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push(name.replace(/^.*:/, "").toLowerCase());
      },
      ontext(text) {
        const field = fields[open.at(-1) ?? ""];
        if (field) read[field] = (read[field] + text).slice(0, TEXT_MAX);
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return { address: read.address.trim(), schema: read.schema.trim() };
}
