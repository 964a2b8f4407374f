import type { Handler } from "#server/web/exchange.ts";
import type { HttpsPolicy } from "#server/web/require-https.ts";

/** A web server in local mode: it serves plain HTTP to everyone. */
export const PLAIN_HTTP: HttpsPolicy = {
  trustedProxies: [],
  localMode: true,
  baseUrl: "http://localhost",
  isCertificateTrusted: () => false,
  isTrackingHost: () => false,
};

/** A stand-in for the API or the pages that only says its name. */
export const saying =
  (text: string): Handler =>
  ({ response }) => {
    response.end(text);
    return Promise.resolve();
  };
