import type { Example } from "#server/http/code-samples.ts";

const address = "team@shop.example";

const group = {
  object: "group",
  address,
  name: "Team",
  members: ["ann@shop.example", "ben@example.net"],
  active: true,
};

export const groupExamples: Record<string, Example> = {
  "GET /groups": {
    query: { domain: "shop.example" },
    answer: { object: "list", has_more: false, data: [group] },
  },
  "POST /groups": {
    body: { address, name: "Team", members: group.members },
    answer: group,
  },
  "GET /groups/{address}": { params: { address }, answer: group },
  "PATCH /groups/{address}": {
    params: { address },
    body: { members: ["ann@shop.example"] },
    answer: { ...group, members: ["ann@shop.example"] },
  },
  "DELETE /groups/{address}": {
    params: { address },
    answer: { object: "group", address, deleted: true },
  },
};
