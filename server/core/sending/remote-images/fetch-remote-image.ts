import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";

type RemoteImage = { type: string; content: Buffer };

const BYTES_MAX = 5_000_000;
const TIMEOUT_MS = 10_000;
const IMAGE = /^image\/[\w.+-]+/;

let http: OutgoingHttp | undefined;

/** No private address is ever called. */
const outgoing = () =>
  (http ??= createOutgoingHttp({ resolver: createResolver(config()), allowedPrivate: [] }));

/**
 * Fetches an image of an email, so that the reader's browser doesn't reveal itself to the image's server. Without
 * redirects, and over HTTPS even if the URL says http.
 *
 * @throws Refusal `invalid` if there is no image
 */
export async function fetchRemoteImage(
  url: string,
  client: Pick<OutgoingHttp, "request"> = outgoing(),
): Promise<RemoteImage> {
  const answer = await client
    .request({
      url: url.replace(/^http:/i, "https:"),
      method: "GET",
      headers: { accept: "image/*", "user-agent": "Posthouse" },
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: BYTES_MAX,
    })
    .catch(() => null);
  const type = IMAGE.exec(answer?.headers["content-type"] ?? "")?.[0];
  if (answer?.status !== 200 || answer.isCut || type === undefined)
    throw new Refusal("invalid", "url: has no image that can be loaded");
  return { type, content: answer.body };
}
