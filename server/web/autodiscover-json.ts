import type { IncomingMessage, ServerResponse } from "node:http";

import { findMailAddress } from "#server/core/mailboxes/client-settings/find-mail-domain.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import { answerClient, takesMethod, queryOf } from "./client-answer.ts";

const PATH = /^\/autodiscover\/autodiscover\.json(?:\/v1\.0(?:\/([^/?]*))?)?(?:\?|$)/i;

/** The only supported protocol. */
const PROTOCOL = "AutodiscoverV1";

/**
 * Handles Autodiscover v2 by pointing to v1. The address is in the path or in `Email`. Returns whether it
 * handled the request.
 */
export function answerAutodiscoverJson(
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const match = PATH.exec(request.url ?? "");
  if (!match) return false;
  if (!takesMethod(request, response, ["GET", "HEAD"])) return true;
  answerClient(request, response, "client settings", async () => {
    const query = queryOf(request);
    const protocol = query.get("protocol");
    const address = query.get("email") ?? decoded(match[1] ?? "");
    if (!protocol) return missing("Protocol");
    if (address === "") return missing("Email");
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
  });
  return true;
}

const missing = (parameter: string) =>
  json(400, {
    ErrorCode: "MandatoryParameterMissing",
    ErrorMessage: `A valid value must be provided for the query parameter '${parameter}'`,
  });

const json = (status: number, value: Record<string, string>) => ({
  ...{ status, type: "application/json", body: JSON.stringify(value) },
});

/** Decodes an address; malformed percent-encoding matches no mailbox. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "?";
  }
}
