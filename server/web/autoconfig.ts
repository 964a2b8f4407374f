import type { IncomingMessage, ServerResponse } from "node:http";

import { autoconfigXml } from "#server/core/mailboxes/client-settings/autoconfig.ts";
import {
  findMailAddress,
  findMailDomain,
} from "#server/core/mailboxes/client-settings/find-mail-domain.ts";
import { db } from "#server/db/pool.ts";

import { answerClient, queryOf, takesMethod } from "./client-answer.ts";

const PATH =
  /^(\/mail\/config-v1\.1\.xml|\/\.well-known\/autoconfig\/mail\/config-v1\.1\.xml)(\?|$)/;

/** Without an address, the Host header names the domain. A port after it is ignored. */
const HOST = /^(?:autoconfig\.)?([a-z0-9._-]{1,253}?)\.?(?::\d*)?$/i;

/**
 * Serves Thunderbird's autoconfig (`/mail/config-v1.1.xml`, also below `/.well-known/autoconfig`): 404 for a domain
 * that no company has. Doesn't reveal whether a mailbox exists. Returns whether it handled the request.
 */
export function answerAutoconfig(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (!takesMethod(request, response, ["GET", "HEAD"])) return true;
  answerClient(request, response, "client settings", async () => {
    const domain = await domainOf(request);
    if (!domain)
      return {
        status: 404,
        type: "text/plain",
        body: "This server doesn't handle mail for that domain\n",
      };
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
