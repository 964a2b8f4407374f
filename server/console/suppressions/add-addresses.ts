import { z } from "zod";

import { addSuppressionsInBulk } from "#server/core/sending/suppressions/add-in-bulk.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AddressList, isAddress, resultsWith, parseAddresses } from "./address-list.ts";

export const addAddresses = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions",
  summary: "Add suppressions, skipping and reporting invalid addresses",
  permission: "console",
  privilege: "api_controls",
  body: AddressList,
  response: resultsWith(z.enum(["added", "already", "invalid"])),
  refusals: ["invalid"],
  async handle({ ctx, body }) {
    const addresses = parseAddresses(body.addresses);
    const entries = addresses
      .filter(isAddress)
      .map((email) => ({ email, origin: "manual" as const, createdAt: null }));
    const added = await addSuppressionsInBulk(ctx, entries);
    return {
      results: addresses.map((address) => {
        if (address === null) return { address, outcome: "invalid" as const };
        // Report the second occurrence of an address as already suppressed.
        const isNew = added.delete(address);
        return { address, outcome: isNew ? ("added" as const) : ("already" as const) };
      }),
    };
  },
});
