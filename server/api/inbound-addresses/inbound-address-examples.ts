import type { Example } from "#server/http/code-samples.ts";

const address = "support@shop.example";
const inbound = {
  object: "inbound_address",
  address,
  created_at: "2026-03-02 09:30:00.412345+00",
};

export const inboundAddressExamples: Record<string, Example> = {
  "GET /inbound-addresses": {
    answer: {
      object: "list",
      has_more: false,
      data: [{ ...inbound, address: "*@reply.shop.example" }, inbound],
    },
  },
  "POST /inbound-addresses": { body: { address }, answer: inbound },
  "GET /inbound-addresses/{address}": { params: { address }, answer: inbound },
  "DELETE /inbound-addresses/{address}": {
    params: { address },
    answer: { object: "inbound_address", address, deleted: true },
  },
};
