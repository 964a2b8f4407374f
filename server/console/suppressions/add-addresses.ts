import { z } from "zod";

import { suppressMany } from "#server/core/sending/suppressions/suppress-many.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GivenAddresses, isAddress, outcomesOf, readGiven } from "./given-addresses.ts";

export const addAddresses = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions",
  summary: "Suppress addresses; those that are none are told and spoil no other",
  permission: "console",
  privilege: "api_controls",
  body: GivenAddresses,
  response: outcomesOf(z.enum(["added", "already", "invalid"])),
  refusals: ["invalid"],
  async handle({ ctx, body }) {
    const read = readGiven(body.addresses);
    const added = await suppressMany(ctx, read.filter(isAddress));
    return {
      results: read.map((address) => {
        if (address === null) return { address, outcome: "invalid" as const };
        // One that is given twice is added once.
        const isNew = added.delete(address);
        return { address, outcome: isNew ? ("added" as const) : ("already" as const) };
      }),
    };
  },
});
