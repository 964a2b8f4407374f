import type { IncomingMessage, ServerResponse } from "node:http";

import {
  autodiscoverErrorXml,
  type AutodiscoverError,
  autodiscoverXml,
  OUTLOOK_SCHEMA,
} from "#server/core/mailboxes/client-settings/autodiscover.ts";
import { findMailAddress } from "#server/core/mailboxes/client-settings/find-mail-domain.ts";
import { readAutodiscover } from "#server/core/mailboxes/client-settings/read-autodiscover.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import { answerClient, takesMethod } from "./client-answer.ts";
import { cutOff } from "./cut-off.ts";

const PATH = /^\/autodiscover\/autodiscover\.xml(\?|$)/i;

/** Outlook's own requests have a few hundred bytes. */
const BODY_BYTES_MAX = 16_384;

/**
 * Handles Outlook's Autodiscover ("POX"). Outlook uses GET to find a host with a valid certificate: requests to
 * any other name are redirected to the appliance's hostname. Returns whether it handled the request.
 */
export function answerAutodiscover(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (!takesMethod(request, response, ["GET", "HEAD", "POST"])) return true;
  if (request.method === "POST") void answerPost(request, response);
  else answerGet(request, response);
  return true;
}

async function answerPost(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request).catch(() => null);
  if (body === null) {
    if (request.destroyed) response.destroy();
    else cutOff(request, response);
    return;
  }
  answerClient(request, response, "client settings", async () => {
    const { address, schema } = readAutodiscover(body);
    if (address === "") return failure("invalid_request", 200);
    if (schema !== "" && schema.toLowerCase() !== OUTLOOK_SCHEMA)
      return failure("unsupported_schema", 200);
    const found = await findMailAddress(db(), address);
    if (!found) return failure("unknown_address", 404);
    return { status: 200, type: "text/xml", body: autodiscoverXml(found) };
  });
}

function answerGet(request: IncomingMessage, response: ServerResponse): void {
  const { baseUrl } = config();
  const isHere = request.headers.host?.toLowerCase() === new URL(baseUrl).host;
  answerClient(request, response, "client settings", () =>
    Promise.resolve(
      isHere
        ? failure("invalid_request", 200)
        : {
            ...{ status: 302, type: "text/plain", body: "" },
            headers: { location: `${baseUrl}/autodiscover/autodiscover.xml` },
          },
    ),
  );
}

const failure = (error: AutodiscoverError, status: number) => ({
  ...{ status, type: "text/xml", body: autodiscoverErrorXml(error, new Date()) },
});

/** Returns null if the body is too long. */
async function readText(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return null;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_BYTES_MAX) {
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
