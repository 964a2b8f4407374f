import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import ipaddr from "ipaddr.js";

import type { Resolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";

/** Self-signed, for mta-sts.there.test, valid for a hundred years. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUC8i/+8xAC/5GmqXFLRz8OQ2zw0owCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSbXRhLXN0cy50aGVyZS50ZXN0MCAXDTI2MTEyMTE5NTMzMVoY
DzIxMjYxMDI4MTk1MzMxWjAdMRswGQYDVQQDDBJtdGEtc3RzLnRoZXJlLnRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASmRqIoNojB3zWomuBG8qjx+Nut05Ua
B7c/lxN7357LyvyT+WNDLE11GArF8yLIA6cPg+XkHy7jAR+oNOc4t+xFo3IwcDAd
BgNVHQ4EFgQUFtNX539MzHzjI5PHeRoNtgDbDDEwHwYDVR0jBBgwFoAUFtNX539M
zHzjI5PHeRoNtgDbDDEwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUghJtdGEt
c3RzLnRoZXJlLnRlc3QwCgYIKoZIzj0EAwIDSAAwRQIgezXZvYhxhwZuA3J6IB4k
54axWaEQ6egMWQyaCC+jdeYCIQCQvalPuieCT38p68WGQIpdhEwq2qh3WS0p/TEI
abDKhw==
-----END CERTIFICATE-----`;

const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXtJza66YOufvIAkr
UbFKHzcOLmM0F3h932If9sUVmoahRANCAASmRqIoNojB3zWomuBG8qjx+Nut05Ua
B7c/lxN7357LyvyT+WNDLE11GArF8yLIA6cPg+XkHy7jAR+oNOc4t+xF
-----END PRIVATE KEY-----`;

export type PolicyHost = {
  /** The response; can be changed at any time. `status` 0 closes the connection. */
  answer: { status: number; type: string; text: string; location?: string };
  /** Host and path of each request, in order. */
  requests: string[];
  /** An HTTP client that only reaches this server, at the port of policy hosts. */
  http(resolver: Resolver): OutgoingHttp;
  close(): Promise<void>;
};

/** The lines of a policy in enforce mode for these mail servers. */
export const enforcing = (...mx: string[]) =>
  ["version: STSv1", "mode: enforce", ...mx.map((name) => `mx: ${name}`), "max_age: 86400"].join(
    "\r\n",
  );

/** The host of a domain's MTA-STS policy, mta-sts.there.test, on a free loopback port. */
export async function aPolicyHost(text = ""): Promise<PolicyHost> {
  const answer: PolicyHost["answer"] = { status: 200, type: "text/plain", text };
  const requests: string[] = [];
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
    requests.push(`${request.headers.host?.split(":")[0]}${request.url}`);
    const { status, type, location } = answer;
    if (status === 0) request.socket.destroy();
    else
      response
        // On a reused connection, the client would repeat a request that the host drops.
        .writeHead(status, {
          connection: "close",
          "content-type": type,
          ...(location && { location }),
        })
        .end(answer.text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    answer,
    requests,
    http(resolver) {
      const allowedPrivate = [ipaddr.parseCIDR("127.0.0.1/32")];
      const http = createOutgoingHttp({ resolver, allowedPrivate, ca: CERTIFICATE });
      return {
        ...http,
        request: (request) => {
          const url = new URL(request.url);
          url.port = String(port);
          return http.request({ ...request, url: url.href });
        },
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
