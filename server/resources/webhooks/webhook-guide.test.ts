import { expect, test } from "vitest";

import { apiDocument } from "#server/resources/registry.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";

test("the API reference explains every event type and every header of a delivery", async () => {
  const { tags } = await apiDocument();
  const guide = tags.find(({ name }) => name === "Webhooks")!.description;
  const names = ["id", "timestamp", "signature"].flatMap((part) => [
    `webhook-${part}`,
    `svix-${part}`,
  ]);
  for (const word of [...WEBHOOK_EVENT_TYPES, ...names]) expect(guide).toContain(`\`${word}\``);
});
