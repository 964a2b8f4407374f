import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { vi } from "vitest";

import { anIdentityProvider, type TestProvider } from "./an-identity-provider.ts";

/** An identity provider that this process can reach and trusts until it is closed. */
export async function aTrustedProvider(): Promise<TestProvider> {
  const trusted = getCACertificates("default");
  vi.stubEnv("POSTHOUSE_PRIVATE_WEBHOOKS", "127.0.0.0/8");
  const provider = await anIdentityProvider();
  setDefaultCACertificates([...trusted, provider.certificate]);
  const close = provider.close.bind(provider);
  provider.close = async () => {
    vi.unstubAllEnvs();
    setDefaultCACertificates(trusted);
    await close();
  };
  return provider;
}
