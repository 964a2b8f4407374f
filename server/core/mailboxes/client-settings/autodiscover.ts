import { escapeMarkup } from "#server/core/shared/escape-markup.ts";

import { clientSettings, type MailServer } from "./client-settings.ts";
import type { MailAddress } from "./find-mail-domain.ts";

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
