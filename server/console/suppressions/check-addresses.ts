import { z } from "zod";

import { onTheList } from "#server/core/sending/suppressions/on-the-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GivenAddresses, isAddress, outcomesOf, readGiven } from "./given-addresses.ts";

export const checkAddresses = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions/check",
  summary: "What adding addresses would do to each; nothing is written",
  permission: "console",
  privilege: "api_controls",
  body: GivenAddresses,
  response: outcomesOf(z.enum(["new", "already", "invalid"])),
  refusals: ["invalid"],
  async handle({ ctx, body }) {
    const read = readGiven(body.addresses);
    const there = await onTheList(ctx, read.filter(isAddress));
    return {
      results: read.map((address) => {
        if (address === null) return { address, outcome: "invalid" as const };
        return { address, outcome: there.has(address) ? ("already" as const) : ("new" as const) };
      }),
    };
  },
});
