import type { IncomingMessage, ServerResponse } from "node:http";

import { autoconfigXml } from "#server/core/mailboxes/client-settings/autoconfig.ts";
import {
  findMailAddress,
  findMailDomain,
} from "#server/core/mailboxes/client-settings/find-mail-domain.ts";
import { db } from "#server/db/pool.ts";

import { answerClient, takesMethod, queryOf } from "./client-answer.ts";

const PATH =
  /^(\/mail\/config-v1\.1\.xml|\/\.well-known\/autoconfig\/mail\/config-v1\.1\.xml)(\?|$)/;

/** Without an address the domain is that of the host that was asked. A port behind it is of no account. */
const HOST = /^(?:autoconfig\.)?([a-z0-9._-]{1,253}?)\.?(?::\d*)?$/i;

/**
 * Answers what Thunderbird asks for (`/mail/config-v1.1.xml` and below `/.well-known/autoconfig`); true
 * when it did. 404 for a domain that is nobody's here; whether there is a mailbox stays untold.
 */
export function answerAutoconfig(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (!takesMethod(request, response, ["GET", "HEAD"])) return true;
  answerClient(request, response, async () => {
    const domain = await domainOf(request);
    if (!domain) return { status: 404, type: "text/plain", body: "No such domain here\n" };
    return {
      status: 200,
      type: "text/xml",
      body: autoconfigXml(domain),
      headers: { "cache-control": "public, max-age=300" },
    };
  });
  return true;
}

function domainOf(request: IncomingMessage) {
  const address = queryOf(request).get("emailaddress");
  if (address !== undefined) return findMailAddress(db(), address);
  const [, name] = HOST.exec(request.headers.host ?? "") ?? [];
  return name === undefined ? Promise.resolve(null) : findMailDomain(db(), name);
}
