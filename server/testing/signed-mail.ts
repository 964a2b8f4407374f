import { createPublicKey } from "node:crypto";
import { afterAll } from "vitest";

import { dkimSign } from "mailauth";

import { createResolver, type Resolver } from "#server/gateways/dns.ts";

import { aDnsServer, type FakeDns, type Zones } from "./fake-dns.ts";
import { SIGNING_KEY } from "./rsa-keys.ts";

const PUBLIC_KEY = createPublicKey(SIGNING_KEY).export({ type: "spki", format: "der" });

/** The TXT record of the key that `signed` signs with, for any domain and selector. */
export const KEY_RECORD = `v=DKIM1; k=rsa; p=${PUBLIC_KEY.toString("base64")}`;

/** The message with a DKIM signature of the domain, with selector `s1` unless another one is given. */
export async function signed(
  message: string,
  domain: string,
  {
    headerList,
    maxBodyLength,
    algorithm = "rsa-sha256",
    selector = "s1",
  }: {
    headerList?: string;
    maxBodyLength?: number;
    algorithm?: string;
    selector?: string;
  } = {},
): Promise<string> {
  const key = {
    signingDomain: domain,
    selector,
    privateKey: SIGNING_KEY,
    algorithm,
    ...(maxBodyLength === undefined ? {} : { maxBodyLength }),
  };
  const { signatures } = await dkimSign(message, {
    ...key,
    signTime: new Date(),
    ...(headerList ? { headerList } : {}),
    signatureData: [key],
  });
  return signatures + message;
}

/** A fake DNS for the tests of one file, and a resolver that queries it. */
export async function outsideDns(zones: Zones): Promise<{ dns: FakeDns; resolver: Resolver }> {
  const dns = await aDnsServer(zones);
  afterAll(() => dns.close());
  return { dns, resolver: createResolver({ dnsServers: [dns] }, { timeoutMs: 150, tries: 1 }) };
}
