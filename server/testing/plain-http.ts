import type { HttpsPolicy } from "#server/web/require-https.ts";

/** A web server in local mode: it serves plain HTTP to everyone. */
export const PLAIN_HTTP: HttpsPolicy = {
  trustedProxies: [],
  localMode: true,
  baseUrl: "http://localhost",
  isCertificateTrusted: () => false,
  isTrackingHost: () => false,
};
