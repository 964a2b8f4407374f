import { z } from "zod";

import type { SignInStart } from "#server/core/access/single-sign-on/providers.ts";

import { trimmedText } from "./text-fields.ts";

/** Authorization codes of large providers have a few kilobytes. */
const CODE_MAX = 8_000;

/** How a sign-in at an identity provider begins. */
export const ProviderStart = z
  .union([
    z.object({ email: trimmedText(254) }),
    z.object({ provider_id: z.uuid().describe("From the company's sign-in link") }),
  ])
  .transform((start): SignInStart =>
    "email" in start ? start : { providerId: start.provider_id },
  );

export const ProviderUrl = z.object({ url: z.string().describe("The provider's page to open") });

/** What the provider appended to the redirect URL. */
export const ProviderResponse = z.object({
  code: z.string().min(1).max(CODE_MAX),
  state: z.string().min(1).max(200),
  iss: z.string().max(2000).optional().describe("The issuer, if the provider names it"),
});
