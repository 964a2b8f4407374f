import { z } from "zod";

import { filterSuppressed } from "#server/core/sending/suppressions/filter-suppressed.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AddressList, isAddress, resultsWith, parseAddresses } from "./address-list.ts";

export const checkAddresses = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions/check",
  summary: "Preview adding suppressions without saving anything",
  permission: "console",
  privilege: "api_controls",
  body: AddressList,
  response: resultsWith(z.enum(["new", "already", "invalid"])),
  refusals: ["invalid"],
  async handle({ ctx, body }) {
    const addresses = parseAddresses(body.addresses);
    const suppressed = await filterSuppressed(ctx, addresses.filter(isAddress));
    return {
      results: addresses.map((address) => {
        if (address === null) return { address, outcome: "invalid" as const };
        return {
          address,
          outcome: suppressed.has(address) ? ("already" as const) : ("new" as const),
        };
      }),
    };
  },
});
