import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import { createLogger } from "#server/processes/logger.ts";
import type { ApiAnswer } from "#server/http/answer.ts";
import { Download } from "#server/http/downloads.ts";
import { createRouter } from "#server/http/router.ts";
import { accountEndpoints, consoleEndpoints } from "#server/resources/pages.ts";
import { endpoints as publicEndpoints } from "#server/resources/registry.ts";

import { cutOff, type Exchange } from "./exchange.ts";

const logger = createLogger("web");

/** Every endpoint that the web process serves. */
export const servedEndpoints = [...publicEndpoints, ...consoleEndpoints, ...accountEndpoints];

const route = createRouter(servedEndpoints);

/** Handles requests to the REST API, the console's API and the API of `/account`. */
export async function answerApi(exchange: Exchange): Promise<void> {
  const { request, response, path, query, address, requestId } = exchange;
  const { method = "GET", headers: requestHeaders } = request;
  const { status, headers, body } = await route({
    method,
    path,
    query,
    headers: requestHeaders,
    address,
    requestId,
    stream: request,
  });
  if (body === null) {
    cutOff(exchange);
    return;
  }
  write(response, { status, headers });
  if (body instanceof Download) await send(response, body);
  else end(response, body);
  // Discards the rest of an unread body, so that the connection can serve the next request.
  request.resume();
}

function write(
  response: ServerResponse,
  { status, headers }: Pick<ApiAnswer, "status" | "headers">,
): void {
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.statusCode = status;
}

function end(response: ServerResponse, body: string | Buffer): void {
  response.setHeader("content-length", Buffer.byteLength(body));
  response.end(body);
}

/** Without a length, a connection that breaks tells the client that the file is incomplete. */
async function send(response: ServerResponse, { content }: Download): Promise<void> {
  if (Buffer.isBuffer(content)) {
    end(response, content);
    return;
  }
  await pipeline(content, response).catch((error: unknown) => {
    response.destroy();
    logger.warn({ err: error }, "download stopped");
  });
}
